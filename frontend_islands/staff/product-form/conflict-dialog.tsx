import { useState } from "react";
import type { StaffProductFormProps } from "@/api/types";
import { shown } from "../shared/changes";
import { Dialog } from "../shared/dialog";
import { translate } from "../shared/translate";
import type { Conflict } from "./use-product-form";
import { type Name, type Values, valuesOf } from "./values";
import words from "./words.json";

const t = translate(words);
const LABELS = {
  name: "fields.name",
  category: "fields.category",
  description: "fields.description",
  full_description: "fields.full_description",
  material: "fields.material",
  paint_type: "fields.paint_type",
  price: "fields.price",
  original_price: "fields.original_price",
  painted_price: "fields.painted_price",
  unpainted_price: "fields.unpainted_price",
  featured: "fields.featured",
  in_stock: "fields.in_stock",
  stock_quantity: "fields.stock_quantity",
  is_published: "fields.is_published",
  dimensions: "fields.dimensions",
  height_cm: "fields.height_cm",
  weight: "fields.weight",
  weight_grams: "fields.weight_grams",
  production_days_min: "fields.production_days_min",
  production_days_max: "fields.production_days_max",
  hs_code: "fields.hs_code",
  origin_country: "fields.origin_country",
  external_id: "fields.external_id",
  slug: "fields.slug",
  picked_similar: "fields.picked_similar",
  promotion_active: "fields.promotion_active",
  promotion_type: "fields.promotion_type",
  promotion_buy_quantity: "fields.promotion_buy_quantity",
  promotion_get_quantity: "fields.promotion_get_quantity",
  promotion_percent: "fields.promotion_percent",
  promotion_amount: "fields.promotion_amount",
} as const;

interface ConflictDialogProps {
  conflict: Conflict;
  values: Values;
  categories: StaffProductFormProps["categories"];
  onDecide: (theirs: ReadonlySet<Name>) => void;
}

/** Somebody saved another version meanwhile: of each field that both changed, one version is chosen. */
export function ConflictDialog({ conflict, values, categories, onDecide }: ConflictDialogProps) {
  const [theirs, setTheirs] = useState<ReadonlySet<Name>>(new Set());
  const current = valuesOf(conflict.current);
  const choose = (name: Name, isTheirs: boolean) => {
    const after = new Set(theirs);
    if (isTheirs) after.add(name);
    else after.delete(name);
    setTheirs(after);
  };
  const text = (name: Name, of: Values) => {
    if (name === "category") return categories.find(({ id }) => String(id) === of.category)?.name ?? "";
    if (name === "picked_similar") return shown(of.picked_similar.map((each) => each.name));
    return shown(of[name]);
  };
  return (
    <Dialog
      title={t("conflict.title")}
      onClose={() => onDecide(new Set())}
      actions={
        <button className="button button--primary" type="button" onClick={() => onDecide(theirs)}>
          {t("conflict.go")}
        </button>
      }
    >
      <p>{conflict.names.length ? t("conflict.text") : t("conflict.noField")}</p>
      {conflict.names.map((name) => (
        <fieldset className="conflict" key={name}>
          <legend>{label(name)}</legend>
          <label className="check">
            <input
              type="radio"
              name={`keep-${name}`}
              checked={!theirs.has(name)}
              onChange={() => choose(name, false)}
            />
            <span>{t("conflict.mine", { value: text(name, values) })}</span>
          </label>
          <label className="check">
            <input
              type="radio"
              name={`keep-${name}`}
              checked={theirs.has(name)}
              onChange={() => choose(name, true)}
            />
            <span>{t("conflict.theirs", { value: text(name, current) })}</span>
          </label>
        </fieldset>
      ))}
    </Dialog>
  );
}

/** A field's name; a translation's with its language. */
function label(name: Name): string {
  if (name in LABELS) return t(LABELS[name as keyof typeof LABELS]);
  const text = name.slice(0, -3) as keyof typeof LABELS;
  return `${t(LABELS[text])} (${name.slice(-2)})`;
}
