/**
 * The cart follows the member. Every browser has it in `localStorage`, the account has it saved; this brings the two
 * together.
 *
 * `/api/me` carries the version of the saved cart, so that a page on which nothing changed makes no further call. A
 * browser that meets the account for the first time joins its cart to the saved one; from then on it writes its changes
 * to the version that it knows. When another device was faster, the changes of both are merged (`cart-merge.ts`) and
 * written again. What can't be sent now is sent by the next page.
 */
import type { SavedCart } from "@/api/types";
import { ApiProblem, getJson, putJson } from "./api";
import { type CartCopy, dropCopy, forgetOther, newCopy, readCopy, writeCopy } from "./cart-copy";
import { isSameCart, mergeCarts } from "./cart-merge";
import { type CartLine, lineKey, MAX_LINES, parseLines, readCart, writeCart } from "./cart-storage";
import { fetchMe, forgetMe, mayBeMember } from "./me";

/** A thing that the account brought into this browser's cart. */
export interface BroughtLine extends CartLine {
  name: string;
}

interface Listener {
  /** The account brought these into the cart of a browser that has just met it. */
  onBrought: (lines: BroughtLine[]) => void;
  /** Both carts together are too long: they stay apart, unchanged. `detail` is the server's sentence, if it has one. */
  onFull: (detail: string) => void;
}

const PATH = "/api/cart/saved";
const PATIENCE_MS = 10_000;
/** So often others may be faster before the rest is left to the next change or page. */
const TRIES = 8;

let listener: Listener = { onBrought: () => {}, onFull: () => {} };
let running: Promise<void> | undefined;
let isWanted = false;

/** Who hears what the account brings; one for a page. */
export function listenToAccount(heard: Listener): void {
  listener = heard;
}

/**
 * Brings browser and account together; one call at a time, and one more for what changed meanwhile. It never fails.
 * With `isFresh` the server is asked for the version of this moment.
 */
export function syncCart({ isFresh = false } = {}): Promise<void> {
  if (isFresh) forgetMe();
  isWanted = true;
  running ??= run().finally(() => {
    running = undefined;
  });
  return running;
}

async function run(): Promise<void> {
  while (isWanted) {
    isWanted = false;
    // Other tabs have the same copy: one of them at a time.
    const locks = navigator.locks;
    await (locks ? locks.request("cart", sync) : sync()).catch(() => {});
  }
}

async function sync(): Promise<void> {
  if (!mayBeMember()) return;
  const { cart: state } = await fetchMe();
  if (!state) {
    // The session ended, and the answer took the cookie away.
    readCart();
    return;
  }
  forgetOther(state.owner);
  let copy = readCopy();
  if (copy?.isKept) {
    copy = { ...copy, isKept: false };
    writeCopy(copy);
  }
  if (!copy) {
    copy = newCopy(state.owner);
    const mine = readCart();
    if (mine.length > 0) copy = prepare(copy, mine, null);
    writeCopy(copy);
  }
  let isCurrent = copy.version >= state.version && !copy.sent;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const mine = readCart();
    if (!copy.sent && isSameCart(mine, copy.lines)) {
      if (isCurrent) {
        // Nothing was brought: what other devices add from now on is no news.
        if (copy.isNew) writeCopy({ ...copy, isNew: false });
        return;
      }
      copy = receive(copy, await getJson<SavedCart>(PATH, { signal: limit() }), copy.lines);
    } else {
      copy = await write(copy.sent ? copy : prepare(copy, mine, copy.version));
    }
    if (!copy) return;
    isCurrent = true;
  }
}

/** Notes the next write before it goes out: when its answer is lost, the very same one is sent again. */
function prepare(copy: CartCopy, lines: CartLine[], version: number | null): CartCopy {
  const prepared = { ...copy, number: copy.number + 1, sent: { lines, version } };
  writeCopy(prepared);
  return prepared;
}

/** The copy after the answer; null when there is nothing more to do on this page. */
async function write(copy: CartCopy): Promise<CartCopy | null> {
  const { sent, device, number } = copy;
  if (!sent) return copy;
  try {
    const answer = await putJson<SavedCart>(PATH, { ...sent, device, number }, { signal: limit() });
    return receive(copy, answer, sent.lines);
  } catch (problem) {
    if (!(problem instanceof ApiProblem) || problem.status === 0 || problem.status >= 429) throw problem;
    if (problem.code === "cart_conflict") {
      return receive(copy, problem.body.cart as SavedCart, copy.lines);
    }
    if (problem.code === "cart_full") {
      // They never met: the browser's cart stays its own.
      dropCopy();
      listener.onFull(problem.detail);
    } else if (problem.status !== 401) {
      writeCopy({ ...copy, sent: undefined });
    }
    readCart();
    return null;
  }
}

/** Takes in the cart of the account, to which the browser adds what it changed since it was `seen`. */
function receive(copy: CartCopy, saved: SavedCart, seen: readonly CartLine[]): CartCopy | null {
  const lines = parseLines(saved.lines);
  // While the answer was on its way: signed out, or another tab took one in, and this one is about what was before.
  const stored = mayBeMember() ? readCopy() : null;
  if (stored?.device !== copy.device) return null;
  if (stored.version !== copy.version || stored.number !== copy.number || !stored.sent !== !copy.sent) {
    return stored;
  }
  const before = readCart();
  const after = mergeCarts(lines, before, seen);
  if (after.length > MAX_LINES) {
    writeCopy({ ...copy, sent: undefined });
    listener.onFull("");
    return null;
  }
  const next = { ...copy, version: saved.version, lines, sent: undefined, isNew: false };
  writeCopy(next);
  if (!isSameCart(after, before)) writeCart(after);
  if (copy.isNew) {
    const names = new Map(saved.lines.map((line) => [lineKey(line as CartLine), line.name]));
    const brought = mergeCarts([], after, before).map((line) => ({
      ...line,
      name: names.get(lineKey(line)) ?? "",
    }));
    if (brought.length > 0) listener.onBrought(brought);
  }
  return next;
}

function limit(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS);
}
