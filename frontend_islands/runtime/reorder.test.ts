import { beforeEach, expect, it, vi } from "vitest";
import { clearCart, MAX_LINES } from "@/lib/cart";
import { readCart, writeCart } from "@/lib/cart-storage";
import { goTo } from "@/lib/navigate";

vi.mock("@/lib/navigate");

const line = { product_id: 12, variation_id: null, finish: "painted", quantity: 2 } as const;

beforeEach(() => {
  clearCart();
  vi.resetModules();
  vi.mocked(goTo).mockReset();
  document.body.innerHTML = `
    <button type="button" data-reorder='${JSON.stringify([line])}' data-cart="/panier" hidden>Mettre</button>
    <p data-reorder-full hidden>Plein</p>`;
});

async function press() {
  await import("./reorder");
  const button = document.querySelector("button");
  expect(button?.hidden).toBe(false);
  button?.click();
}

it("puts the lines into the cart and shows it", async () => {
  await press();
  expect(readCart()).toEqual([line]);
});

it("says that a full cart takes nothing", async () => {
  const full = Array.from({ length: MAX_LINES }, (_each, index) => ({ ...line, product_id: 100 + index }));
  writeCart(full);
  await press();
  expect(readCart()).toHaveLength(MAX_LINES);
  expect(document.querySelector<HTMLElement>("[data-reorder-full]")?.hidden).toBe(false);
});
