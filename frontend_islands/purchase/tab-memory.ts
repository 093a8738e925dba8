/** What the purchase remembers for as long as the tab is open. */
import { type CartLine, parseLines } from "@/lib/cart-storage";
import { tabStore } from "@/lib/storage";
import type { AddressPart } from "./early";

export const COUNTRY_KEY = "delivery-country";
export const FORM_KEY = "checkout-form";
export const ATTEMPT_KEY = "checkout-attempt";
/** The order that this tab placed last: `Ordered`. */
export const ORDERED_KEY = "checkout-ordered";

export interface Ordered {
  reference: string;
  lines: CartLine[];
}

/** The value that `writeTab` stored; null for none or a damaged one. */
export function readTab(key: string): unknown {
  try {
    return JSON.parse(tabStore.read(key) ?? "null");
  } catch {
    return null;
  }
}

/** The postcode and the country's name that were typed into the checkout's form. */
export function readAddressPart(): AddressPart {
  const { texts } = Object(readTab(FORM_KEY)) as { texts?: unknown };
  const { postalCode, customCountry } = Object(texts) as Record<keyof AddressPart, unknown>;
  return {
    postalCode: typeof postalCode === "string" ? postalCode : "",
    customCountry: typeof customCountry === "string" ? customCountry : "",
  };
}

/** What this tab ordered last; null for nothing, or when that is another order than the one of `reference`. */
export function readOrdered(reference: string | undefined): CartLine[] | null {
  const ordered = Object(readTab(ORDERED_KEY)) as Partial<Ordered>;
  const isOther = reference !== undefined && reference !== ordered.reference;
  return isOther || !ordered.lines ? null : parseLines(ordered.lines);
}

export function writeTab(key: string, value: unknown): void {
  tabStore.write(key, JSON.stringify(value));
}

export function dropTab(key: string): void {
  tabStore.remove(key);
}
