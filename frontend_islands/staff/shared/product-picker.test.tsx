import { expect, it, vi } from "vitest";
import { renderStaff } from "@/testing/staff";
import { ProductPicker } from "./product-picker";

it("says why nothing could be looked for, until the next search", async () => {
  let status = 401;
  vi.stubGlobal("fetch", async () =>
    status === 401
      ? Response.json({ code: "not_authenticated", detail: "" }, { status })
      : Response.json({ results: [{ id: 4, name: "Golem" }] }),
  );
  const { user, screen } = await renderStaff(
    <ProductPicker label="Produits" picked={[]} onChange={() => undefined} />,
  );
  await user.type(screen.getByLabelText("Produits"), "gol");
  expect((await screen.findByRole("alert")).textContent).toContain("Votre session est terminée.");
  status = 200;
  await user.type(screen.getByLabelText("Produits"), "e");
  await screen.findByRole("button", { name: "Ajouter Golem" });
  expect(screen.queryByRole("alert")).toBeNull();
});
