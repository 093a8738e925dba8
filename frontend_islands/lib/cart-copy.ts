/**
 * Which saved cart this browser follows, and how far:
 * `localStorage["cart-copy"] = {"owner":"…","version":3,"lines":[…],"device":"…","number":7}`.
 *
 * `lines` are those of `version`, as the account had them; what the browser's cart has beside them is not saved yet.
 */
import { largerOf } from "./cart-merge";
import { type CartLine, COPY_KEY, forgetAccount, parseLines, readOwner } from "./cart-storage";
import { randomKey } from "./random-key";
import { browserStore } from "./storage";

export interface CartCopy {
  /** Names the account; another one's copy is worth nothing. */
  owner: string;
  version: number;
  lines: CartLine[];
  /** Names this browser to the account, and counts its writes. */
  device: string;
  number: number;
  /** A write whose answer is not known: `number`, of these lines. Without a `version` it joins two carts. */
  sent?: { lines: CartLine[]; version: number | null } | undefined;
  /** What the account brings with its next answer is new to this browser, and is said. */
  isNew?: boolean | undefined;
  /** The session ended under an order: what is ordered stays for it, and goes when another member signs in. */
  isKept?: boolean | undefined;
}

export function newCopy(owner: string): CartCopy {
  return { owner, version: 0, lines: [], device: randomKey(), number: 0, isNew: true };
}

/** The copy of this browser; null for none or a damaged one. */
export function readCopy(): CartCopy | null {
  let stored: Partial<CartCopy>;
  try {
    stored = Object(JSON.parse(browserStore.read(COPY_KEY) ?? "null"));
  } catch {
    return null;
  }
  const { owner, version, device, number, sent, isNew, isKept } = stored;
  if (typeof owner !== "string" || !/^[0-9a-f]{32}$/.test(String(device))) return null;
  if (!Number.isSafeInteger(version) || !Number.isSafeInteger(number)) return null;
  const lines = parseLines(stored.lines);
  const copy = { owner, version, device, number, lines, isNew: isNew === true, isKept: isKept === true };
  if (sent) {
    return {
      ...copy,
      sent: {
        lines: parseLines(sent.lines),
        version: Number.isSafeInteger(sent.version) ? sent.version : null,
      },
    } as CartCopy;
  }
  return copy as CartCopy;
}

export function writeCopy(copy: CartCopy): void {
  browserStore.write(COPY_KEY, JSON.stringify(copy));
}

export function dropCopy(): void {
  browserStore.remove(COPY_KEY);
}

/** Who was ordering when their session ended goes on: as a visitor, or signed in again. */
export function keepCopy(): void {
  const copy = readCopy();
  if (copy) writeCopy({ ...copy, isKept: true });
}

/** Takes away what an earlier member left, who did not sign out here. */
export function forgetOther(owner: string): void {
  if (![owner, undefined].includes(readOwner())) forgetAccount([]);
}

/**
 * A member ordered these lines: the server has put them into the saved cart, and takes them out with the payment. This
 * browser must not add them once more.
 */
export function noteOrdered(owner: string, ordered: readonly CartLine[]): void {
  const found = readCopy();
  const copy = found?.owner === owner ? found : newCopy(owner);
  writeCopy({ ...copy, lines: largerOf(copy.lines, ordered) });
}
