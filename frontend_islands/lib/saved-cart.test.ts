import { beforeEach, describe, expect, it } from "vitest";
import { Browser, CartServer } from "@/testing/cart-server";
import { isSameCart, mergeCarts } from "./cart-merge";
import type { CartLine } from "./cart-storage";

const choice = (product_id: number) => ({ product_id, variation_id: null, finish: null });
const line = (product_id: number, quantity = 1): CartLine => ({ ...choice(product_id), quantity });
const key = (product_id: number) => `${product_id}::`;

let server: CartServer;
let phone: Browser;
let laptop: Browser;
let tablet: Browser;

beforeEach(() => {
  server = new CartServer();
  [phone, laptop, tablet] = [new Browser(server), new Browser(server), new Browser(server)];
});

/** What the calls were, without the question who is there. */
const calls = () => server.calls.filter((call) => call !== "GET /api/me");

describe("merging what was changed apart", () => {
  it.each([
    ["what both added", [3], [2], [1], [4]],
    ["what one side added", [1], [5], [1], [5]],
    ["what the other side added", [5], [1], [1], [5]],
    ["removals on one side", [4], [1], [4], [1]],
    ["a removal on both sides, once", [1], [1], [3], [1]],
    ["a removal on both sides, the larger one", [2], [0], [3], [0]],
    ["a removal here and an addition there", [2], [0], [1], [1]],
    ["a removal there and an addition here", [0], [2], [1], [1]],
    ["more than a line may have", [80], [80], [0], [99]],
    ["nothing new", [2], [2], [2], [2]],
  ])("counts %s", (_what, [saved], [mine], [seen], [merged]) => {
    const cart = (quantity = 0) => (quantity ? [line(1, quantity)] : []);
    expect(mergeCarts(cart(saved), cart(mine), cart(seen))).toEqual(cart(merged));
  });

  it("keeps the order of the saved cart, then what is new here", () => {
    const merged = mergeCarts([line(3), line(1)], [line(2), line(1), line(4)], [line(1)]);
    expect(merged.map(({ product_id }) => product_id)).toEqual([3, 1, 2, 4]);
  });

  it("tells finishes and formats of a piece apart", () => {
    const painted: CartLine = { ...line(1), finish: "painted" };
    expect(mergeCarts([line(1)], [painted], [])).toEqual([line(1), painted]);
    expect(isSameCart([line(1)], [painted])).toBe(false);
    expect(isSameCart([line(1), painted], [painted, line(1)])).toBe(true);
  });
});

it("asks nothing for a visitor who is not signed in", async () => {
  await phone.page((cart) => void cart.addToCart(choice(1)));
  expect(server.calls).toEqual([]);
  expect(phone.cart).toEqual({ 1: 1 });
});

it("asks nothing about the cart of a member who has none", async () => {
  phone.signIn();
  await phone.page();
  expect(server.calls).toEqual(["GET /api/me"]);
});

it("joins the browser's lines and the saved ones, says what came, and asks no more on the next page", async () => {
  server.set([line(1, 2), line(2)]);
  await phone.page((cart) => {
    cart.addToCart(choice(2), 3);
    cart.addToCart(choice(3));
  });
  phone.signIn();
  await phone.page();

  const both = { 1: 2, 2: 3, 3: 1 };
  expect(phone.cart).toEqual(both);
  expect(server.cart).toEqual(both);
  expect(phone.brought).toEqual(["Pièce 1 × 2"]);
  expect(calls()).toEqual(["PUT /api/cart/saved"]);

  await phone.page();
  expect(calls()).toHaveLength(1);
  expect(phone.brought).toHaveLength(1);
});

it("brings a saved cart into an empty browser with one call", async () => {
  server.set([line(1, 2)]);
  phone.signIn();
  await phone.page();
  expect(phone.cart).toEqual({ 1: 2 });
  expect(phone.brought).toEqual(["Pièce 1 × 2"]);
  expect(calls()).toEqual(["GET /api/cart/saved"]);
});

it("says nothing of what other devices add later", async () => {
  phone.signIn();
  await phone.page();
  server.set([line(1)]);
  await phone.page();
  expect(phone.cart).toEqual({ 1: 1 });
  expect(phone.brought).toEqual([]);
});

it("follows three devices, and loses and doubles nothing", async () => {
  for (const browser of [phone, laptop, tablet]) browser.signIn();
  await phone.page((cart) => void cart.addToCart(choice(1)));
  await laptop.page((cart) => void cart.addToCart(choice(2)));
  await tablet.page((cart) => {
    cart.addToCart(choice(1), 2);
    cart.removeLine(key(2));
  });
  await phone.page((cart) => void cart.addToCart(choice(3)));
  await laptop.page();

  const all = { 1: 3, 3: 1 };
  expect(server.cart).toEqual(all);
  expect(phone.cart).toEqual(all);
  expect(laptop.cart).toEqual(all);
  await tablet.page();
  expect(tablet.cart).toEqual(all);
});

it("adds its change to that of a faster device", async () => {
  server.set([line(1), line(2)]);
  phone.signIn();
  await phone.page();
  server.before = () => server.set([line(1, 2), line(5)]);

  await phone.page((cart) => void cart.addToCart(choice(1)));

  expect(server.cart).toEqual({ 1: 3, 5: 1 });
  expect(phone.cart).toEqual({ 1: 3, 5: 1 });
});

it("gives up on a page where others are always faster, and goes on at the next", async () => {
  server.set([line(1)]);
  phone.signIn();
  await phone.page();
  const faster = () => {
    server.set([line(1), line(9, server.version)]);
    server.before = faster;
  };
  server.before = faster;
  await phone.page((cart) => void cart.addToCart(choice(2)));
  expect(phone.cart[2]).toBe(1);
  expect(server.cart[2]).toBeUndefined();

  server.before = undefined;
  await phone.page();
  expect(server.cart[2]).toBe(1);
  expect(server.cart).toEqual(phone.cart);
});

it.each(["is lost", "loses its answer"] as const)("counts a write once that %s", async (fate) => {
  server.set([line(1)]);
  phone.signIn();
  await phone.page();
  server.fates = [fate, fate, fate];
  await phone.page((cart) => void cart.addToCart(choice(1)));
  expect(phone.cart).toEqual({ 1: 2 });

  // Meanwhile another device adds one too, and this one adds more before it gets through.
  laptop.signIn();
  await laptop.page((cart) => void cart.addToCart(choice(1)));
  await phone.page((cart) => void cart.addToCart(choice(1)));
  await laptop.page();

  expect(server.cart).toEqual({ 1: 4 });
  expect(phone.cart).toEqual({ 1: 4 });
  expect(laptop.cart).toEqual({ 1: 4 });
});

it("joins once when the answer to the joining is lost", async () => {
  server.set([line(1)]);
  await phone.page((cart) => void cart.addToCart(choice(2)));
  phone.signIn();
  server.fates = ["loses its answer", "loses its answer"];
  await phone.page();
  expect(server.cart).toEqual({ 1: 1, 2: 1 });
  laptop.signIn();
  await laptop.page((cart) => cart.removeLine(key(2)));

  await phone.page();

  // Removed on the laptop after the joining: it does not come back.
  expect(server.cart).toEqual({ 1: 1 });
  expect(phone.cart).toEqual({ 1: 1 });
});

it("sends what was changed while a call was on its way", async () => {
  phone.signIn();
  await phone.page((cart) => {
    for (let piece = 0; piece < 5; piece += 1) cart.addToCart(choice(1));
    cart.addToCart(choice(2));
  });
  expect(server.cart).toEqual({ 1: 5, 2: 1 });
  expect(calls().length).toBeLessThanOrEqual(3);
});

it("leaves nothing in the browser after signing out, whoever looks", async () => {
  server.set([line(1), line(2)]);
  phone.signIn();
  await phone.page((cart) => void cart.addToCart(choice(3)));
  server.fates = ["is lost", "is lost"];
  await phone.page((cart) => void cart.addToCart(choice(4)));
  sessionStorage.setItem("checkout-form", '{"texts":{"address":"3 rue des Carmes"}}');

  phone.signOut();
  await phone.page();

  expect(phone.cart).toEqual({});
  expect(phone.keys).toEqual(["cart"]);
  expect(sessionStorage).toHaveLength(0);
  expect(server.cart).toEqual({ 1: 1, 2: 1, 3: 1 });
});

it("shows the next member nothing of the one before, who did not sign out", async () => {
  server.set([line(1)]);
  phone.signIn();
  await phone.page();
  const other = new CartServer();
  other.owner = "b".repeat(16);
  other.set([line(7)]);
  (phone as { server: CartServer }).server = other;

  await phone.page();

  expect(phone.cart).toEqual({ 7: 1 });
  expect(other.cart).toEqual({ 7: 1 });
  expect(server.cart).toEqual({ 1: 1 });
});

it("keeps as a visitor's what a session that ended could not save", async () => {
  server.set([line(1)]);
  phone.signIn();
  await phone.page();
  server.isSignedIn = false;
  await phone.page((cart) => void cart.addToCart(choice(2)));
  await phone.page();
  expect(phone.cart).toEqual({ 2: 1 });

  server.isSignedIn = true;
  phone.signIn();
  await phone.page();
  expect(phone.cart).toEqual({ 1: 1, 2: 1 });
  expect(server.cart).toEqual({ 1: 1, 2: 1 });
});

async function endUnderOrder() {
  (await import("./cart-copy")).keepCopy();
  phone.expire();
}

it("keeps an order's lines where the session ended under it, until the member is back", async () => {
  server.set([line(1)]);
  phone.signIn();
  await phone.page(endUnderOrder);
  await phone.page((cart) => void cart.addToCart(choice(2)));
  expect(phone.cart).toEqual({ 1: 1, 2: 1 });

  phone.signIn();
  await phone.page();
  expect(server.cart).toEqual({ 1: 1, 2: 1 });
  phone.expire();
  await phone.page();
  expect(phone.cart).toEqual({});
});

it("gives another member nothing of a kept order, nor what was typed for it", async () => {
  server.set([line(1)]);
  phone.signIn();
  await phone.page(endUnderOrder);
  phone.signIn();
  sessionStorage.setItem("checkout-form", '{"texts":{"address":"3 rue des Carmes"}}');
  server.owner = "b".repeat(16);
  server.set([line(7)]);
  await phone.page();

  expect(phone.cart).toEqual({ 7: 1 });
  expect(server.cart).toEqual({ 7: 1 });
  expect(sessionStorage).toHaveLength(0);
});

it("takes the account's lines away when the cookie ended by itself", async () => {
  server.set([line(1)]);
  phone.signIn();
  await phone.page();
  phone.expire();
  await phone.page();
  expect(phone.cart).toEqual({});
});

it("empties every device of what was paid, and keeps what was added meanwhile", async () => {
  server.set([line(1, 2)]);
  for (const browser of [phone, laptop]) {
    browser.signIn();
    await browser.page();
  }
  await laptop.page((cart) => void cart.addToCart(choice(5)));
  // The provider's message is settled by the server.
  server.set(server.lines.filter(({ product_id }) => product_id !== 1));

  await phone.page();
  await laptop.page();

  expect(phone.cart).toEqual({ 5: 1 });
  expect(laptop.cart).toEqual({ 5: 1 });
});

it("joins the saved lines after an order with which somebody signed in, and never the order again", async () => {
  server.set([line(1)]);
  await phone.page((cart) => void cart.addToCart(choice(2)));
  // The order: the server puts its lines into the saved cart.
  await phone.page(async () => {
    const { noteOrdered } = await import("./cart-copy");
    server.set([line(1), line(2)]);
    noteOrdered(server.owner, [line(2)]);
  });
  expect(phone.cart).toEqual({ 2: 1 });
  // The customer pays and comes back to any page.
  server.set([line(1)]);
  phone.signIn();
  await phone.page();

  expect(phone.cart).toEqual({ 1: 1 });
  expect(server.cart).toEqual({ 1: 1 });
  expect(phone.brought).toEqual(["Pièce 1 × 1"]);
});

it("leaves carts that are too long together apart, and tries again", async () => {
  server.set(Array.from({ length: 30 }, (_, index) => line(index + 1)));
  await phone.page((cart) => {
    for (let id = 31; id <= 41; id += 1) cart.addToCart(choice(id));
  });
  phone.signIn();
  await phone.page();
  expect(Object.keys(phone.cart)).toHaveLength(11);
  expect(server.lines).toHaveLength(30);
  expect(phone.full[0]).toBe("cart_full");

  await phone.page((cart) => cart.removeLine(key(41)));
  expect(server.lines).toHaveLength(40);
  expect(Object.keys(phone.cart)).toHaveLength(40);
});

it.each(["{{{", "7", '{"owner":1}', '{"owner":"x","version":"1"}'])("heals the copy %s", async (text) => {
  server.set([line(1)]);
  localStorage.clear();
  phone.signIn();
  await phone.page(() => localStorage.setItem("cart-copy", text));
  await phone.page();
  expect(phone.cart).toEqual({ 1: 1 });
  expect(server.cart).toEqual({ 1: 1 });
});
