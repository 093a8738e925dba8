/** Where each piece of an order stands at the workshop, and its photographs. */
import type { SheetPiece, StaffOrderSheet } from "@/api/types";
import { Icon } from "@/lib/icon";
import { pieceLabel } from "@/staff/shared/piece-label";
import { translate } from "@/staff/shared/translate";
import { STAGE_NAMES } from "../board/stages";
import { Sheet } from "./sections";
import words from "./words.json";

const t = translate(words);

interface Props {
  order: StaffOrderSheet;
  onPhotos: (piece: SheetPiece) => void;
}

export function Workshop({ order, onPhotos }: Props) {
  if (order.pieces.length === 0) return null;
  return (
    <Sheet title={t("workshop")}>
      <ul className="order-workshop">
        {order.pieces.map((piece) => (
          <li key={piece.id}>
            <span>
              <strong>{pieceLabel(piece.name, piece.detail)}</strong>
              {piece.quantity > 1 && ` ${t("unitOf", { number: piece.number, quantity: piece.quantity })}`}
              <span className="muted"> · {STAGE_NAMES[piece.stage]}</span>
            </span>
            {order.may.note && (
              <button
                className="button button--small"
                type="button"
                aria-label={`${piece.photos.length || t("photograph")}, ${t("photosOf", { count: piece.photos.length, piece: pieceLabel(piece.name, piece.detail) })}`}
                onClick={() => onPhotos(piece)}
              >
                <Icon name="camera" />
                {piece.photos.length || t("photograph")}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
