import { waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { AddPhotos } from "./add-photos";

it("keeps an address that is typed while the one before is fetched", async () => {
  const held = hold();
  const onAddress = vi.fn(async () => held);
  const uploads = { uploads: [], add: () => {}, retry: () => {}, drop: () => {} };
  const { user, screen } = await renderStaff(<AddPhotos uploads={uploads} onAddress={onAddress} />);
  const field = screen.getByRole<HTMLInputElement>("textbox");
  await user.type(field, " https://example.com/1.jpg{Enter}");
  await user.clear(field);
  await user.type(field, "https://example.com/2.jpg");
  held.arrive();
  const button = screen.getByRole("button", { name: "Ajouter" });
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  expect([field.value, onAddress.mock.calls]).toEqual([
    "https://example.com/2.jpg",
    [["https://example.com/1.jpg"]],
  ]);
  await user.click(button);
  await waitFor(() => expect(field.value).toBe(""));
});
