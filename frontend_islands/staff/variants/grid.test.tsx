import { within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import type { VariantGrid, VariantRow } from "@/api/types";
import { renderStaff } from "@/testing/staff";
import { format, RIGHTS, row } from "@/testing/variant-grid";
import { Grid } from "./grid";

const ROW = {
  id: 1,
  variation_id: 1,
  label: "Petit",
  price: null,
  sku: "",
  stock_quantity: 4,
  image_ids: [],
};
const GRID = {
  version: "v1",
  formats: [],
  rows: [ROW as unknown as VariantRow],
  images: [],
  product: {},
} as unknown as VariantGrid;

beforeEach(() => {
  localStorage.clear();
  document.body.innerHTML = "";
});

test("asks before what was typed is given up", async () => {
  const { user, screen } = await renderStaff(
    <Grid product={7} rights={RIGHTS} grid={GRID} onStored={() => {}} onRead={async () => GRID} />,
  );
  const stock = screen.getByLabelText("Stock");
  await user.clear(stock);
  await user.type(stock, "12");
  const giveUp = screen.getByRole("button", { name: "Annuler les modifications" });
  await user.click(giveUp);
  const asked = within(screen.getByRole("dialog"));
  expect(asked.getByText("Ce que vous avez changé à 1 ligne est perdu.")).toBeTruthy();
  await user.click(asked.getByRole("button", { name: "Annuler" }));
  expect(stock).toHaveProperty("value", "12");
  await user.click(giveUp);
  await user.click(screen.getByRole("button", { name: "Jeter mes changements" }));
  expect([stock, screen.queryByRole("dialog")]).toEqual([expect.objectContaining({ value: "4" }), null]);
});

test.each([
  [
    [
      row(1, "Petit"),
      row(2, "Grand", { stock_quantity: 5, held_units: 2, waiting: 2 }),
      row(3, "Grand", { variation_id: 2 }),
    ],
    [
      "9 pièces en stock disparaissent avec lui.",
      /^2 pièces sont réservées par des commandes/,
      /^2 personnes attendent son retour\s: un e-mail leur dit que ce format n'est plus proposé\.$/,
    ],
  ],
  [
    [row(1, "Petit"), row(2, "Grand", { stock_quantity: 1, held_units: 1 })],
    ["1 pièce en stock disparaît avec lui.", /^1 pièce est réservée par une commande/],
  ],
  [
    [row(1, "Petit"), row(2, "Grand", { stock_quantity: null })],
    [/^Ses prix propres, stocks et références sont supprimés\./],
  ],
  [[row(2, "Grand")], [/^C'est le dernier format\s: le produit garde son stock/]],
])("the question before a format is removed says what goes with it", async (rows, said) => {
  const formats = [format(1, "Petit"), format(2, "Grand")].filter(({ id }) =>
    rows.some((each) => each.id === id),
  );
  const grid = { ...GRID, rows, formats } as VariantGrid;
  const { user, screen } = await renderStaff(
    <Grid product={7} rights={RIGHTS} grid={grid} onStored={() => {}} onRead={async () => grid} />,
  );
  await user.click(screen.getByRole("button", { name: "Supprimer : Grand" }));
  const dialog = within(screen.getByRole("dialog"));
  for (const text of said) expect(dialog.getByText(text)).toBeTruthy();
  expect(dialog.queryAllByText(/pièces? (en stock|est|sont)/)).toHaveLength(
    said.filter((each) => /pièce/.test(String(each))).length,
  );
});

async function drawStock(row: Partial<VariantRow>) {
  const grid = { ...GRID, product: { stock_quantity: 3 }, rows: [{ ...ROW, ...row }] } as VariantGrid;
  const { user, screen } = await renderStaff(
    <Grid product={7} rights={RIGHTS} grid={grid} onStored={() => {}} onRead={async () => grid} />,
  );
  return { user, screen, stock: screen.getByLabelText<HTMLInputElement>("Stock") };
}

test.each([
  ["Un de plus", "4"],
  ["Un de moins", "2"],
])("%s counts from the product's number that is shown in grey", async (name, expected) => {
  const { user, screen, stock } = await drawStock({ stock_quantity: null });
  expect(stock.placeholder).toBe("3");
  await user.click(screen.getByRole("button", { name }));
  expect(stock.value).toBe(expected);
});

test.each([
  [{ stock_quantity: null, finish: "" }, true],
  [{ stock_quantity: 4, finish: "" }, false],
  [{ stock_quantity: null, finish: "painted" }, false],
] as const)(
  "a piece without formats and finishes has one number in stock, in the form: %j",
  async (row, is) => {
    const { screen, stock } = await drawStock({ ...row, variation_id: null } as Partial<VariantRow>);
    const more = screen.getByRole<HTMLButtonElement>("button", { name: "Un de plus" });
    expect([stock.disabled, more.disabled]).toEqual([is, is]);
    const where = "Le prix et le stock se changent plus bas, sous « Prix » et « Disponibilité ».";
    expect(screen.queryByText(where) !== null).toBe(is);
  },
);
