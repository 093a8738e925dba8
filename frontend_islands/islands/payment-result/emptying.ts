/** Emptying the cart, once for each payment. */
import { clearCart } from "@/lib/cart";
import { ATTEMPT_KEY, dropSession, FORM_KEY } from "@/purchase/session";

/** The payment that emptied this browser's cart last. */
const EMPTIED_KEY = "cart-emptied-by";

/**
 * The cart was bought: it is emptied, here and in the other tabs, and the next order gets a key of its own.
 *
 * Opening the page of the same payment again (from the history, from a bookmark) leaves the cart of that moment
 * alone. Returns whether the cart was emptied.
 */
export function emptyBoughtCart(sessionId: string): boolean {
  try {
    if (localStorage.getItem(EMPTIED_KEY) === sessionId) return false;
    localStorage.setItem(EMPTIED_KEY, sessionId);
  } catch {
    // Refused storage holds no cart either that would outlive the page.
  }
  clearCart();
  dropSession(ATTEMPT_KEY);
  dropSession(FORM_KEY);
  return true;
}
