import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useId, useState } from "react";
import type { components } from "@/api/schema";
import { getJson } from "@/lib/api";
import { Icon } from "@/lib/icon";
import { goTo } from "@/lib/navigate";
import { Dialog } from "../shared/dialog";
import { Problem } from "../shared/problem";
import { staffIsland } from "../shared/staff-island";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);
const SHORTEST = 2;
type Found = components["schemas"]["StaffFound"];

/** The button in every page's head and the search that it opens, also by Ctrl K or ⌘ K. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  return (
    <>
      <button
        className="staff-search no-print"
        type="button"
        data-replay="palette"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
        <span>{t("open")}</span> <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Search onClose={() => setOpen(false)} />}
    </>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const query = useDeferredValue(text.trim());
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ["search", query],
    queryFn: ({ signal }) => getJson<Found>(`/api/admin/search?q=${encodeURIComponent(query)}`, { signal }),
    enabled: query.length >= SHORTEST,
    placeholderData: (before) => before,
  });
  const groups = query.length >= SHORTEST ? (data?.results ?? []) : [];
  const hits = groups.flatMap((group) => group.hits);
  const current = Math.min(chosen, hits.length - 1);
  const isOld = isPlaceholderData || query !== text.trim();

  const move = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && hits.length) {
      event.preventDefault();
      setChosen((current + step + hits.length) % hits.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const hit = hits[current];
      // What is shown answers fewer letters: its first is somebody else's order.
      if (hit && !isOld) goTo(hit.url);
    }
  };

  return (
    <Dialog title={t("title")} onClose={onClose}>
      <input
        className="input"
        // Not "search": there Escape empties the field instead of closing.
        type="text"
        inputMode="search"
        role="combobox"
        aria-label={t("label")}
        aria-expanded={hits.length > 0}
        aria-controls={list}
        aria-activedescendant={hits.length ? `${list}-${current}` : undefined}
        aria-autocomplete="list"
        placeholder={t("placeholder")}
        maxLength={100}
        autoComplete="off"
        data-autofocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={move}
      />
      {error ? <Problem title={t("title")} error={error} onRetry={() => void refetch()} /> : null}
      <div className="staff-palette" id={list} role="listbox" aria-label={t("title")}>
        {groups.map((group) => (
          <fieldset key={group.kind} className="staff-palette__group">
            <legend>{group.label}</legend>
            {group.hits.map((hit) => {
              const place = hits.indexOf(hit);
              return (
                <a
                  key={hit.url}
                  id={`${list}-${place}`}
                  className="staff-palette__hit"
                  href={hit.url}
                  role="option"
                  tabIndex={-1}
                  aria-selected={place === current}
                >
                  <strong>{hit.title}</strong>
                  <span>{hit.detail}</span>
                </a>
              );
            })}
          </fieldset>
        ))}
      </div>
      <p className="muted" role="status">
        {query.length < SHORTEST
          ? t("hint")
          : data && !isOld && (hits.length ? t("found", { count: hits.length }) : t("nothing", { query }))}
      </p>
    </Dialog>
  );
}

export const mount = staffIsland(Palette);
