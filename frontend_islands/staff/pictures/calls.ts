import type { StaffGallery, StaffPhoto } from "@/api/types";
import { getJson, patchJson, postJson, putJson } from "@/lib/api";

const images = (product: number) => `/api/admin/products/${product}/images`;

interface Arrangement {
  ids: number[];
  removed_ids: number[];
  seen_ids: number[];
}

export const uploadAddress = images;

export const fetchGallery = (product: number, options: { signal?: AbortSignal } = {}) =>
  getJson<StaffGallery>(images(product), options);

export const addByAddress = (product: number, url: string, key: string) =>
  postJson<StaffPhoto>(images(product), { url }, { headers: { "Idempotency-Key": key } });

export const arrange = (product: number, arrangement: Arrangement) =>
  putJson<StaffGallery>(`${images(product)}/order`, arrangement);

export const changePhoto = (product: number, id: number, fields: Record<string, unknown>) =>
  patchJson<StaffPhoto>(`${images(product)}/${id}`, fields);
