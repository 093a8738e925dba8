import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  CART_KEY,
  countUnits,
  MAX_LINES,
  MAX_QUANTITY,
  parseCart,
  readCart,
  readNames,
  storeCart,
  writeCart,
} from "./cart-storage";

const line = (product_id: number, quantity = 1) => ({
  product_id,
  variation_id: null,
  finish: null,
  quantity,
});
const stored = (lines: unknown, version: unknown = 1) => JSON.stringify({ version, lines });

describe("healing", () => {
  it.each([
    ["nothing", null],
    ["empty text", ""],
    ["half a document", '{"version":1,"lines":[{"prod'],
    ["another type", "42"],
    ["null", "null"],
    ["a list", "[]"],
    ["markup", "<script>alert(1)</script>"],
    ["no lines", '{"version":1}'],
    ["lines that are no list", '{"version":1,"lines":{"0":{}}}'],
    ["an older version", stored([line(1)], 0)],
    ["a newer version", stored([line(1)], 2)],
    ["a version of another type", stored([line(1)], "1")],
    ["a huge text", stored([line(1)]) + " ".repeat(20_000)],
  ])("reads %s as an empty cart", (_what, raw) => {
    expect(parseCart(raw)).toEqual([]);
  });

  it.each([
    ["a null line", null],
    ["a text", "1"],
    ["no product", { quantity: 1 }],
    ["markup for a product", { ...line(1), product_id: "<img src=x onerror=alert(1)>" }],
    ["markup for a finish", { ...line(1), finish: "<b>painted</b>" }],
    ["an unknown finish", { ...line(1), finish: "gold" }],
    ["a format that is no id", { ...line(1), variation_id: "2" }],
    ["a fraction", line(1, 1.5)],
    ["a negative quantity", line(1, -3)],
    ["no quantity", line(1, 0)],
    ["a text for a quantity", { ...line(1), quantity: "2" }],
    ["an unsafe number", line(2 ** 60)],
  ])("leaves out %s and keeps the rest", (_what, broken) => {
    expect(parseCart(stored([line(7), broken, line(8)]))).toEqual([line(7), line(8)]);
  });

  it("drops fields it does not know, amounts among them", () => {
    expect(parseCart(stored([{ ...line(1), price: "0.01", name: "<b>x</b>" }]))).toEqual([line(1)]);
  });

  it.each(["x", null, [1], 5])("reads a cart whose names are %j", (names) => {
    localStorage.setItem(CART_KEY, JSON.stringify({ version: 1, lines: [line(7)], names }));
    expect(readCart()).toEqual([line(7)]);
    storeCart([line(7)], { 7: "Golem" });
    expect(readNames()).toEqual({ 7: "Golem" });
  });

  it("keeps the names of its lines alone, and those of before where there is none now", () => {
    storeCart([line(1), line(2)], { 1: "Golem", 2: "Fée", 3: "Hibou" });
    storeCart([line(1), line(2)], { 2: "Sirène" });
    expect(readNames()).toEqual({ 1: "Golem", 2: "Sirène" });
    writeCart([line(2)]);
    expect(readNames()).toEqual({ 2: "Sirène" });
  });

  it("takes missing choices as none", () => {
    expect(parseCart(stored([{ product_id: 3, quantity: 2 }]))).toEqual([line(3, 2)]);
  });

  it("joins lines that are the same thing, up to the most", () => {
    expect(parseCart(stored([line(1, 2), line(2), line(1, 3)]))).toEqual([line(1, 5), line(2)]);
    expect(parseCart(stored([line(1, 60), line(1, 60)]))).toEqual([line(1, MAX_QUANTITY)]);
    expect(parseCart(stored([line(1, 100_000)]))).toEqual([line(1, MAX_QUANTITY)]);
  });

  it("keeps the first lines of too many", () => {
    const lines = Array.from({ length: MAX_LINES + 5 }, (_, index) => line(index + 1));
    expect(parseCart(stored(lines))).toEqual(lines.slice(0, MAX_LINES));
  });
});

describe("storage that the browser refuses", () => {
  it("keeps the cart as long as the page", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
      throw new DOMException("refused", "SecurityError");
    });

    writeCart([line(4)]);

    expect(readCart()).toEqual([line(4)]);
  });

  it("keeps what no longer fits as long as the page, not what is stored from before", () => {
    writeCart([line(4)]);
    const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    writeCart([line(4), line(5)]);
    expect(readCart()).toEqual([line(4), line(5)]);

    full.mockRestore();
    writeCart([line(5)]);
    expect(readCart()).toEqual([line(5)]);
    expect(parseCart(localStorage.getItem(CART_KEY))).toEqual([line(5)]);
  });
});

describe("the store", () => {
  let cart: typeof import("./cart");

  beforeEach(async () => {
    vi.resetModules();
    cart = await import("./cart");
  });

  const choice = { product_id: 5, variation_id: 2, finish: "painted" as const };
  const kept = () => JSON.parse(localStorage.getItem(CART_KEY) ?? "null");

  it("adds one line for each thing, and pieces to the line that is there", () => {
    expect(cart.addToCart(choice)).toBe(1);
    expect(cart.addToCart({ ...choice, finish: "unpainted" }, 2)).toBe(2);
    expect(cart.addToCart(choice)).toBe(1);

    expect(kept()).toEqual({
      version: 1,
      lines: [
        { product_id: 5, variation_id: 2, finish: "painted", quantity: 2 },
        { product_id: 5, variation_id: 2, finish: "unpainted", quantity: 2 },
      ],
      names: {},
    });
    expect(countUnits(cart.$lines.get())).toBe(4);
  });

  it("says how many it could not add", () => {
    expect(cart.addToCart(choice, MAX_QUANTITY - 1)).toBe(98);
    expect(cart.addToCart(choice, 3)).toBe(1);
    expect(cart.addToCart(choice)).toBe(0);
    expect(countUnits(cart.$lines.get())).toBe(MAX_QUANTITY);
  });

  it("takes no more than its lines", () => {
    writeCart(Array.from({ length: MAX_LINES }, (_, index) => line(index + 100)));

    expect(cart.addToCart(choice)).toBe(0);
    expect(readCart()).toHaveLength(MAX_LINES);
  });

  it("sets, limits and removes", () => {
    cart.addToCart(choice);
    const key = cart.lineKey(choice);
    expect(key).toBe("5:2:painted");

    cart.setQuantity(key, 7);
    expect(countUnits(cart.$lines.get())).toBe(7);
    cart.setQuantity(key, 700);
    expect(countUnits(cart.$lines.get())).toBe(MAX_QUANTITY);
    cart.setQuantity("5::", 3);
    expect(countUnits(cart.$lines.get())).toBe(MAX_QUANTITY);
    cart.removeLine(key);
    expect(kept()).toEqual({ version: 1, lines: [], names: {} });
  });

  it("empties", () => {
    cart.addToCart(choice);
    cart.clearCart();
    expect(cart.$lines.get()).toEqual([]);
    expect(kept()).toEqual({ version: 1, lines: [], names: {} });
  });

  it("follows another tab", () => {
    localStorage.setItem(CART_KEY, stored([line(9, 3)]));
    dispatchEvent(new StorageEvent("storage", { key: CART_KEY }));
    expect(cart.$lines.get()).toEqual([line(9, 3)]);

    localStorage.clear();
    dispatchEvent(new StorageEvent("storage", { key: null }));
    expect(cart.$lines.get()).toEqual([]);
  });

  it("does not lose what another tab wrote a moment ago", () => {
    cart.addToCart(choice);
    // Written by the other tab; its storage event has not arrived yet.
    localStorage.setItem(CART_KEY, stored([{ ...choice, quantity: 1 }, line(9)]));

    cart.addToCart(choice);

    expect(readCart()).toEqual([{ ...choice, quantity: 2 }, line(9)]);
    expect(countUnits(cart.$lines.get())).toBe(3);
  });

  it("tells the page", () => {
    const heard: unknown[] = [];
    document.addEventListener("cart:changed", (event) => heard.push((event as CustomEvent).detail));

    cart.addToCart(choice, 2);

    expect(heard).toEqual([{ count: 2 }]);
  });

  it("starts over from a damaged cart with the next change", () => {
    localStorage.setItem(CART_KEY, "{{{");
    cart.addToCart(choice);
    expect(kept().lines).toEqual([{ ...choice, quantity: 1 }]);
  });
});
