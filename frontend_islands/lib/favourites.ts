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

/** What every call gives: the keys, the latest first. */
type Answer = number[];

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
 * the server refuses is taken back and raised as `ApiProblem`.
 */
export async function toggleFavourite(id: number): Promise<boolean> {
  const before = readFavourites();
  const isAdded = !before.includes(id);
  write(isAdded ? [id, ...before].slice(0, MAX_FAVOURITES) : before.filter((other) => other !== id));
  if (!mayBeMember()) return isAdded;
  try {
    const path = `/api/favourites/${id}`;
    write(await (isAdded ? putJson<Answer>(path, null) : deleteJson<Answer>(path)));
  } catch (problem) {
    // The session ended meanwhile: a guest's list is the browser's.
    if (problem instanceof ApiProblem && problem.status === 401) return isAdded;
    write(before);
    throw problem;
  }
  return isAdded;
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
  const added = mine.filter((id) => !me.favourites.includes(id));
  let ids = me.favourites;
  if (added.length > 0) {
    ids = await putJson<Answer>("/api/favourites", [...added, ...ids].slice(0, MAX_FAVOURITES));
  }
  browserStore.write(COPY_KEY, "1");
  write(ids);
  return ids;
}

function write(ids: number[]): void {
  browserStore.write(KEY, JSON.stringify(ids));
  emit("favourites:changed", { ids });
}
