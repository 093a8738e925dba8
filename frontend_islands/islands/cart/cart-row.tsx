import { useState } from "react";
import type { QuoteLine } from "@/api/types";
import { type CartLine, lineKey, MAX_QUANTITY, removeLine, setQuantity } from "@/lib/cart";
import { formatMoney } from "@/lib/money";
import { FreeRow, LineBadges, LinePhoto, OldPrice, useLineName } from "@/purchase/quote-parts";
import { useTranslation } from "@/runtime/react";

interface CartRowProps {
  row: Row;
  onRemove: () => void;
  /** The quantity was set to what is left, by a button that is gone now. */
  onReduce: () => void;
}

export function CartRow({ row, onRemove, onReduce }: CartRowProps) {
  const { t } = useTranslation();
  const { quoted: line, quantity } = row;
  const name = useLineName()(line);
  const left = line.available_quantity;
  return (
    <>
      <li className={line.available ? "line" : "line line--unavailable"}>
        <LinePhoto line={line} />
        <div className="line__body">
          <h3 className="line__name">{line.url ? <a href={line.url}>{name}</a> : name}</h3>
          <LineBadges line={line} />
          {line.available && line.unit_price && (
            <p className="line__unit">
              {t("cart.unit", { price: formatMoney(line.unit_price) })}{" "}
              <OldPrice text={line.original_price && formatMoney(line.original_price)} />
            </p>
          )}
          {line.available && line.reserved && <p className="line__unit">{t("cart.reserved")}</p>}
          {!line.available && <p className="line__problem">{line.problem_detail || t("cart.unavailable")}</p>}
          {!line.available && left !== null && left > 0 && left < quantity && (
            <button
              className="button button--small"
              type="button"
              onClick={() => {
                setRowQuantity(row, left);
                onReduce();
              }}
            >
              {t("cart.setTo", { quantity: left })}
            </button>
          )}
        </div>
        <div className="line__controls">
          {line.available && (
            <Stepper row={row} name={name} most={Math.min(left ?? MAX_QUANTITY, MAX_QUANTITY)} />
          )}
          <button
            className="link-button"
            type="button"
            data-remove
            aria-label={t("cart.removeNamed", { name })}
            onClick={onRemove}
          >
            {t("cart.remove")}
          </button>
        </div>
        <p className="line__total price">{line.available && formatMoney(line.line_total)}</p>
      </li>
      {line.free_quantity > 0 && (
        <FreeRow text={t("cart.including", { quantity: line.free_quantity, name })} />
      )}
    </>
  );
}

interface StepperProps {
  row: Row;
  name: string;
  most: number;
}

/** Never below 1. The buttons at either end keep the focus: they refuse instead of being disabled. */
function Stepper({ row, name, most }: StepperProps) {
  const { t } = useTranslation();
  const { quantity } = row;
  /** What is being typed; null when nothing is. */
  const [draft, setDraft] = useState<string | null>(null);
  const hintId = `most-${row.quoted.key}`;
  const isMost = quantity >= most;

  const commit = () => {
    const typed = Number(draft);
    if (draft !== null && Number.isInteger(typed) && typed > 0) setRowQuantity(row, Math.min(typed, most));
    setDraft(null);
  };
  const step = (by: number) => {
    const next = quantity + by;
    if (next >= 1 && next <= Math.max(most, quantity)) setRowQuantity(row, next);
  };

  return (
    <>
      <div className="stepper">
        <button
          className="stepper__button"
          type="button"
          aria-label={t("cart.decrease", { name })}
          aria-disabled={quantity <= 1}
          onClick={() => step(-1)}
        >
          −
        </button>
        <input
          className="stepper__value"
          type="text"
          inputMode="numeric"
          autoComplete="off"
          aria-label={t("cart.quantity", { name })}
          aria-describedby={isMost ? hintId : undefined}
          value={draft ?? quantity}
          onChange={(event) => setDraft(event.target.value)}
          onFocus={(event) => event.target.select()}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
            if (event.key === "Escape") setDraft(null);
          }}
        />
        <button
          className="stepper__button"
          type="button"
          aria-label={t("cart.increase", { name })}
          aria-disabled={isMost}
          onClick={() => step(1)}
        >
          +
        </button>
      </div>
      {isMost && (
        <p className="line__unit" id={hintId}>
          {t("cart.atMost", { most })}
        </p>
      )}
    </>
  );
}

export interface Row {
  quoted: QuoteLine;
  /** The cart's lines that `quoted` answers; more than one where the server found them to be the same article. */
  lines: CartLine[];
  quantity: number;
}

/** The rows to draw: lines that were removed since the quote are left out, quantities are the present ones. */
export function rowsOf(quoted: readonly QuoteLine[], lines: readonly CartLine[]): Row[] {
  const rows = quoted.map((line): Row => ({ quoted: line, lines: [], quantity: 0 }));
  for (const line of lines) {
    const row =
      rows.find((each) => each.quoted.key === lineKey(line)) ?? rows.find((each) => fits(each, line));
    if (!row) continue;
    row.lines.push(line);
    row.quantity += line.quantity;
  }
  return rows.filter((row) => row.lines.length > 0);
}

/** A line that names no format or finish got the default one. */
function fits({ quoted }: Row, line: CartLine): boolean {
  return (
    quoted.product_id === line.product_id &&
    (line.variation_id === null || line.variation_id === quoted.variation_id) &&
    (line.finish === null || line.finish === quoted.finish)
  );
}

/** Removes every line of the cart that the row shows. */
export function removeRow({ lines }: Row): void {
  for (const line of lines) removeLine(lineKey(line));
}

/** At least 1: removing is a decision of its own. */
function setRowQuantity({ lines }: Row, quantity: number): void {
  const [first, ...others] = lines;
  for (const line of others) removeLine(lineKey(line));
  if (first) setQuantity(lineKey(first), Math.max(1, quantity));
}
