import type { VariantFormat, VariantGrid } from "@/api/types";
import { deleteJson, getJson, patchJson, postJson, putJson } from "@/lib/api";

const product = (id: number) => `/api/admin/products/${id}`;
type Fields = Record<string, unknown>;

export const fetchGrid = (id: number, signal: AbortSignal) =>
  getJson<VariantGrid>(`${product(id)}/variants`, { signal });

export const saveGrid = (id: number, body: { version: string; rows: Fields[]; format_ids?: number[] }) =>
  putJson<VariantGrid>(`${product(id)}/variants`, body);

export const formatsPath = (id: number) => `${product(id)}/variations`;

export const changeFormat = (id: number, format: number, fields: Fields) =>
  patchJson<VariantFormat>(`${product(id)}/variations/${format}`, fields);

export const makeDefault = (id: number, format: number) =>
  postJson<VariantFormat>(`${product(id)}/variations/${format}/default`, null);

export const removeFormat = (id: number, format: number) =>
  deleteJson<void>(`${product(id)}/variations/${format}`);
