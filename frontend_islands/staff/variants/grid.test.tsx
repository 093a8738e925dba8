import { within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import type { VariantGrid, VariantRow } from "@/api/types";
import { renderStaff } from "@/testing/staff";
import { RIGHTS } from "@/testing/variant-grid";
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
