/** The cart as a test meets it. */
import { screen } from "@testing-library/react";
import { vi } from "vitest";
import { Cart } from "@/islands/cart";
import { addToCart, type CartLine, clearCart } from "@/lib/cart";
import { type Asked, cartLine, countries, json, quote, quoted } from "./purchase";

const links = { catalogue: "/produits", checkout: "/checkout" };
export const island = (
  <Cart
    countries={countries}
    default_country="FR"
    payment_methods={[{ icon: "card", name: "Carte bancaire" }]}
    links={links}
  />
);

export const guardian = quoted();
export const bust = quoted({
  key: "20::",
  product_id: 20,
  variation_id: null,
  finish: null,
  name: "Buste",
  finish_label: "",
  variation_name: "",
  quantity: 1,
  unit_price: "40.00",
  original_price: null,
  line_total: "40.00",
});

/** Prices what was asked: quantities as sent, amounts as in the fixtures. */
export const answerTo = (...lines: (typeof guardian)[]) =>
  vi.fn(({ body }: Asked) => {
    const found = (body.lines as CartLine[]).flatMap((line) => {
      const known = lines.find((each) => each.product_id === line.product_id);
      return known ? [{ ...known, quantity: line.quantity }] : [];
    });
    return json(quote(found, { country: body.country }));
  });

export function fill(...lines: (typeof guardian)[]) {
  for (const line of lines) addToCart(cartLine(line), line.quantity);
}

export const removeButton = (name: string) => screen.getByRole("button", { name: `Retirer ${name}` });
export const checkoutLink = () => screen.getByRole("link", { name: "Passer la commande" });

/** An empty cart, in a browser whose dialogs open (jsdom's don't). */
export function startEmpty() {
  clearCart();
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
    this.dispatchEvent(new Event("close"));
  };
}
