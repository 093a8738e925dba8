/** Lines of an order, told apart by finish and format, with their picture. */
import type { ReactNode } from "react";
import type { SheetLine, StaffOrderSheet } from "@/api/types";
import { Icon } from "@/lib/icon";
import { pieceLabel } from "@/staff/shared/piece-label";
import { translate } from "@/staff/shared/translate";
import words from "./words.json";

const t = translate(words);

export function Piece({ line, children }: { line: SheetLine; children?: ReactNode }) {
  return (
    <li className="order-piece">
      {line.product_image ? (
        <img
          className="order-piece__picture"
          src={line.product_image}
          alt=""
          width="64"
          height="64"
          loading="lazy"
        />
      ) : (
        <span className="order-piece__picture" />
      )}
      <div className="order-piece__text">
        <strong>{line.product_name}</strong>
        {line.detail && <span className="order-piece__detail">{line.detail}</span>}
        {line.sku && <span className="muted">{t("sku", { sku: line.sku })}</span>}
      </div>
      {children}
    </li>
  );
}

/** Units of lines as a text each: "2 × Golem de poche (Peint)". */
export function piecesOf(order: StaffOrderSheet, units: { item_id: number; quantity: number }[]): string[] {
  const labels = new Map(order.lines.map((line) => [line.id, pieceLabel(line.product_name, line.detail)]));
  return units.map((unit) => `${unit.quantity} × ${labels.get(unit.item_id) ?? ""}`);
}

interface StepperProps {
  label: string;
  value: number;
  most: number;
  onChange: (value: number) => void;
}

/** A number between none and `most`, by two buttons of a thumb's size; one that goes no further keeps the focus. */
export function Stepper({ label, value, most, onChange }: StepperProps) {
  return (
    <fieldset className="order-stepper">
      <legend className="visually-hidden">{label}</legend>
      <button
        type="button"
        aria-label={t("less")}
        aria-disabled={value === 0}
        onClick={() => value > 0 && onChange(value - 1)}
      >
        <Icon name="minus" />
      </button>
      <output>
        {value} <span className="muted">{t("ofLeft", { count: most })}</span>
      </output>
      <button
        type="button"
        aria-label={t("plus")}
        aria-disabled={value === most}
        onClick={() => value < most && onChange(value + 1)}
      >
        <Icon name="plus" />
      </button>
    </fieldset>
  );
}
