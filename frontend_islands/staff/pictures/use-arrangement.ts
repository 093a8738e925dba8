import { useMemo, useState } from "react";
import type { StaffPhoto } from "@/api/types";

interface Draft {
  ids: number[];
  removed: number[];
}

/** The order of the photos as it is on screen: what was moved and removed is kept apart until it is saved. */
export function useArrangement(stored: readonly StaffPhoto[]) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const [added, setAdded] = useState<number[]>([]);
  const storedIds = useMemo(() => stored.map(({ id }) => id), [stored]);
  const removed = (draft?.removed ?? []).filter((id) => storedIds.includes(id));
  const ids = useMemo(() => {
    if (!draft) return storedIds;
    const known = draft.ids.filter((id) => storedIds.includes(id));
    // Photos that came meanwhile stand behind the others.
    const fresh = storedIds.filter((id) => !known.includes(id) && !draft.removed.includes(id));
    return [...known, ...fresh];
  }, [draft, storedIds]);
  const put = (next: number[], gone: number[] = removed) => setDraft({ ids: next, removed: gone });
  return {
    ids,
    removed,
    added: added.filter((id) => storedIds.includes(id)),
    isChanged: removed.length > 0 || ids.join() !== storedIds.join(),
    move: (id: number, to: number) => {
      const others = ids.filter((each) => each !== id);
      const place = Math.max(0, Math.min(others.length, to));
      put([...others.slice(0, place), id, ...others.slice(place)]);
    },
    remove: (id: number) =>
      put(
        ids.filter((each) => each !== id),
        [...removed, id],
      ),
    restore: (id: number) =>
      put(
        [...ids, id],
        removed.filter((each) => each !== id),
      ),
    noteAdded: (id: number) => setAdded((all) => [...all, id]),
    /** It is saved as it was when it was sent: what was moved or added since stays. */
    settle: () => {
      setDraft((now) => (now === draft ? null : now));
      setAdded((all) => all.filter((id) => !added.includes(id)));
    },
    forget: () => {
      setDraft(null);
      setAdded([]);
    },
  };
}
