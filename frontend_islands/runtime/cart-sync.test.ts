import { waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { readCart, writeCart } from "@/lib/cart-storage";
import { CartServer } from "@/testing/cart-server";

const line = (product_id: number, quantity = 1) => ({
  product_id,
  variation_id: null,
  finish: null,
  quantity,
});
const NOTICES = `<div id="toasts" data-close="Fermer">
  <template data-notice="cart_joined" data-kind="info" data-title="Votre panier vous a suivi" data-action="Annuler">
    Ajouté depuis votre compte : {}</template>
  <template data-notice="cart_undone" data-kind="info" data-title="Retiré" data-action="Remettre"></template>
  <template data-notice="cart_full" data-kind="error" data-title="Trop long">x</template></div>`;
const press = () => document.querySelector<HTMLElement>(".toast__action")?.click();
const said = () => document.querySelector(".toast")?.textContent;

let server: CartServer;

beforeEach(() => {
  vi.resetModules();
  server = new CartServer();
  vi.stubGlobal("fetch", server.answer);
  vi.spyOn(document, "cookie", "get").mockReturnValue("member=1");
  document.body.innerHTML = NOTICES;
});

// First: pages of later tests go on listening.
it("changes nothing of a cart that is being ordered", async () => {
  server.set([line(1)]);
  writeCart([line(2)]);
  document.body.innerHTML += '<x-island name="checkout"></x-island>';
  await import("./cart-sync");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.calls).toEqual([]);
  expect(readCart()).toEqual([line(2)]);
});

it("names what the account brought, takes it out again and puts it back", async () => {
  server.set([line(1, 2), line(2)]);
  writeCart([line(1)]);

  await import("./cart-sync");
  await waitFor(() =>
    expect(said()).toBe("Votre panier vous a suiviAjouté depuis votre compte : Pièce 1, Pièce 2Annuler×"),
  );
  press();
  await waitFor(() => expect(server.cart).toEqual({ 1: 1 }));
  expect(readCart()).toEqual([line(1)]);
  expect(said()).toBe("RetiréRemettre×");

  press();
  await waitFor(() => expect(server.cart).toEqual({ 1: 2, 2: 1 }));
  expect(readCart()).toEqual([line(1, 2), line(2)]);
});

it("saves a change at once, and asks again when the page comes back", async () => {
  await import("./cart-sync");
  await waitFor(() => expect(server.calls).toEqual(["GET /api/me"]));
  writeCart([line(3)]);
  await waitFor(() => expect(server.cart).toEqual({ 3: 1 }));

  server.set([line(3), line(4)]);
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await waitFor(() => expect(readCart()).toEqual([line(3), line(4)]));
});

it("says when both carts are too long together", async () => {
  server.set(Array.from({ length: 40 }, (_, index) => line(index + 1)));
  writeCart([line(99)]);
  await import("./cart-sync");
  await waitFor(() => expect(said()).toBe("Trop longcart_full×"));
  expect(readCart()).toEqual([line(99)]);
});
