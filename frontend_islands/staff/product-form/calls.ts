import type { AdminProduct, PriceHistory, PromotionPreview } from "@/api/types";
import { deleteJson, getJson, patchJson, postJson } from "@/lib/api";

export const PRODUCTS = "/api/admin/products";
type Fields = Record<string, unknown>;

export const fetchProduct = (id: number, options: { signal?: AbortSignal } = {}) =>
  getJson<AdminProduct>(`${PRODUCTS}/${id}`, options);

export const changeProduct = (id: number, fields: Fields) =>
  patchJson<AdminProduct>(`${PRODUCTS}/${id}`, fields);

export const runAction = (id: number, action: "archive" | "unarchive" | "restore") =>
  postJson<AdminProduct>(`${PRODUCTS}/${id}/${action}`, {});

export const removeProduct = (id: number) => deleteJson<void>(`${PRODUCTS}/${id}`);

export const fetchPrices = (id: number, signal: AbortSignal) =>
  getJson<PriceHistory>(`${PRODUCTS}/${id}/prices`, { signal });

export const previewPromotion = (id: number, fields: Fields, signal: AbortSignal) =>
  postJson<PromotionPreview>(`${PRODUCTS}/${id}/promotion-preview`, { fields }, { signal });
