import { postJson } from "@/lib/api";
import { type CartChoice, lineKey, readCart } from "@/lib/cart-storage";

/**
 * Whether a sold-out piece is sold out because this very visitor's unpaid order holds it. Only a piece in their cart
 * can be (the cart stays until the payment), so nobody else's browser asks. False when the server does not answer.
 */
export async function isHeldForVisitor(choice: CartChoice): Promise<boolean> {
  const line = readCart().find((each) => lineKey(each) === lineKey(choice));
  if (!line) return false;
  try {
    const quote = await postJson<{ lines?: { available?: boolean; reserved?: boolean }[] }>(
      "/api/cart/quote",
      { lines: [line] },
      { isAnonymous: true },
    );
    const found = quote.lines?.[0];
    return found?.available === true && found.reserved === true;
  } catch {
    return false;
  }
}
