/** What each field of a product is called. */
import { translate } from "../shared/translate";
import type { Name, Translated } from "./values";
import words from "./words.json";

const t = translate(words);
const LABELS: Record<Exclude<Name, Translated>, string> = {
  name: t("fields.name"),
  category: t("fields.category"),
  description: t("fields.description"),
  full_description: t("fields.full_description"),
  price: t("fields.price"),
  original_price: t("fields.original_price"),
  painted_price: t("fields.painted_price"),
  unpainted_price: t("fields.unpainted_price"),
  featured: t("fields.featured"),
  in_stock: t("fields.in_stock"),
  stock_quantity: t("fields.stock_quantity"),
  is_published: t("fields.is_published"),
  dimensions: t("fields.dimensions"),
  height_cm: t("fields.height_cm"),
  weight: t("fields.weight"),
  weight_grams: t("fields.weight_grams"),
  material: t("fields.material"),
  paint_type: t("fields.paint_type"),
  production_days_min: t("fields.production_days_min"),
  production_days_max: t("fields.production_days_max"),
  safety_class: t("fields.safety_class"),
  minimum_age: t("fields.minimum_age"),
  warnings: t("fields.warnings"),
  maker: t("fields.maker"),
  hs_code: t("fields.hs_code"),
  origin_country: t("fields.origin_country"),
  external_id: t("fields.external_id"),
  slug: t("fields.slug"),
  picked_similar: t("fields.picked_similar"),
  promotion_active: t("fields.promotion_active"),
  promotion_type: t("fields.promotion_type"),
  promotion_buy_quantity: t("fields.promotion_buy_quantity"),
  promotion_get_quantity: t("fields.promotion_get_quantity"),
  promotion_percent: t("fields.promotion_percent"),
  promotion_amount: t("fields.promotion_amount"),
};

/** A field's name; a translation's with its language. */
export function labelOf(name: Name): string {
  const label = (of: string) => LABELS[of as keyof typeof LABELS];
  return name in LABELS ? label(name) : `${label(name.slice(0, -3))} (${name.slice(-2)})`;
}
