/** The cart that islands read and change. Amounts are the server's: see `POST /api/cart/quote`. */
import { atom } from "nanostores";
import {
  CART_KEY,
  type CartChoice,
  type CartLine,
  lineKey,
  MAX_LINES,
  MAX_QUANTITY,
  readCart,
  writeCart,
} from "./cart-storage";

export {
  type CartChoice,
  type CartLine,
  lineKey,
  MAX_LINES,
  MAX_QUANTITY,
} from "./cart-storage";

import { emit } from "./events";

/** The lines in the order they were added. Follows other tabs. */
export const $lines = atom<readonly CartLine[]>(readCart());

const reread = () => $lines.set(readCart());
document.addEventListener("cart:changed", reread);
addEventListener("storage", (event) => {
  // A null key: everything was cleared at once.
  if (event.key === CART_KEY || event.key === null) reread();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) reread();
});

/**
 * Adds pieces, to the line that has the same product, format and finish or as a new one.
 *
 * Returns how many were really added: fewer than asked at `MAX_QUANTITY` a line or at `most`, the units that are in
 * stock; none when the cart has `MAX_LINES` other lines.
 */
export function addToCart(choice: CartChoice, quantity = 1, most: number = MAX_QUANTITY): number {
  const limit = Math.min(most, MAX_QUANTITY);
  let added = 0;
  change((lines) => {
    const key = lineKey(choice);
    const known = lines.find((line) => lineKey(line) === key);
    if (known) {
      added = Math.max(0, Math.min(quantity, limit - known.quantity));
      known.quantity += added;
    } else if (lines.length < MAX_LINES) {
      added = Math.min(quantity, limit);
      const { product_id, variation_id, finish } = choice;
      lines.push({ product_id, variation_id, finish, quantity: added });
    }
    return lines;
  });
  if (added) emit("cart:added", { productId: choice.product_id, quantity: added });
  return added;
}

/** Sets a line's quantity, at most `MAX_QUANTITY`; 0 or less removes the line. */
export function setQuantity(key: string, quantity: number): void {
  change((lines) =>
    lines
      .map((line) => (lineKey(line) === key ? { ...line, quantity: Math.min(quantity, MAX_QUANTITY) } : line))
      .filter((line) => line.quantity > 0),
  );
}

export function removeLine(key: string): void {
  setQuantity(key, 0);
}

export function clearCart(): void {
  change(() => []);
}

/** Starts from what is stored now, so that a change made in another tab a moment ago is not lost. */
function change(next: (lines: CartLine[]) => CartLine[]): void {
  writeCart(next(readCart()));
}
