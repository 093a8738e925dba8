/** Fetched by the pages of members: their cart is the account's, and what it brings is said. */
import { mergeCarts } from "@/lib/cart-merge";
import { readCart, writeCart } from "@/lib/cart-storage";
import { listen } from "@/lib/events";
import { type BroughtLine, listenToAccount, syncCart } from "@/lib/saved-cart";
import { showNotice } from "./notice";

/** A tab that comes back to the front asks again after this time. */
const STALE_MS = 30_000;

// What is being ordered stays what it is: the account's other pieces join it on the next page.
if (!document.querySelector('x-island[name="checkout"]')) start();

function start(): void {
  let asked = Date.now();
  const ask = () => {
    asked = Date.now();
    void syncCart({ isFresh: true });
  };
  listenToAccount({ onBrought: sayBrought, onFull: (detail) => showNotice("cart_full", detail) });
  listen("cart:changed", () => void syncCart());
  addEventListener("pageshow", ({ persisted }) => persisted && ask());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && Date.now() - asked > STALE_MS) ask();
  });
  void syncCart();
}

function sayBrought(lines: BroughtLine[]): void {
  const names = lines.map(({ name, quantity }) => (quantity > 1 ? `${name}\u00a0×\u00a0${quantity}` : name));
  const putBack = () => writeCart(mergeCarts(readCart(), lines, []));
  const takeOut = () => {
    writeCart(mergeCarts(readCart(), [], lines));
    showNotice("cart_undone", "", putBack);
  };
  showNotice("cart_joined", names.filter(Boolean).join(", "), takeOut);
}
