import { useId } from "react";
import type { StaffVariantsProps, VariantGrid, VariantRow } from "@/api/types";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import { AMOUNTS, type FieldName, type RowChange, shownValue, TEXTS } from "./values";
import words from "./words.json";

const t = translate(words);
const DETAILS = [
  "sku",
  "weight_grams",
  "weight",
  "dimensions",
  "height_cm",
  "production_days_min",
  "production_days_max",
] as const;

const LABELS = {
  price: "fields.price",
  stock_quantity: "fields.stock_quantity",
  sku: "fields.sku",
  weight_grams: "fields.weight_grams",
  weight: "fields.weight",
  dimensions: "fields.dimensions",
  height_cm: "fields.height_cm",
  production_days_min: "fields.production_days_min",
  production_days_max: "fields.production_days_max",
} as const;

interface VariantCardProps {
  row: VariantRow;
  fallback: VariantGrid["product"];
  change: RowChange;
  rights: StaffVariantsProps["rights"];
  /** Somebody else changed the grid: beside what is typed stands what the server has. */
  isTypedOver: boolean;
  errorsOf: (name: string) => string[];
  onChange: (change: RowChange) => void;
  onPhotos: () => void;
}

/** One format in one finish: price, stock and availability at once, the rest folded. */
export function VariantCard({
  row,
  fallback,
  change,
  rights,
  isTypedOver,
  errorsOf,
  onChange,
  onPhotos,
}: VariantCardProps) {
  const title = useId();
  const own = change.image_ids ?? row.image_ids;
  const hasFault = DETAILS.some((name) => errorsOf(name).length > 0);
  const isChanged = Object.keys(change).length > 0;
  const inStock = change.in_stock ?? row.in_stock;
  // Without formats and finishes the price is the product's, and so is the number in stock that it has none of its own.
  const isWhole = row.variation_id === null && !row.finish;
  const isOfForm = isWhole && row.stock_quantity === null;
  const hasFixedStock = !rights.stock || isOfForm;
  const field = (name: FieldName, isDisabled: boolean) => (
    <Cell
      key={name}
      name={name}
      value={change[name] ?? shownValue(row, name)}
      stored={change[name] === undefined ? undefined : shownValue(row, name)}
      placeholder={placeholderOf(name, row, fallback)}
      errors={errorsOf(name)}
      isTypedOver={isTypedOver}
      isDisabled={isDisabled}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <li className={isChanged ? "variant variant--changed" : "variant"} aria-labelledby={title}>
      <div className="variant__head">
        {row.thumbnail_url ? (
          <img src={row.thumbnail_url} alt="" width="56" height="56" />
        ) : (
          <span className="variant__none" />
        )}
        <div className="variant__name">
          <h4 id={title}>{row.label || t("single")}</h4>
          <p className="muted">
            {row.unit_price ? t("sold", { price: formatMoney(row.unit_price) }) : t("notOffered")}
            {row.offered && !row.available && ` · ${t("soldOut")}`}
          </p>
        </div>
        <label className="check">
          <input
            type="checkbox"
            checked={inStock}
            disabled={!rights.stock}
            onChange={() => onChange({ in_stock: !inStock })}
          />
          <span>{t("fields.in_stock")}</span>
        </label>
      </div>
      <div className="variant__main">
        {field("price", !rights.prices || row.variation_id === null)}
        <Stock
          value={change.stock_quantity ?? shownValue(row, "stock_quantity")}
          shared={fallback.stock_quantity}
          isDisabled={hasFixedStock}
          onChange={(value) => onChange({ stock_quantity: value })}
        >
          {field("stock_quantity", hasFixedStock)}
        </Stock>
        {rights.edit && !isWhole && (
          <button className="button button--small" type="button" onClick={onPhotos}>
            {own.length ? t("photos", { count: own.length }) : t("photosNone")}
            <span className="visually-hidden"> : {row.label}</span>
          </button>
        )}
      </div>
      {isOfForm && <p className="muted">{t("inForm")}</p>}
      {errorsOf("image_ids").map((message) => (
        <p className="field__error" key={message}>
          {message}
        </p>
      ))}
      <details open={hasFault || undefined}>
        <summary>{t("details")}</summary>
        <div className="variant__details">{DETAILS.map((name) => field(name, !rights.edit))}</div>
      </details>
    </li>
  );
}

interface CellProps {
  name: FieldName;
  value: string;
  /** What the server has, where something else is typed. */
  stored: string | undefined;
  placeholder: string;
  errors: string[];
  isTypedOver: boolean;
  isDisabled: boolean;
  onChange: (value: string) => void;
}

function Cell({ name, value, stored, placeholder, errors, isTypedOver, isDisabled, onChange }: CellProps) {
  const isText = (TEXTS as readonly string[]).includes(name);
  const isAmount = (AMOUNTS as readonly string[]).includes(name);
  const now = stored === undefined ? "" : t("now", { value: stored || t("empty") });
  return (
    <Field
      label={t(LABELS[name])}
      hint={isTypedOver && !errors.length ? now : ""}
      error={errors.length ? [...errors, now].join(" ").trim() : ""}
    >
      {(control) => (
        <input
          {...control}
          className="input"
          autoComplete="off"
          inputMode={isText ? "text" : isAmount ? "decimal" : "numeric"}
          maxLength={isText ? 80 : 12}
          placeholder={placeholder}
          value={value}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface StockProps {
  value: string;
  /** The product's number, which counts and is shown in grey where nothing is typed. */
  shared: number | null;
  isDisabled: boolean;
  onChange: (value: string) => void;
  children: React.ReactNode;
}

/** One more, one less, by one thumb. */
function Stock({ value, shared, isDisabled, onChange, children }: StockProps) {
  const typed = value.trim();
  const count = typed === "" ? shared : /^\d+$/.test(typed) ? Number(typed) : null;
  return (
    <div className="variant__stock">
      <button
        className="photo__tool"
        type="button"
        aria-label={t("less")}
        disabled={isDisabled || !count}
        onClick={() => onChange(String((count ?? 1) - 1))}
      >
        <Icon name="minus" />
      </button>
      {children}
      <button
        className="photo__tool"
        type="button"
        aria-label={t("more")}
        disabled={isDisabled}
        onClick={() => onChange(String((count ?? 0) + 1))}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

/** What counts where nothing is typed. */
function placeholderOf(name: FieldName, row: VariantRow, fallback: VariantGrid["product"]): string {
  if (name === "sku") return "";
  if (name === "price") return row.unit_price?.replace(".", ",") ?? t("productPrice");
  const value = fallback[name];
  if (name === "stock_quantity" && value === null) return t("made");
  return value === null ? "" : String(value);
}
