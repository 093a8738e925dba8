/** What somebody typed is never lost: kept in the browser until it is saved, and leaving asks first. */
import { useCallback, useEffect, useRef, useState } from "react";
import { randomKey } from "@/lib/random-key";

const PREFIX = "staff-draft:";
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

interface Stored<Value> {
  at: number;
  value: Value;
}

/** The draft kept under a name, or undefined; one older than a week is forgotten. */
export const readDraft = <Value>(name: string): Value | undefined => read<Value>(name)?.value;

function read<Value>(name: string): Stored<Value> | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(PREFIX + name) ?? "null") as Stored<Value> | null;
    if (stored && Date.now() - stored.at < KEPT_MS) return stored;
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Unreadable or not allowed: as if there were none.
  }
  return undefined;
}

export function writeDraft<Value>(name: string, value: Value): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ at: Date.now(), value } satisfies Stored<Value>));
  } catch {
    // Full or not allowed: leaving the page still asks.
  }
}

export function forgetDraft(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing was kept.
  }
}

/** The names of kept drafts that begin like this. */
export function draftNames(start: string): string[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + start));
    return keys.map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/**
 * The name under which a row's draft is kept, and what takes another name for what comes next. Something new has a name
 * of its own, so that two tabs keep two drafts: the last one that was kept is taken over, and a tab that still has it
 * goes on under another name.
 */
export function useDraftName(kind: string, id: number | undefined) {
  const [name, setName] = useState(() => (id === undefined ? lastDraft(kind) : `${kind}-${id}`));
  const renew = () => {
    if (id === undefined) setName(freshDraft(kind));
  };
  useOtherTabs(name, () => {
    if (readDraft(name)) renew();
  });
  return [name, renew] as const;
}

const freshDraft = (kind: string) => `${kind}-new:${randomKey()}`;

function lastDraft(kind: string): string {
  const at = (name: string) => read(name)?.at ?? 0;
  const [last] = draftNames(`${kind}-new:`)
    .filter(at)
    .sort((one, other) => at(other) - at(one));
  return last ?? freshDraft(kind);
}

interface FieldDraft<Fields> {
  fields: Partial<Fields>;
  /** Of the row that was typed over; of none where tabs typed over several. */
  version: string;
}

/** A draft by fields: each tab of this browser keeps its own, beside those of the others. */
export function useFieldDraft<Fields extends object>(name: string) {
  const [kept] = useState(() => readDraft<FieldDraft<Fields>>(name));
  const own = useRef(new Set(Object.keys(kept?.fields ?? {})));
  const keep = useCallback(
    (mine: Partial<Fields>, version: string) => {
      for (const field of Object.keys(mine)) own.current.add(field);
      const found = readDraft<FieldDraft<Fields>>(name);
      const others = Object.entries(found?.fields ?? {}).filter(([field]) => !own.current.has(field));
      const fields = { ...Object.fromEntries(others), ...mine } as Partial<Fields>;
      if (Object.keys(fields).length === 0) forgetDraft(name);
      else
        writeDraft<FieldDraft<Fields>>(name, {
          fields,
          version: others.length === 0 || found?.version === version ? version : "",
        });
    },
    [name],
  );
  return { kept, keep };
}

/** A draft that every tab of this browser shows as the last of them left it. */
export function useSharedDraft<Value>(name: string, start: () => Value) {
  const [empty] = useState(start);
  const [draft, setDraft] = useState<Value>(() => readDraft<Value>(name) ?? empty);
  useEffect(() => {
    // Written again, what another tab wrote would come back to it without end.
    if (same(draft, readDraft<Value>(name) ?? empty)) return;
    if (same(draft, empty)) forgetDraft(name);
    else writeDraft(name, draft);
  }, [name, draft, empty]);
  useOtherTabs(name, () => {
    const kept = readDraft<Value>(name) ?? empty;
    setDraft((before) => (same(before, kept) ? before : kept));
  });
  return [draft, setDraft] as const;
}

/** Calls when another tab of this browser has kept or forgotten something under the name. */
export function useOtherTabs(name: string, hear: () => void): void {
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    const listen = ({ key }: StorageEvent) => {
      if (key === PREFIX + name) latest.current();
    };
    addEventListener("storage", listen);
    return () => removeEventListener("storage", listen);
  }, [name]);
}

/** Whether two drafts, or values in them, are written alike. */
export const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Asks before the page is left while `isDirty`. */
export function useLeaveWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
