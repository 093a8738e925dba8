/** The grid as it is typed: every field a text, so that nothing is lost of what cannot be read yet. */
import type { VariantGrid, VariantRow } from "@/api/types";
import { toAmount } from "../shared/amounts";

export const AMOUNTS = ["price", "height_cm"] as const;
export const TEXTS = ["sku", "dimensions", "weight"] as const;
type CountName = "stock_quantity" | "weight_grams" | "production_days_min" | "production_days_max";
export type FieldName = (typeof AMOUNTS)[number] | (typeof TEXTS)[number] | CountName;

/** What was changed of a row; a field that is what the server has is not here. */
export type RowChange = Partial<Record<FieldName, string>> & { in_stock?: boolean; image_ids?: number[] };
type Changes = Record<number, RowChange>;

export const shownValue = (row: VariantRow, name: FieldName): string => {
  const value = row[name];
  if (value === null) return "";
  return (AMOUNTS as readonly string[]).includes(name) ? String(value).replace(".", ",") : String(value);
};

/** Changes as a draft keeps them: by row and field, `7.price`. */
export function byField(changes: Changes): Record<string, unknown> {
  const fields = Object.entries(changes).flatMap(([id, change]) =>
    Object.entries(change).map(([name, value]) => [`${id}.${name}`, value]),
  );
  return Object.fromEntries(fields);
}

/** A draft's fields as changes of rows. */
export function byRow(fields: Record<string, unknown>): Changes {
  const changes: Record<string, Record<string, unknown>> = {};
  for (const [field, value] of Object.entries(fields)) {
    const [id = "", name = ""] = field.split(".");
    changes[id] = { ...changes[id], [name]: value };
  }
  return changes as Changes;
}

/** The changes of the grid after one more. */
export function withChange(changes: Changes, row: VariantRow, change: RowChange): Changes {
  const merged = { ...changes[row.id], ...change } as Record<string, unknown>;
  for (const [name, value] of Object.entries(merged)) if (isStored(row, name, value)) delete merged[name];
  const { [row.id]: _before, ...others } = changes;
  return Object.keys(merged).length ? { ...others, [row.id]: merged as RowChange } : others;
}

/** What was typed since changes were sent. */
export function typedSince(sent: Changes, changes: Changes): Changes {
  const rows = Object.entries(changes).map(([id, change]): [string, RowChange] => {
    const before = (sent[Number(id)] ?? {}) as Record<string, unknown>;
    return [id, Object.fromEntries(Object.entries(change).filter(([name, value]) => value !== before[name]))];
  });
  return Object.fromEntries(rows.filter(([, change]) => Object.keys(change).length > 0));
}

/** What changes are typed over: the grid's version, which numbers in stock are no part of, and those that they change. */
export const typedOver = ({ version, rows }: VariantGrid, changes: Changes): string =>
  [
    version,
    ...rows
      .filter(({ id }) => changes[id]?.stock_quantity !== undefined)
      .map((row) => `${row.id}:${row.stock_quantity}`),
  ].join();

/** Whether a value that was typed over is another one by now. */
export function isTypedOver(
  before: readonly VariantRow[],
  now: readonly VariantRow[],
  changes: Changes,
): boolean {
  return before.some((row) => {
    const fresh = now.find(({ id }) => id === row.id);
    const names = Object.keys(changes[row.id] ?? {}) as (keyof RowChange)[];
    return fresh && names.some((name) => String(fresh[name]) !== String(row[name]));
  });
}

function isStored(row: VariantRow, name: string, value: unknown): boolean {
  if (name === "in_stock") return row.in_stock === value;
  if (name === "image_ids")
    return [...(value as number[])].sort().join() === [...row.image_ids].sort().join();
  return shownValue(row, name as FieldName) === String(value).trim();
}

/** The rows as the server wants them: what cannot be read is sent as it is, and answered beside its field. */
export function rowsToSend(rows: readonly VariantRow[], changes: Changes): Record<string, unknown>[] {
  return rows.flatMap((row) => {
    const change = changes[row.id];
    if (!change) return [];
    const sent: Record<string, unknown> = { id: row.id };
    for (const [name, value] of Object.entries(change)) sent[name] = written(name, value);
    if ("stock_quantity" in change) sent.seen_stock = row.stock_quantity;
    return [sent];
  });
}

function written(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if ((TEXTS as readonly string[]).includes(name)) return text;
  if (!text) return null;
  if ((AMOUNTS as readonly string[]).includes(name)) return toAmount(text);
  return /^\d+$/.test(text) ? Number(text) : text;
}
