import { beforeEach, expect, it, vi } from "vitest";
import { clearCart, MAX_LINES } from "@/lib/cart";
import { readCart, writeCart } from "@/lib/cart-storage";
import { goTo } from "@/lib/navigate";
import { mount } from "./index";

vi.mock("@/lib/navigate");

const line = { product_id: 12, variation_id: null, finish: "painted", quantity: 2 } as const;

beforeEach(() => {
  clearCart();
  vi.mocked(goTo).mockReset();
  document.body.innerHTML = `<x-island-stub><div data-fallback>
    <button type="button" data-reorder='${JSON.stringify([line])}' data-cart="/panier" hidden>Mettre</button>
    <p data-reorder-full hidden>Plein</p>
    <p data-reorder-partly tabindex="-1" hidden>En partie</p>
  </div></x-island-stub>`;
});

function press() {
  mount(document.body.firstElementChild as HTMLElement);
  const button = document.querySelector("button");
  expect(button?.hidden).toBe(false);
  button?.click();
}

it("puts the lines into the cart and shows it", () => {
  press();
  expect(readCart()).toEqual([line]);
});

it("puts them in once, however often it is pressed while the cart is on its way", () => {
  press();
  document.querySelector("button")?.click();
  expect(readCart()).toEqual([line]);
  expect(goTo).toHaveBeenCalledOnce();

  // The page is left, and shown again from the browser's memory.
  dispatchEvent(new Event("pagehide"));
  document.querySelector("button")?.click();
  expect(readCart()).toEqual([{ ...line, quantity: 4 }]);
});

it("says that a full cart takes nothing", () => {
  const full = Array.from({ length: MAX_LINES }, (_each, index) => ({ ...line, product_id: 100 + index }));
  writeCart(full);
  press();
  expect(readCart()).toHaveLength(MAX_LINES);
  expect(document.querySelector<HTMLElement>("[data-reorder-full]")?.hidden).toBe(false);
});

it("says that a nearly full cart took a part, and adds that part once", () => {
  const others = Array.from({ length: MAX_LINES - 1 }, (_each, index) => ({
    ...line,
    product_id: 100 + index,
  }));
  writeCart(others);
  const lines = [line, { ...line, product_id: 13 }];
  document.querySelector("button")?.setAttribute("data-reorder", JSON.stringify(lines));
  press();

  expect(readCart()).toEqual([...others, line]);
  expect(goTo).not.toHaveBeenCalled();
  const notice = document.querySelector<HTMLElement>("[data-reorder-partly]");
  expect(notice?.hidden).toBe(false);
  expect(document.activeElement).toBe(notice);
  expect(document.querySelector<HTMLElement>("[data-reorder-full]")?.hidden).toBe(true);
  expect(document.querySelector("button")?.hidden).toBe(true);
});
