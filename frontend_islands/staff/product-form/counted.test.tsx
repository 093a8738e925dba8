import { act } from "@testing-library/react";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import type { AdminProduct, StaffProductFormProps } from "@/api/types";
import { emit, listen } from "@/lib/events";
import { renderStaff } from "@/testing/staff";
import { ProductEditor } from "./product-editor";

const PROPS = {
  product_id: 7,
  categories: [{ id: 1, name: "Mangas", slug: "mangas", offers_finishes: true }],
  countries: [],
  safety_classes: [],
  promotion_types: [],
  rights: { edit: true, prices: true, stock: true, remove: true, history: true },
  trash_days: 30,
} as StaffProductFormProps;
const COUNTED = "Sans effet tant que chaque déclinaison compte son propre stock.";
const OWN = [{ stock_quantity: 2 }, { stock_quantity: 0 }];

afterEach(() => vi.unstubAllGlobals());

async function draw(variants: { stock_quantity: number | null }[]) {
  const stored = {
    ...{ id: 7, name: "Ours", category_id: 1, price: "40.00", stock_quantity: 5, images: [], variants },
    ...{ picked_similar_names: [], stale_texts: [], created_at: "2026-11-01T10:00:00+01:00", source: "" },
  } as unknown as AdminProduct;
  vi.stubGlobal("fetch", async (path: string) =>
    Response.json(path === "/api/me" ? { csrf_token: "x" } : stored),
  );
  const drawn = await renderStaff(<ProductEditor {...PROPS} />);
  await drawn.screen.findByLabelText("Quantité en stock");
  return { ...drawn, stored };
}

it.each([
  [OWN, true],
  [[{ stock_quantity: 2 }, { stock_quantity: null }], false],
  [[], false],
])("says of the number in stock whether each variant has one of its own: %j", async (variants, isSaid) => {
  const { screen } = await draw(variants);
  expect(screen.queryByText(COUNTED) !== null).toBe(isSaid);
  expect(screen.queryByText(/^Vide\s: fabriqué à la commande\.$/) !== null).toBe(!isSaid);
});

it("says it as soon as the grid beside it gave them one, and keeps what is typed", async () => {
  const { user, screen, stored } = await draw([{ stock_quantity: null }]);
  const name = screen.getByLabelText<HTMLInputElement>(/^Nom/, { selector: "[name=name]" });
  await user.type(name, " brun");
  Object.assign(stored, { variants: OWN, name: "Lu ailleurs" });
  act(() => emit("product:changed", { productId: 8, by: "variants" }));
  act(() => emit("product:changed", { productId: 7, by: "variants" }));
  await screen.findByText(COUNTED);
  expect(name.value).toBe("Ours brun");
});

it("tells the parts beside it what was saved", async () => {
  const told: unknown[] = [];
  document.body.innerHTML = '<h1 class="staff-head__title">Ours</h1>';
  onTestFinished(listen("product:changed", (detail) => told.push(detail)));
  const { user, screen, stored } = await draw([]);
  await user.type(screen.getByLabelText(/^Nom/, { selector: "[name=name]" }), " brun");
  Object.assign(stored, { name: "Ours brun" });
  expect(told).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await vi.waitFor(() => expect(told).toEqual([{ productId: 7, by: "form" }]));
  expect(document.querySelector("h1")?.textContent).toBe("Ours brun");
});
