import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { useController } from "react-hook-form";
import { Icon } from "@/lib/icon";
import { translate } from "../shared/translate";
import { findProducts } from "./calls";
import type { Values } from "./values";
import words from "./words.json";

const t = translate(words);
const PAUSE_MS = 250;

/** Products to show beside this one: found by name, added and taken away. */
export function SimilarSection({ ownId, isDisabled }: { ownId: number | undefined; isDisabled: boolean }) {
  const key = useId();
  const { field } = useController<Values, "picked_similar">({ name: "picked_similar" });
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const pause = setTimeout(() => setAsked(text.trim()), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [text]);
  const found = useQuery({
    queryKey: ["similar", asked],
    queryFn: ({ signal }) => findProducts(asked, signal),
    enabled: asked.length > 1,
  });
  const picked = field.value;
  const taken = new Set([...picked.map(({ id }) => id), ownId]);
  const offers = asked.length > 1 ? (found.data?.results.filter(({ id }) => !taken.has(id)) ?? []) : [];
  return (
    <div className="field">
      <label className="field__label" htmlFor={key}>
        {t("fields.picked_similar")}
      </label>
      <p className="field__hint muted">{t("similar.hint")}</p>
      <div className="picks">
        {picked.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className="button button--small"
            disabled={isDisabled}
            aria-label={t("similar.remove", { name })}
            onClick={() => field.onChange(picked.filter((each) => each.id !== id))}
          >
            {name} <Icon name="close" />
          </button>
        ))}
      </div>
      <input
        id={key}
        ref={field.ref}
        className="input"
        type="search"
        value={text}
        disabled={isDisabled}
        placeholder={t("similar.search")}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="picks" aria-live="polite">
        {offers.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className="button button--small button--quiet"
            aria-label={t("similar.add", { name })}
            onClick={() => {
              field.onChange([...picked, { id, name }]);
              setText("");
            }}
          >
            <Icon name="plus" /> {name}
          </button>
        ))}
      </div>
    </div>
  );
}
