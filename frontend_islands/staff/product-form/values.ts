/** What the form holds: texts, as they are typed. The same names as the API's. */
import { STAFF_LIMITS } from "@/api/limits";
import type { AdminProduct } from "@/api/types";
import { toAmount } from "../shared/amounts";
import { TRANSLATIONS, type Translation } from "../shared/translations";

export const TEXTS = [
  "name",
  "description",
  "full_description",
  "material",
  "paint_type",
  "warnings",
] as const;
export type Text = (typeof TEXTS)[number];
export type Translated = `${Text}_${Translation}`;

const FLAGS = ["featured", "in_stock", "is_published", "promotion_active"] as const;
const WHOLE = [
  "stock_quantity",
  "weight_grams",
  "production_days_min",
  "production_days_max",
  "minimum_age",
  "promotion_buy_quantity",
  "promotion_get_quantity",
  "promotion_percent",
] as const;
const AMOUNTS = [
  "price",
  "original_price",
  "painted_price",
  "unpainted_price",
  "promotion_amount",
  "height_cm",
] as const;
const PLAIN = [
  "slug",
  "dimensions",
  "weight",
  "hs_code",
  "origin_country",
  "safety_class",
  "maker",
  "external_id",
  "promotion_type",
] as const;
const TRANSLATED = TRANSLATIONS.flatMap((language) => TEXTS.map((text) => `${text}_${language}` as const));

export type FlagName = (typeof FLAGS)[number];
export type LineName =
  | Text
  | Translated
  | "category"
  | (typeof WHOLE)[number]
  | (typeof AMOUNTS)[number]
  | (typeof PLAIN)[number];
export type Values = Record<LineName, string> &
  Record<FlagName, boolean> & { picked_similar: { id: number; name: string }[] };
export type Name = keyof Values;

const LINES: readonly LineName[] = [...TEXTS, ...TRANSLATED, "category", ...WHOLE, ...AMOUNTS, ...PLAIN];
export const NAMES: readonly Name[] = [...LINES, ...FLAGS, "picked_similar"];
export const EMPTY: Values = {
  ...(Object.fromEntries(LINES.map((name) => [name, ""])) as Record<LineName, string>),
  featured: false,
  in_stock: true,
  is_published: true,
  promotion_active: false,
  picked_similar: [],
};

/** A product as the form shows it. */
export function valuesOf(product: AdminProduct): Values {
  const lines = LINES.map((name) => [name, written(name, product)]);
  return {
    ...(Object.fromEntries(lines) as Record<LineName, string>),
    featured: product.featured ?? false,
    in_stock: product.in_stock ?? true,
    is_published: product.is_published ?? false,
    promotion_active: product.promotion_active ?? false,
    picked_similar: product.picked_similar_names.map(({ id, name }) => ({ id, name })),
  };
}

/** What of the form a call sends, as the API takes it. */
export function toCall(values: Values, names: Iterable<Name>): Record<string, unknown> {
  const call: Record<string, unknown> = {};
  for (const name of names) {
    const value = values[name];
    if (name === "picked_similar") call[name] = values.picked_similar.map(({ id }) => id);
    else if (typeof value === "boolean") call[name] = value;
    else if (isIn(AMOUNTS, name)) call[name] = toAmount(String(value)) || null;
    else if (isIn(WHOLE, name)) call[name] = String(value).trim() ? Number(value) : null;
    else if (name === "category") call[name] = Number(value) || "";
    else if (name === "external_id") call[name] = String(value).trim() || null;
    else call[name] = String(value).trim();
  }
  return call;
}

/** Why a line can't be sent, as a key of words with its figure; nothing when it can. The server says the rest. */
export function faultOf(
  name: LineName,
  typed: string,
  isRequired = false,
):
  | { key: "required" | "tooLong" | "amount" | "above" | "whole" | "most" | "height"; max?: number }
  | undefined {
  const text = typed.trim();
  const max = (STAFF_LIMITS.AdminProductRequest as Record<string, number>)[name];
  if (!text) return isRequired ? { key: "required" } : undefined;
  if (name === "height_cm") return /^\d+([.,]\d)?$/.test(text) ? undefined : { key: "height" };
  if (isIn(AMOUNTS, name)) {
    const amount = toAmount(text);
    if (!/^\d{1,8}(\.\d{1,2})?$/.test(amount)) return { key: "amount" };
    return Number(amount) > 0 ? undefined : { key: "above" };
  }
  if (isIn(WHOLE, name)) {
    if (!/^\d{1,9}$/.test(text)) return { key: "whole" };
    return max !== undefined && Number(text) > max ? { key: "most", max } : undefined;
  }
  return max !== undefined && text.length > max ? { key: "tooLong", max } : undefined;
}

/** The names whose values differ. */
export function differing(one: Values, other: Values): Name[] {
  return NAMES.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

function written(name: LineName, product: AdminProduct): string {
  if (name === "category") return String(product.category_id);
  const value = product[name as keyof AdminProduct];
  if (value === null || value === undefined) return "";
  return isIn(AMOUNTS, name) ? String(value).replace(".", ",") : String(value);
}

function isIn(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
