/**
 * The cart as the browser stores it: what was chosen, never what it costs.
 *
 * `localStorage["cart"] = {"version":1,"lines":[{"product_id":1,"variation_id":null,"finish":"painted","quantity":1}]}`
 *
 * Anything else may be there (an older or newer version, another program, a hand that edited it): what is read
 * is checked field by field and what does not fit is left out.
 */
import { LIMITS } from "@/api/limits";
import { type Choice, isFinish } from "./choice";
import { emit } from "./events";
import { browserStore } from "./storage";

export interface CartChoice extends Choice {
  product_id: number;
}

export interface CartLine extends CartChoice {
  quantity: number;
}

export const CART_KEY = "cart";
/** The server prices no more at once. */
export const MAX_LINES = LIMITS.QuoteRequestRequest.lines;
export const MAX_QUANTITY = LIMITS.LineRequest.quantity;
const VERSION = 1;
/** Forty lines take less than 4,000 characters. */
const LONGEST = 20_000;

/** One text for each thing that can be bought: lines with the same key are one line. */
export function lineKey({ product_id, variation_id, finish }: CartChoice): string {
  return `${product_id}:${variation_id ?? ""}:${finish ?? ""}`;
}

/** The lines found in a stored text; an empty list when it is missing, damaged, too long or of another version. */
export function parseCart(raw: string | null): CartLine[] {
  if (!raw || raw.length > LONGEST) return [];
  let stored: { version?: unknown; lines?: unknown } | null;
  try {
    stored = JSON.parse(raw);
  } catch {
    return [];
  }
  if (stored?.version !== VERSION || !Array.isArray(stored.lines)) return [];
  const found = new Map<string, CartLine>();
  for (const candidate of stored.lines) {
    const line = parseLine(candidate);
    if (!line) continue;
    const key = lineKey(line);
    const known = found.get(key);
    if (known) known.quantity = Math.min(known.quantity + line.quantity, MAX_QUANTITY);
    else if (found.size < MAX_LINES) found.set(key, line);
  }
  return [...found.values()];
}

function parseLine(candidate: unknown): CartLine | null {
  const { product_id, variation_id = null, finish = null, quantity } = Object(candidate) as Partial<CartLine>;
  if (!isCount(product_id) || !isCount(quantity)) return null;
  if (variation_id !== null && !isCount(variation_id)) return null;
  if (finish !== null && !isFinish(finish)) return null;
  return { product_id, variation_id, finish, quantity: Math.min(quantity, MAX_QUANTITY) };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** The cart of this moment, other tabs included. */
export function readCart(): CartLine[] {
  return parseCart(browserStore.read(CART_KEY));
}

/** Stores the lines and emits `cart:changed`; other tabs get the `storage` event. */
export function writeCart(lines: readonly CartLine[]): void {
  browserStore.write(CART_KEY, JSON.stringify({ version: VERSION, lines }));
  emit("cart:changed", { count: countUnits(lines) });
}

export function countUnits(lines: readonly CartLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity, 0);
}
