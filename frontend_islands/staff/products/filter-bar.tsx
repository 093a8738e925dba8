import { useEffect, useId, useState } from "react";
import type { StaffProductsProps } from "@/api/types";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import type { Filters } from "./calls";
import words from "./words.json";

const t = translate(words);
const PAUSE_MS = 250;
const STATES = [
  { value: "", label: "states.current" },
  { value: "published", label: "states.published" },
  { value: "hidden", label: "states.hidden" },
  { value: "sold_out", label: "states.soldOut" },
  { value: "low_stock", label: "states.lowStock" },
  { value: "featured", label: "states.featured" },
  { value: "promoted", label: "states.promoted" },
  { value: "stale", label: "states.stale" },
  { value: "customs", label: "states.customs" },
  { value: "archived", label: "states.archived" },
  { value: "trashed", label: "states.trashed" },
] as const;
const ORDERS = [
  { value: "", label: "orders.newest" },
  { value: "oldest", label: "orders.oldest" },
  { value: "name", label: "orders.name" },
  { value: "-name", label: "orders.nameDown" },
  { value: "price", label: "orders.price" },
  { value: "-price", label: "orders.priceDown" },
  { value: "-updated", label: "orders.updated" },
] as const;

interface FilterBarProps {
  categories: StaffProductsProps["categories"];
  filters: Filters;
  onChange: (filters: Filters) => void;
}

/** Search, category, order, and which products: each change is there at once, a search after a pause. */
export function FilterBar({ categories, filters, onChange }: FilterBarProps) {
  const [text, setText] = useState(filters.search);
  const key = useId();
  useEffect(() => {
    if (text.trim() === filters.search) return undefined;
    const pause = setTimeout(() => onChange({ ...filters, search: text.trim() }), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [text, filters, onChange]);
  return (
    <>
      <search className="staff-toolbar product-filters">
        <div className="field product-filters__search">
          <label className="field__label" htmlFor={`${key}-search`}>
            {t("search")}
          </label>
          <input
            id={`${key}-search`}
            className="input"
            type="search"
            value={text}
            placeholder={t("searchHint")}
            maxLength={200}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <Field label={t("category")}>
          {(control) => (
            <select
              {...control}
              className="select"
              value={filters.category}
              onChange={(event) => onChange({ ...filters, category: event.target.value })}
            >
              <option value="">{t("everyCategory")}</option>
              {categories.map(({ id, slug, name }) => (
                <option key={id} value={slug}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t("order")}>
          {(control) => (
            <select
              {...control}
              className="select"
              value={filters.ordering}
              onChange={(event) => onChange({ ...filters, ordering: event.target.value })}
            >
              {ORDERS.map(({ value, label }) => (
                <option key={value} value={value}>
                  {t(label)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </search>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't scroll sideways everywhere. */}
      <div className="staff-segments" role="group" aria-label={t("states.label")}>
        {STATES.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-pressed={filters.state === value}
            onClick={() => onChange({ ...filters, state: value })}
          >
            {t(label)}
          </button>
        ))}
      </div>
    </>
  );
}
