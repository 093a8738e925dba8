/** What the purchase panel of a product's page is given, and how tests use it. */
import { screen } from "@testing-library/react";
import { vi } from "vitest";
import type { BuyOffer, ProductBuyProps } from "@/api/types";
import { $lines } from "@/lib/cart";
import { type CartLine, lineKey } from "@/lib/cart-storage";
import { type Asked, json, quote, quoted, serve } from "@/testing/purchase";

export const answer = vi.fn(({ body }: Asked) => {
  const [line] = body.lines as CartLine[];
  return json(quote(line ? [quoted({ ...line, key: lineKey(line) })] : [], { item_count: 1 }));
});

/** An empty cart, a server that prices it, and dialogs, which jsdom lacks. */
export function openShop(): void {
  answer.mockClear();
  $lines.set([]);
  serve({ "/api/cart/quote": answer });
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
    this.dispatchEvent(new Event("close"));
  };
}

export const offer = (
  finish: BuyOffer["finish"],
  variation_id: number | null,
  price: string,
  more: Partial<BuyOffer> = {},
): BuyOffer => ({
  finish,
  variation_id,
  price,
  price_text: `${price.replace(".", ",")} €`,
  original_price: null,
  original_price_text: null,
  available: true,
  available_quantity: null,
  stock_text: "",
  ...more,
});

const photo = (url: string) => ({ url, width: 64, height: 64, alt: "" });

export const figurine: ProductBuyProps = {
  product_id: 12,
  name: "Gardien aux andouillers",
  available: true,
  unavailable_text: "Rupture de stock",
  promotion_badge: "2 ACHETÉS 1 OFFERT",
  promotion_text: "2 achetés, 1 offert",
  cart_url: "/panier",
  checkout_url: "/checkout",
  home_country: "FR",
  finishes: [
    { code: "painted", label: "Peint", image: photo("/p.webp"), available: true, reason: "" },
    { code: "unpainted", label: "Non peint", image: photo("/u.webp"), available: true, reason: "" },
  ],
  variations: [
    { id: 3, name: "15 cm", is_default: true, available: true },
    { id: 4, name: "25 cm", is_default: false, available: true },
    { id: 5, name: "40 cm", is_default: false, available: false },
  ],
  offers: [
    offer("painted", 3, "189.00", { original_price: "219.00", original_price_text: "219,00 €" }),
    offer("painted", 4, "289.00"),
    offer("painted", 5, "489.00", { available: false }),
    offer("unpainted", 3, "89.00"),
    offer("unpainted", 4, "139.00", { available: false }),
    offer("unpainted", 5, "239.00", { available: false }),
  ],
  selected: { finish: "painted", variation_id: 3 },
};

export const plain: ProductBuyProps = {
  ...figurine,
  promotion_badge: "",
  promotion_text: "",
  finishes: [],
  variations: [],
  offers: [offer(null, null, "24.90")],
  selected: { finish: null, variation_id: null },
};

export const price = () => document.querySelector(".buy__price")?.textContent?.trim();
export const radio = (name: RegExp) => screen.getByRole<HTMLInputElement>("radio", { name });
export const addButton = () => screen.getByRole<HTMLButtonElement>("button", { name: "Ajouter au panier" });
