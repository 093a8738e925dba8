/** The list's calls, and what its address says. */
import type { AdminProductPage, BulkAnswer } from "@/api/types";
import { deleteJson, getJson, postJson } from "@/lib/api";

const PRODUCTS = "/api/admin/products";

/** What the list shows, each "" where nothing was chosen: also the query of the page's address. */
export interface Filters {
  search: string;
  category: string;
  state: string;
  ordering: string;
}

const NAMES = ["search", "category", "state", "ordering"] as const;

export function filtersOfAddress(): Filters {
  const query = new URLSearchParams(location.search);
  return {
    search: query.get("search") ?? "",
    category: query.get("category") ?? "",
    state: query.get("state") ?? "",
    ordering: query.get("ordering") ?? "",
  };
}

/** The promotion to which pieces are added, where its page led here; "" for a new one. */
export const promotionOfAddress = () =>
  /^\d+$/.exec(new URLSearchParams(location.search).get("promotion") ?? "")?.[0] ?? "";

/** The filters as a query, those that were not chosen left out. */
export function queryOf(filters: Filters): URLSearchParams {
  return new URLSearchParams(NAMES.filter((name) => filters[name]).map((name) => [name, filters[name]]));
}

export function fetchPage(filters: Filters, cursor: string, signal: AbortSignal): Promise<AdminProductPage> {
  const query = queryOf(filters);
  if (cursor) query.set("cursor", cursor);
  return getJson<AdminProductPage>(`${PRODUCTS}?${query}`, { signal });
}

export function exportAddress(filters: Filters): string {
  const query = queryOf(filters);
  return `${PRODUCTS}/export.csv${query.size ? `?${query}` : ""}`;
}

interface BulkCall {
  ids: number[];
  action: "update" | "delete" | "restore";
  fields?: Record<string, unknown>;
  dry_run?: boolean;
  preview_key?: string;
}

export function sendBulk(call: BulkCall): Promise<BulkAnswer> {
  return postJson<BulkAnswer>(`${PRODUCTS}/bulk`, call);
}

/** For ever; only one of the trash. */
export function eraseProduct(id: number): Promise<void> {
  return deleteJson<void>(`${PRODUCTS}/${id}?permanently=true`);
}
