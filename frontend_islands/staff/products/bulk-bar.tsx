import type { StaffProductsProps } from "@/api/types";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);

interface BulkBarProps {
  count: number;
  /** The most that one call takes. */
  most: number;
  isTrash: boolean;
  rights: StaffProductsProps["rights"];
  onEdit: () => void;
  onRemove: () => void;
  onRestore: () => void;
  onClear: () => void;
  /** Key of the promotion that the products are added to; "" to make a new one. */
  promotion: string;
  /** Page on which a promotion is made, or these products are added to that one. */
  promotionUrl: string;
}

/** What can be done with the products that are marked. */
export function BulkBar({
  count,
  most,
  isTrash,
  rights,
  onEdit,
  onRemove,
  onRestore,
  onClear,
  promotion,
  promotionUrl,
}: BulkBarProps) {
  const isTooMany = count > most;
  return (
    <section className="staff-bulk" aria-label={t("bulk.label")}>
      {isTooMany && <p role="alert">{t("bulk.tooMany", { most })}</p>}
      {isTrash && rights.remove && (
        <button
          className="button button--small"
          type="button"
          disabled={isTooMany}
          onClick={({ detail }) => detail < 2 && onRestore()}
        >
          {t("bulk.restore", { count })}
        </button>
      )}
      {!isTrash && rights.stock && (
        <button
          className="button button--small button--primary"
          type="button"
          disabled={isTooMany}
          onClick={onEdit}
        >
          {t("bulk.edit", { count })}
        </button>
      )}
      {!isTrash && rights.prices && !isTooMany && (
        <a className="button button--small" href={promotionUrl}>
          {t(promotion ? "bulk.addToPromotion" : "bulk.promotion")}
        </a>
      )}
      {!isTrash && rights.remove && (
        <button className="button button--small" type="button" disabled={isTooMany} onClick={onRemove}>
          {t("bulk.remove", { count })}
        </button>
      )}
      <button className="button button--small button--quiet" type="button" onClick={onClear}>
        {t("bulk.none")}
      </button>
    </section>
  );
}
