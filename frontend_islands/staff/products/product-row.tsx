import { memo, useState } from "react";
import type { AdminProductRow, StaffProductsProps } from "@/api/types";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import { formatShortDay } from "../shared/dates";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);

interface RowProps {
  row: AdminProductRow;
  isChosen: boolean;
  rights: StaffProductsProps["rights"];
  trashDays: number;
  onToggle: (id: number) => void;
  onRemove: (row: AdminProductRow) => void;
  onRestore: (row: AdminProductRow) => void;
  onErase: (row: AdminProductRow) => void;
}

/** One product: what it is at a glance, and what can be done with it. */
export const ProductRow = memo(function ProductRow(props: RowProps) {
  const { row, isChosen, rights, trashDays, onToggle, onRemove, onRestore, onErase } = props;
  const address = `/admin/produits/${row.id}`;
  return (
    <li className="staff-rows__row product-row">
      {(row.trashed_at ? rights.remove : rights.stock) && (
        <label className="product-row__mark">
          <span className="visually-hidden">{t("select", { name: row.name })}</span>
          <input type="checkbox" checked={isChosen} onChange={() => onToggle(row.id)} />
        </label>
      )}
      <Picture row={row} />
      <div className="staff-rows__main">
        <p className="product-row__name">
          <a href={address}>{row.name}</a> <Badges row={row} />
        </p>
        {row.summary && <p className="product-row__summary">{row.summary}</p>}
        <p className="product-row__facts">
          <Price row={row} />
          <span>{row.category}</span>
          {row.source && <span>{t("source", { source: row.source })}</span>}
          <span>
            {row.trashed_at
              ? t("trashedOn", {
                  day: formatShortDay(row.trashed_at),
                  end: formatShortDay(row.trashed_at, trashDays),
                })
              : t("createdOn", { day: formatShortDay(row.created_at) })}
          </span>
        </p>
      </div>
      <div className="product-row__actions">
        {row.trashed_at && rights.remove && (
          <>
            <button
              className="button button--small"
              type="button"
              onClick={({ detail }) => detail < 2 && onRestore(row)}
              aria-label={t("restoreOne", { name: row.name })}
            >
              {t("restore")}
            </button>
            <button
              className="button button--small button--quiet"
              type="button"
              onClick={() => onErase(row)}
              aria-label={t("eraseOne", { name: row.name })}
            >
              {t("erase")}
            </button>
          </>
        )}
        {!row.trashed_at && (
          <a className="button button--small" href={address} aria-label={t("editOne", { name: row.name })}>
            <Icon name="pencil" />
            <span>{t("edit")}</span>
          </a>
        )}
        {!row.trashed_at && rights.remove && (
          <button
            className="button button--small button--quiet"
            type="button"
            onClick={() => onRemove(row)}
            aria-label={t("removeOne", { name: row.name })}
          >
            <Icon name="trash" />
          </button>
        )}
      </div>
    </li>
  );
});

function Picture({ row }: { row: AdminProductRow }) {
  const [isBroken, setIsBroken] = useState(false);
  if (!row.image || isBroken) {
    return (
      <span
        className="product-row__picture product-row__picture--none"
        role="img"
        aria-label={t("noPicture")}
      >
        <Icon name="brush" />
      </span>
    );
  }
  return (
    <img
      className="product-row__picture"
      src={row.image.url}
      alt=""
      width="64"
      height="64"
      loading="lazy"
      onError={() => setIsBroken(true)}
    />
  );
}

function Badges({ row }: { row: AdminProductRow }) {
  return (
    <>
      {row.featured && <span className="badge badge--finish">{t("badges.featured")}</span>}{" "}
      {row.sold_out && <span className="badge badge--sold-out">{t("badges.soldOut")}</span>}{" "}
      {row.promotion_label && <span className="badge badge--promo">{row.promotion_label}</span>}{" "}
      {row.archived_at ? (
        <span className="badge">{t("badges.archived")}</span>
      ) : (
        !row.is_published && !row.trashed_at && <span className="badge">{t("badges.hidden")}</span>
      )}{" "}
      {row.stale_texts.length > 0 && <span className="badge badge--stock">{t("badges.stale")}</span>}
    </>
  );
}

function Price({ row }: { row: AdminProductRow }) {
  const low = formatMoney(row.price_from);
  return (
    <span className="product-row__price">
      <strong>{row.price_to === row.price_from ? low : `${low} – ${formatMoney(row.price_to)}`}</strong>
      {row.original_price && (
        <>
          <span className="visually-hidden">{t("instead")}</span> <s>{formatMoney(row.original_price)}</s>
        </>
      )}
    </span>
  );
}
