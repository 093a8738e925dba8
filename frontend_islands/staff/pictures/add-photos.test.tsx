import { waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ApiProblem } from "@/lib/api";
import { hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { AddPhotos } from "./add-photos";
import { uploadProblem } from "./upload-problem";
import type { Upload } from "./use-uploads";

it("keeps an address that is typed while the one before is fetched", async () => {
  const held = hold();
  const onAddress = vi.fn(async (_address: string) => held);
  const uploads = { uploads: [], add: () => {}, retry: () => {}, drop: () => {} };
  const { user, screen } = await renderStaff(<AddPhotos uploads={uploads} onAddress={onAddress} />);
  const field = screen.getByRole<HTMLInputElement>("textbox");
  await user.type(field, " https://example.com/1.jpg{Enter}");
  await user.clear(field);
  await user.type(field, "https://example.com/2.jpg");
  held.arrive();
  const button = screen.getByRole("button", { name: "Ajouter" });
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  expect([field.value, onAddress.mock.calls.map(([address]) => address)]).toEqual([
    "https://example.com/2.jpg",
    ["https://example.com/1.jpg"],
  ]);
  await user.click(button);
  await waitFor(() => expect(field.value).toBe(""));
});

it("sends an address again under the same key after a lost answer, the next one under its own", async () => {
  const onAddress = vi.fn(async (_address: string, _key: string) => {});
  onAddress.mockRejectedValueOnce(new ApiProblem(0, "network", ""));
  const uploads = { uploads: [], add: () => {}, retry: () => {}, drop: () => {} };
  const { user, screen } = await renderStaff(<AddPhotos uploads={uploads} onAddress={onAddress} />);
  const field = screen.getByRole<HTMLInputElement>("textbox");
  const send = async (typed: string) => {
    await user.type(field, `${typed}{Enter}`);
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Ajouter" })).toHaveProperty("disabled", false),
    );
  };
  await send("https://example.com/1.jpg");
  await send("");
  await send("https://example.com/1.jpg");
  const [first, again, other] = onAddress.mock.calls.map(([, key]) => key);
  expect(first).toMatch(/.{16}/);
  expect([again, other === first, field.value]).toEqual([first, false, ""]);
});

it("offers to sign in beside a photo that the end of the session kept back", async () => {
  const message = uploadProblem(new ApiProblem(401, "not_authenticated", ""));
  const failed: Upload = {
    key: "1",
    file: new File([], "golem.jpg"),
    preview: "blob:preview",
    state: "failed",
    share: 0,
    message,
    canRetry: true,
  };
  const uploads = { uploads: [failed], add: () => {}, retry: () => {}, drop: () => {} };
  const { screen } = await renderStaff(<AddPhotos uploads={uploads} onAddress={async () => {}} />);
  const link = screen.getByRole<HTMLAnchorElement>("link", { name: "Se connecter dans un autre onglet" });
  expect([link.target, link.closest("[role=alert]")?.textContent]).toEqual([
    "_blank",
    expect.stringMatching(/^Votre session est terminée\./),
  ]);
});
