import { useQuery } from "@tanstack/react-query";
import { type Ref, useEffect, useState } from "react";
import type { AdminProductPage } from "@/api/types";
import { getJson } from "@/lib/api";
import { Icon } from "@/lib/icon";
import { Field } from "./field";
import { ProblemText } from "./problem";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);
const PAUSE_MS = 250;

export interface PickedProduct {
  id: number;
  name: string;
}

interface ProductPickerProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  picked: readonly PickedProduct[];
  onChange: (picked: PickedProduct[]) => void;
  /** Not offered. */
  ownId?: number | undefined;
  isDisabled?: boolean;
  field?: Ref<HTMLInputElement>;
}

/** Products found by name, added and taken away. */
export function ProductPicker({
  label,
  hint,
  error,
  picked,
  onChange,
  ownId,
  isDisabled,
  field,
}: ProductPickerProps) {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const pause = setTimeout(() => setAsked(text.trim()), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [text]);
  const found = useQuery({
    queryKey: ["picker", asked],
    queryFn: ({ signal }) =>
      getJson<AdminProductPage>(
        `/api/admin/products?${new URLSearchParams({ search: asked, page_size: "6" })}`,
        { signal },
      ),
    enabled: asked.length > 1,
  });
  const taken = new Set([...picked.map(({ id }) => id), ownId]);
  const offers = asked.length > 1 ? (found.data?.results.filter(({ id }) => !taken.has(id)) ?? []) : [];
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      note={
        found.isError && (
          <p className="field__error" role="alert">
            <ProblemText error={found.error} />
          </p>
        )
      }
    >
      {(control) => (
        <>
          <div className="picks">
            {picked.map(({ id, name }) => (
              <button
                key={id}
                type="button"
                className="button button--small"
                disabled={isDisabled}
                aria-label={t("picker.remove", { name })}
                onClick={() => onChange(picked.filter((each) => each.id !== id))}
              >
                {name} <Icon name="close" />
              </button>
            ))}
          </div>
          <input
            {...control}
            ref={field}
            className="input"
            type="search"
            value={text}
            disabled={isDisabled}
            placeholder={t("picker.search")}
            maxLength={200}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
          <div className="picks" aria-live="polite">
            {offers.map(({ id, name }) => (
              <button
                key={id}
                type="button"
                className="button button--small button--quiet"
                aria-label={t("picker.add", { name })}
                onClick={() => {
                  onChange([...picked, { id, name }]);
                  setText("");
                }}
              >
                <Icon name="plus" /> {name}
              </button>
            ))}
          </div>
        </>
      )}
    </Field>
  );
}
