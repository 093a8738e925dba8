/** What cart, checkout and payment result draw of a quote. */
import type { ReactNode } from "react";
import type { Quote, QuoteLine } from "@/api/types";
import type { ApiProblem } from "@/lib/api";
import { readNames } from "@/lib/cart-storage";
import { formatMoney } from "@/lib/money";
import { useTranslation } from "@/runtime/react";
import { Marked, useProblemText } from "./texts";

const NOTHING = "0.00";

interface SummaryRowsProps {
  quote: Quote;
  /** Whether newer figures are on their way. */
  isBusy?: boolean;
}

/** The figures of a quote, each as the server wrote it. */
export function SummaryRows({ quote, isBusy = false }: SummaryRowsProps) {
  const { t } = useTranslation();
  const hasSavings = quote.promotion_savings !== NOTHING;
  return (
    <dl className="order-summary__rows" aria-busy={isBusy}>
      <div className="order-summary__row">
        <dt>{t("summary.items", { quantity: quote.item_count })}</dt>
        <dd>{formatMoney(quote.original_total)}</dd>
      </div>
      {hasSavings && (
        <>
          <div className="order-summary__row order-summary__row--saving">
            <dt>{t("summary.savings")}</dt>
            <dd>{formatMoney(`-${quote.promotion_savings}`)}</dd>
          </div>
          <div className="order-summary__row">
            <dt>{t("summary.subtotal")}</dt>
            <dd>{formatMoney(quote.subtotal)}</dd>
          </div>
        </>
      )}
      <div className="order-summary__row">
        <dt>{t("summary.delivery")}</dt>
        <dd>
          {quote.item_count === 0
            ? "–"
            : quote.shipping_cost === NOTHING
              ? t("summary.deliveryFree")
              : formatMoney(quote.shipping_cost)}
        </dd>
      </div>
      <div className="order-summary__row order-summary__row--total">
        <dt>{t("summary.total")}</dt>
        <dd>{formatMoney(quote.total)}</dd>
      </div>
    </dl>
  );
}

/** The price before, crossed out, beside a lower one; nothing where the law allows none. */
export function OldPrice({ text }: { text: string | null | undefined }) {
  const { t } = useTranslation();
  return text ? (
    <s className="price-was">
      <span className="visually-hidden">{t("cart.insteadOf")} </span>
      {text}
    </s>
  ) : null;
}

/** When the parcel comes, and what may be due at a border. */
export function DeliveryNotes({ quote }: { quote: Quote }) {
  const { t } = useTranslation();
  return (
    <>
      {quote.lead_time && (
        <p className="order-summary__note">{t("summary.leadTime", { dates: quote.lead_time.text })}</p>
      )}
      {quote.customs_notice && <p className="order-summary__note">{t("summary.duties")}</p>}
      {quote.lead_time?.christmas && (
        <p className="order-summary__note">
          <strong>{quote.lead_time.christmas}</strong>
        </p>
      )}
    </>
  );
}

interface PlanProps {
  /** The parts in the order of their days; the first is paid with the order. */
  plan: Quote["installments"]["plan"];
}

/** Every part of an order in installments with its day, as the server wrote them. */
export function Plan({ plan }: PlanProps) {
  const { t } = useTranslation();
  return (
    <dl className="plan">
      {plan.map(({ due, due_text, amount }, index) => (
        <div className="plan__part" key={due}>
          <dt>{index === 0 ? t("summary.planToday") : due_text}</dt>
          <dd>{formatMoney(amount)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How far the cart is from free delivery, where there is one. */
export function FreeDelivery({ quote }: { quote: Quote }) {
  const { t } = useTranslation();
  const missing = quote.free_shipping_missing;
  if (missing === null || quote.item_count === 0) return null;
  const isFree = missing === NOTHING;
  return (
    <div className={isFree ? "free-delivery free-delivery--reached" : "free-delivery"}>
      <p className="free-delivery__text">
        {isFree ? (
          t("cart.deliveryIsFree")
        ) : (
          <Marked
            text={t("cart.missingForFree", { amount: formatMoney(missing) })}
            draw={(part) => <strong>{part}</strong>}
          />
        )}
      </p>
      <progress
        className="free-delivery__bar"
        max="100"
        value={quote.free_shipping_share}
        aria-hidden="true"
      />
    </div>
  );
}

/** The piece's name; of one that left the catalogue the name it had in this browser, else its number. */
export function useLineName(): (line: QuoteLine) => string {
  const { t } = useTranslation();
  const names = readNames();
  return (line) =>
    line.name || String(names[line.product_id] ?? "") || t("summary.unknown", { number: line.product_id });
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

/** The units that cost nothing, on a row of their own; below their name what tells them from others of that name. */
export function FreeRow({ text, children }: { text: string; children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <li className="line line--free">
      <div className="line__body">
        <p className="line__name">{text}</p>
        {children}
      </div>
      <p className="line__total">
        <span className="badge badge--free">{t("summary.free")}</span>
      </p>
    </li>
  );
}

interface QuoteProblemProps {
  problem: ApiProblem;
  onRetry: () => void;
}

/** Why the cart has no current price, with a button to ask again. */
export function QuoteProblem({ problem, onRetry }: QuoteProblemProps) {
  const { t } = useTranslation();
  const problemText = useProblemText();
  return (
    <div className="alert alert--error" role="alert">
      <p className="alert__title">{t("cart.failedTitle")}</p>
      <p>{problemText(problem)}</p>
      <button className="button button--small" type="button" onClick={onRetry}>
        {t("cart.retry")}
      </button>
    </div>
  );
}
