/**
 * A visitor's favourites: `localStorage["favorites"] = [12, 3]`, the latest first.
 *
 * A guest's are in the browser alone. Signed in, the account has them and the browser a copy: what the browser held
 * before is added to the account once, and signing out takes the copy away.
 */
import { ApiProblem, deleteJson, putJson } from "./api";
import { emit } from "./events";
import { fetchMe, mayBeMember } from "./me";
import { browserStore } from "./storage";

const KEY = "favorites";
/** There while the list is a copy of an account's. */
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
  const others = readFavourites().filter((other) => other !== id);
  write(isIn ? [id, ...others].slice(0, MAX_FAVOURITES) : others);
}

async function sync(): Promise<number[]> {
  if (!mayBeMember()) {
    if (browserStore.read(COPY_KEY) !== null) {
      browserStore.remove(COPY_KEY);
      write([]);
    }
    return readFavourites();
  }
  const me = await fetchMe();
  if (!me.authenticated) return readFavourites();
  const mine = browserStore.read(COPY_KEY) === null ? readFavourites() : [];
  let ids = withPressed(me.favourites);
  const added = mine.filter((id) => !ids.includes(id));
  if (added.length > 0) {
    ids = withPressed(
      await putJson<number[]>("/api/favourites", [...added, ...ids].slice(0, MAX_FAVOURITES)),
    );
  }
  browserStore.write(COPY_KEY, "1");
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
