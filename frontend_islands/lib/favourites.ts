/**
 * A visitor's favourites: `localStorage["favorites"] = [12, 3]`, the latest first.
 *
 * A guest's are in the browser alone. Signed in, the account has them and the browser a copy; what it knows of the
 * account's list tells what was changed here: that is brought to the account by the next page, and stays in the browser
 * where the session ended. Signing out takes the rest away.
 */
import { ApiProblem, deleteJson, putJson } from "./api";
import { emit } from "./events";
import { fetchMe, mayBeMember } from "./me";
import { browserStore } from "./storage";

const KEY = "favorites";
/** The account's list as it was heard last; there while the browser's is a copy of it. */
const COPY_KEY = "favorites-copy";
export const MAX_FAVOURITES = 200;
const LONGEST = 10_000;

/** What is on its way to the account, by piece: newer than the account's list. Two changes of one piece go in order. */
const calls = new Map<number, Promise<unknown>>();

let syncing: Promise<number[]> | undefined;

/** The keys found in a stored text, each once; none when it is damaged or far too long. */
export function parseFavourites(raw: string | null): number[] {
  if (!raw || raw.length > LONGEST) return [];
  try {
    const stored: unknown = JSON.parse(raw);
    if (!Array.isArray(stored)) return [];
    const ids = stored.filter((id) => Number.isSafeInteger(id) && id > 0) as number[];
    return [...new Set(ids)].slice(0, MAX_FAVOURITES);
  } catch {
    return [];
  }
}

export function readFavourites(): number[] {
  return parseFavourites(browserStore.read(KEY));
}

/**
 * Brings browser and account together, once a page, and returns the list. It never fails: without an answer it is the
 * browser's.
 */
export function syncFavourites(): Promise<number[]> {
  syncing ??= sync().catch(() => readFavourites());
  return syncing;
}

/**
 * Adds a piece or removes it; true when it is in the list now. The browser's list changes at once; a member's change that
 * the server refuses is taken back and raised as `ApiProblem`, unless the piece was pressed again meanwhile.
 */
export async function toggleFavourite(id: number): Promise<boolean> {
  const isAdded = !readFavourites().includes(id);
  put(id, isAdded);
  if (!mayBeMember()) return isAdded;
  const earlier = calls.get(id)?.catch(() => {}) ?? Promise.resolve();
  const path = `/api/favourites/${id}`;
  const call = earlier.then(() => (isAdded ? putJson(path, null) : deleteJson(path)));
  calls.set(id, call);
  const isLatest = () => calls.get(id) === call;
  try {
    await call;
    const known = readKnown();
    if (known) writeKnown(withChange(known, id, isAdded));
  } catch (problem) {
    // The session ended meanwhile: a guest's list is the browser's.
    if (!isLatest() || (problem instanceof ApiProblem && problem.status === 401)) return isAdded;
    put(id, !isAdded);
    throw problem;
  } finally {
    if (isLatest()) calls.delete(id);
  }
  return isAdded;
}

function put(id: number, isIn: boolean): void {
  write(withChange(readFavourites(), id, isIn));
}

function withChange(ids: number[], id: number, isIn: boolean): number[] {
  const others = ids.filter((other) => other !== id);
  return isIn ? [id, ...others].slice(0, MAX_FAVOURITES) : others;
}

function readKnown(): number[] | null {
  const raw = browserStore.read(COPY_KEY);
  return raw === null ? null : parseFavourites(raw);
}

function writeKnown(ids: number[]): void {
  browserStore.write(COPY_KEY, JSON.stringify(ids));
}

async function sync(): Promise<number[]> {
  const known = readKnown();
  if (!mayBeMember()) {
    if (known) {
      browserStore.remove(COPY_KEY);
      write(readFavourites().filter((id) => !known.includes(id)));
    }
    return readFavourites();
  }
  const me = await fetchMe();
  if (!me.authenticated) return readFavourites();
  const mine = readFavourites();
  const kept = me.favourites.filter((id) => mine.includes(id) || !(known?.includes(id) || calls.has(id)));
  const removed = me.favourites.filter((id) => !kept.includes(id));
  const added = mine.filter((id) => !me.favourites.includes(id) && (!known?.includes(id) || calls.has(id)));
  let ids = me.favourites;
  if ([...added, ...removed].some((id) => !calls.has(id))) {
    ids = await putJson<number[]>("/api/favourites", [...added, ...kept].slice(0, MAX_FAVOURITES));
  }
  writeKnown(ids);
  ids = withPressed(ids);
  write(ids);
  return ids;
}

/** The account's list with what is on its way to it. */
function withPressed(ids: number[]): number[] {
  return [...readFavourites().filter((id) => calls.has(id)), ...ids.filter((id) => !calls.has(id))];
}

function write(ids: number[]): void {
  browserStore.write(KEY, JSON.stringify(ids));
  emit("favourites:changed", { ids });
}
