/** The cart's own lines beside what the server says of them. */
import { type CartLine, lineKey, removeLine, setQuantity } from "@/lib/cart";
import type { QuoteLine } from "./types";

export interface Row {
  quoted: QuoteLine;
  /** The kept lines that `quoted` answers; more than one where the server found them to be the same article. */
  kept: CartLine[];
  quantity: number;
}

/** The rows to draw: lines that were removed since the quote are left out, quantities are the present ones. */
export function rowsOf(quoted: readonly QuoteLine[], lines: readonly CartLine[]): Row[] {
  const rows = quoted.map((line): Row => ({ quoted: line, kept: [], quantity: 0 }));
  for (const line of lines) {
    const row =
      rows.find((each) => each.quoted.key === lineKey(line)) ?? rows.find((each) => fits(each, line));
    if (!row) continue;
    row.kept.push(line);
    row.quantity += line.quantity;
  }
  return rows.filter((row) => row.kept.length > 0);
}

/** A kept line that names no format or finish got the default one. */
function fits({ quoted }: Row, line: CartLine): boolean {
  return (
    quoted.product_id === line.product_id &&
    (line.variation_id === null || line.variation_id === quoted.variation_id) &&
    (line.finish === null || line.finish === quoted.finish)
  );
}

export function removeRow({ kept }: Row): void {
  for (const line of kept) removeLine(lineKey(line));
}

/** At least 1: removing is a decision of its own. */
export function setRowQuantity({ kept }: Row, quantity: number): void {
  const [first, ...others] = kept;
  for (const line of others) removeLine(lineKey(line));
  if (first) setQuantity(lineKey(first), Math.max(1, quantity));
}
