/** Carts that were changed apart, brought together. */
import { LIMITS } from "@/api/limits";
import type { CartChoice, CartLine } from "./cart-storage";

/** The most of a line. */
export const MAX_QUANTITY = LIMITS.LineRequest.quantity;

/** One text for each thing that can be bought: lines with the same key are one line. */
export function lineKey({ product_id, variation_id, finish }: CartChoice): string {
  return `${product_id}:${variation_id ?? ""}:${finish ?? ""}`;
}

/**
 * What becomes of `saved` and `mine`, both changed since they were `seen`. For each thing:
 *
 * - what was added on one side or on both is added up, and taken away from where one side removed some;
 * - where both sides removed some, the smaller quantity stays: neither removal counts twice.
 *
 * The order is that of `saved`, then what only `mine` has. `mergeCarts([], mine, seen)` is what was added to `seen`,
 * `mergeCarts(mine, [], taken)` is `mine` without what was `taken`.
 */
export function mergeCarts(
  saved: readonly CartLine[],
  mine: readonly CartLine[],
  seen: readonly CartLine[],
): CartLine[] {
  const [before, here, there] = [seen, mine, saved].map(quantities) as [Counts, Counts, Counts];
  const lines = new Map([...saved, ...mine].map((line) => [lineKey(line), line]));
  const merged: CartLine[] = [];
  for (const [key, line] of lines) {
    const [was, own, other] = [before, here, there].map((counts) => counts.get(key) ?? 0) as [
      number,
      number,
      number,
    ];
    const quantity = own < was && other < was ? Math.min(own, other) : own + other - was;
    if (quantity > 0) merged.push({ ...line, quantity: Math.min(quantity, MAX_QUANTITY) });
  }
  return merged;
}

/** Of each thing the larger quantity. */
export function largerOf(one: readonly CartLine[], other: readonly CartLine[]): CartLine[] {
  const [first, second] = [one, other].map(quantities) as [Counts, Counts];
  const lines = new Map([...other, ...one].map((line) => [lineKey(line), line]));
  return [...lines].map(([key, line]) => ({
    ...line,
    quantity: Math.max(first.get(key) ?? 0, second.get(key) ?? 0),
  }));
}

/** Whether two carts hold the same, in whatever order. */
export function isSameCart(one: readonly CartLine[], other: readonly CartLine[]): boolean {
  const counts = quantities(other);
  return one.length === other.length && one.every((line) => counts.get(lineKey(line)) === line.quantity);
}

type Counts = Map<string, number>;

function quantities(lines: readonly CartLine[]): Counts {
  return new Map(lines.map((line) => [lineKey(line), line.quantity]));
}
