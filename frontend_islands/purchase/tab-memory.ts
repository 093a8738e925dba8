/** What the purchase remembers for as long as the tab is open. */
import { type CartLine, parseLines, readOwner } from "@/lib/cart-storage";
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

/** The checkout's form as `writeForm` stored it; empty for another member's, who may have signed out in another tab. */
export function readForm(): Record<string, unknown> {
  const form = Object(readTab(FORM_KEY)) as Record<string, unknown>;
  return form.owner === undefined || form.owner === readOwner() ? form : {};
}

export function writeForm(form: object): void {
  writeTab(FORM_KEY, { ...form, owner: readOwner() });
}

/** The postcode and the country's name that were typed into the checkout's form. */
export function readAddressPart(): AddressPart {
  const { postalCode, customCountry } = Object(readForm().texts) as Record<keyof AddressPart, unknown>;
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
