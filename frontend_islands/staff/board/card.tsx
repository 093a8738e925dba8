/** One piece: dragged, or moved a step by its buttons or the arrow keys on them. */
import { draggable } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { BoardCard, PieceStage } from "@/api/types";
import { Icon } from "@/lib/icon";
import { formatDay } from "@/staff/shared/dates";
import { translate } from "@/staff/shared/translate";
import { STAGE_NAMES, step } from "./stages";
import words from "./words.json";

const t = translate(words);

interface Props {
  card: BoardCard;
  isMoving: boolean;
  mayMove: boolean;
  onMove: (card: BoardCard, stage: PieceStage) => void;
  onPhotos: (card: BoardCard) => void;
}

/** Before it is painted there is nothing to show. */
const SHOWN: PieceStage[] = ["to_paint", "to_photograph", "to_pack", "shipped"];

export function Card({ card, isMoving, mayMove, onMove, onPhotos }: Props) {
  const element = useRef<HTMLLIElement>(null);
  const isFixed = !mayMove || isMoving || card.stage === "shipped";
  useEffect(() => {
    if (isFixed || !element.current) return undefined;
    return draggable({ element: element.current, getInitialData: () => ({ card: card.id }) });
  }, [isFixed, card.id]);
  return (
    <li
      ref={element}
      className="board-card"
      data-card={card.id}
      data-late={card.is_late || undefined}
      aria-busy={isMoving}
    >
      <div className="board-card__what">
        {card.picture && (
          <img src={card.picture} alt="" width="56" height="56" loading="lazy" draggable={false} />
        )}
        <div>
          <strong>{card.name}</strong>
          {card.detail && <span>{card.detail}</span>}
          <a href={`/admin/commandes/${card.order_id}`} draggable={false}>
            {t("order", { reference: card.reference })}
          </a>
          {card.quantity > 1 && (
            <span className="muted">{t("ofQuantity", { number: card.number, quantity: card.quantity })}</span>
          )}
        </div>
      </div>
      <p className="board-card__when">
        {card.is_late && <span className="order-flag order-flag--urgent">{t("late")}</span>}
        <span>{t("promised", { day: formatDay(card.promised_by) })}</span>
        {card.is_withdrawn && <span className="order-flag order-flag--urgent">{t("withdrawn")}</span>}
        {card.is_disputed && <span className="order-flag order-flag--urgent">{t("disputed")}</span>}
        {card.has_notes && <span className="order-flag">{t("customerNote")}</span>}
        {card.staff_notes > 0 && (
          <span className="order-flag">{t("notes", { count: card.staff_notes })}</span>
        )}
      </p>
      {mayMove && (
        <p className="board-card__steps">
          <Step card={card} direction={-1} isFixed={isFixed} onMove={onMove} />
          <Step card={card} direction={1} isFixed={isFixed} onMove={onMove} />
          {(card.photos > 0 || SHOWN.includes(card.stage)) && (
            <button
              className="button button--small"
              type="button"
              aria-label={t("photosOf", { count: card.photos, piece: card.name })}
              onClick={() => onPhotos(card)}
            >
              <Icon name="camera" />
              {card.photos > 0 && card.photos}
            </button>
          )}
        </p>
      )}
    </li>
  );
}

function Step({
  card,
  direction,
  isFixed,
  onMove,
}: {
  card: BoardCard;
  direction: 1 | -1;
  isFixed: boolean;
  onMove: Props["onMove"];
}) {
  const stage = step(card, direction);
  const forward = direction === 1;
  const go = (to: PieceStage | undefined) => {
    if (to && !isFixed) onMove(card, to);
  };
  const hear = ({ key }: KeyboardEvent) => {
    if (key === "ArrowRight") go(step(card, 1));
    if (key === "ArrowLeft") go(step(card, -1));
  };
  if (!stage) return null;
  const label = t(forward ? "nextOf" : "previousOf", { stage: STAGE_NAMES[stage], piece: card.name });
  return (
    <button
      className={forward ? "button button--small" : "button button--small board-card__back"}
      type="button"
      aria-label={label}
      aria-disabled={isFixed}
      data-step={direction}
      // The second half of a double click falls on the card that has come up.
      onClick={({ detail }) => detail < 2 && go(stage)}
      onKeyDown={hear}
    >
      {forward ? t("next") : <Icon name="arrow-left" />}
    </button>
  );
}
