/** The parts that a line of the cart and one of the recap share. */

import type { QuoteLine } from "@/api/types";
import { useTranslation } from "@/runtime/react";

/** The piece's name; of one that left the catalogue only the number is known. */
export function useLineName(): (line: QuoteLine) => string {
  const { t } = useTranslation();
  return (line) => line.name || t("summary.unknown", { number: line.product_id });
}

/** The name follows beside it: the picture is decoration. */
export function LinePhoto({ line }: { line: QuoteLine }) {
  const { image } = line;
  if (!image) return <span className="line__photo" />;
  return (
    <span className="line__photo">
      <img
        src={image.url}
        srcSet={image.srcset || undefined}
        sizes="96px"
        width="96"
        height="96"
        alt=""
        decoding="async"
      />
    </span>
  );
}

export function LineBadges({ line }: { line: QuoteLine }) {
  const { finish_label, variation_name, promotion_label, available } = line;
  if (!finish_label && !variation_name && !promotion_label) return null;
  return (
    <p className="line__badges">
      {finish_label && <span className="badge badge--finish">{finish_label}</span>}
      {variation_name && <span className="badge">{variation_name}</span>}
      {promotion_label && available && <span className="badge badge--promo">{promotion_label}</span>}
    </p>
  );
}

/** The units that cost nothing, on a row of their own. */
export function FreeRow({ line }: { line: QuoteLine }) {
  const { t } = useTranslation();
  const name = useLineName()(line);
  return (
    <li className="line line--free">
      <div className="line__body">
        <p className="line__name">{t("summary.units", { quantity: line.free_quantity, name })}</p>
      </div>
      <p className="line__total">
        <span className="badge badge--free">{t("summary.free")}</span>
      </p>
    </li>
  );
}
