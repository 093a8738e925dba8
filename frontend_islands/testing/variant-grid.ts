/** What the grid of variants is made of. */
import type { StaffVariantsProps, VariantRow } from "@/api/types";

export const RIGHTS: StaffVariantsProps["rights"] = {
  edit: true,
  prices: true,
  stock: true,
  remove: true,
  history: true,
};

export function row(id: number, label: string, fields: Partial<VariantRow> = {}): VariantRow {
  return {
    id,
    variation_id: id,
    finish: "painted",
    label,
    price: null,
    unit_price: "50.00",
    in_stock: true,
    available: true,
    offered: true,
    stock_quantity: 4,
    held_units: 0,
    waiting: 0,
    sku: "",
    weight_grams: null,
    weight: "",
    dimensions: "",
    height_cm: null,
    production_days_min: null,
    production_days_max: null,
    image_ids: [],
    thumbnail_url: "",
    ...fields,
  };
}

export function format(id: number, name: string) {
  return {
    id,
    product_id: 1,
    name,
    name_en: "",
    name_es: "",
    name_de: "",
    price_adjustment: "0.00",
    price_override: null,
    in_stock: true,
    sku: "",
    image_url: null,
    gallery_images: [],
    is_default: id === 1,
    sort_order: id,
  };
}
