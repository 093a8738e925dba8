/** Which choices there are, which one is the first, and whether the visitor's own order reserves a piece. */

import type { BuyOffer, ProductBuyProps } from "@/api/types";
import { postJson } from "@/lib/api";
import { type CartChoice, lineKey, readCart } from "@/lib/cart-storage";
import type { Choice } from "@/lib/choice";

type Offers = Pick<ProductBuyProps, "finishes" | "variations" | "offers" | "selected">;

export function offerFor(
  offers: readonly BuyOffer[],
  { finish, variation_id }: Choice,
): BuyOffer | undefined {
  return offers.find((offer) => offer.finish === finish && offer.variation_id === variation_id);
}

/** Whether a finish can be bought in any format. */
export function isFinishOpen({ finishes, offers }: Offers, code: string): boolean {
  const isOffered = finishes.some((finish) => finish.code === code && finish.available);
  return isOffered && offers.some((offer) => offer.finish === code && offer.available);
}

/** Whether a format can be bought in the finish that is chosen. */
export function isVariationOpen(
  { variations, offers }: Offers,
  id: number,
  finish: Choice["finish"],
): boolean {
  const isOffered = variations.some((variation) => variation.id === id && variation.available);
  return isOffered && offerFor(offers, { finish, variation_id: id })?.available === true;
}

/** The choice with another finish; the format changes too if it cannot be had in that finish. */
export function withFinish(all: Offers, choice: Choice, finish: Choice["finish"]): Choice {
  if (choice.variation_id === null || isVariationOpen(all, choice.variation_id, finish)) {
    return { ...choice, finish };
  }
  const open = all.variations.filter(({ id }) => isVariationOpen(all, id, finish));
  const other = open.find(({ is_default }) => is_default) ?? open[0];
  return { finish, variation_id: other?.id ?? choice.variation_id };
}

/** What is chosen when the page opens: the server's choice, or what the visitor chose in its form meanwhile. */
export function firstChoice(all: Offers, wish: Choice): Choice {
  const asked = {
    finish: wish.finish ?? all.selected.finish,
    variation_id: wish.variation_id ?? all.selected.variation_id,
  };
  return offerFor(all.offers, asked)?.available ? asked : all.selected;
}

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
