/**
 * The cart as the browser stores it: what was chosen, never what it costs. `names`, by product, are what the pieces
 * were called when they were priced last: the server names none that has left the catalogue.
 *
 * `localStorage["cart"] = {"version":1,"lines":[{"product_id":1,"variation_id":null,"finish":"painted","quantity":1}],
 * "names":{"1":"Gardien"}}`
 *
 * Anything else may be there (an older or newer version, another program, a hand that edited it): what is read
 * is checked field by field and what does not fit is left out.
 *
 * A member's lines are a copy of their saved cart (`cart-copy.ts`); the first look after signing out takes them away.
 */
import { LIMITS } from "@/api/limits";
import { lineKey, MAX_QUANTITY, mergeCarts } from "./cart-merge";
import { type Choice, isFinish } from "./choice";
import { emit } from "./events";
import { mayBeMember } from "./me";
import { browserStore, tabStore } from "./storage";

export { lineKey, MAX_QUANTITY } from "./cart-merge";

export interface CartChoice extends Choice {
  product_id: number;
}

export interface CartLine extends CartChoice {
  quantity: number;
}

export const CART_KEY = "cart";
/** There while the lines are a copy of an account's. */
export const COPY_KEY = "cart-copy";
/** The server prices no more at once. */
export const MAX_LINES = LIMITS.QuoteRequestRequest.lines;
const VERSION = 1;
/** Forty lines take less than 4,000 characters. */
const LONGEST = 20_000;

/** The lines found in a stored text; an empty list when it is missing, damaged, too long or of another version. */
export function parseCart(raw: string | null): CartLine[] {
  return parseLines(parse(raw).lines);
}

function parse(raw: string | null): { lines?: unknown; names?: unknown } {
  if (!raw || raw.length > LONGEST) return {};
  try {
    const stored = Object(JSON.parse(raw));
    return stored.version === VERSION ? stored : {};
  } catch {
    return {};
  }
}

/** What is a line among anything at all, each thing once. */
export function parseLines(candidates: unknown): CartLine[] {
  if (!Array.isArray(candidates)) return [];
  const found = new Map<string, CartLine>();
  for (const candidate of candidates) {
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
  leaveAccount();
  return parseCart(browserStore.read(CART_KEY));
}

/** Stores the lines and emits `cart:changed`; other tabs get the `storage` event. */
export function writeCart(lines: readonly CartLine[]): void {
  storeCart(lines);
  emit("cart:changed", { count: countUnits(lines) });
}

/** What is stored as the names by product: anything at all. */
export function readNames(): Record<number, unknown> {
  return Object(parse(browserStore.read(CART_KEY)).names);
}

/** With the names of these lines alone: those that are given, else those of before. */
export function storeCart(lines: readonly CartLine[], named?: Record<number, string>): void {
  const names = { ...readNames(), ...named };
  const own = Object.fromEntries(lines.map(({ product_id }) => [product_id, names[product_id]]));
  browserStore.write(CART_KEY, JSON.stringify({ version: VERSION, lines, names: own }));
}

let isOrdering = false;

/** Whether this page takes an order: its session may end in the middle of it, and is asked for with the order. */
export function setOrdering(value: boolean): void {
  isOrdering = value;
}

/**
 * Signed out: nothing of the account stays in this browser, nor what was typed in this tab. Where the session ended by
 * itself, what could not be saved any more stays a visitor's; under an order (`setOrdering`, then `keepCopy`),
 * everything stays.
 */
function leaveAccount(): void {
  const copy = browserStore.read(COPY_KEY);
  if (copy === null || mayBeMember()) return;
  const isAsked = /\bnotice=signed_out\b/.test(document.cookie);
  const { lines, isKept } = parseCopy(copy);
  if ((isOrdering || isKept) && !isAsked) return;
  forgetAccount(isAsked ? [] : mergeCarts([], parseCart(browserStore.read(CART_KEY)), parseLines(lines)));
}

/** Takes the account's copy and what was typed in this tab away; `left` is the cart from now on. */
export function forgetAccount(left: readonly CartLine[]): void {
  browserStore.remove(COPY_KEY);
  tabStore.clear();
  writeCart(left);
}

/** Names the account whose copy the browser has; undefined for none. */
export function readOwner(): string | undefined {
  return parseCopy(browserStore.read(COPY_KEY)).owner;
}

function parseCopy(raw: string | null): { owner?: string; lines?: unknown; isKept?: unknown } {
  try {
    return Object(JSON.parse(raw ?? "null"));
  } catch {
    return {};
  }
}

export function countUnits(lines: readonly CartLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity, 0);
}
