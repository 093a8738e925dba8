import type { CountryChoice, Quote } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { useTranslation } from "@/runtime/react";

export const NOTHING = "0.00";

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
          {quote.shipping_cost === NOTHING ? t("summary.deliveryFree") : formatMoney(quote.shipping_cost)}
        </dd>
      </div>
      <div className="order-summary__row order-summary__row--total">
        <dt>{t("summary.total")}</dt>
        <dd>{formatMoney(quote.total)}</dd>
      </div>
    </dl>
  );
}

interface DeliveryNotesProps {
  quote: Quote;
  country: CountryChoice | undefined;
}

/** When the parcel comes, and what may be due at a border. */
export function DeliveryNotes({ quote, country }: DeliveryNotesProps) {
  const { t } = useTranslation();
  return (
    <>
      {quote.lead_time && (
        <p className="order-summary__note">{t("summary.leadTime", { dates: quote.lead_time.text })}</p>
      )}
      {country?.duties_notice && <p className="order-summary__note">{t("summary.duties")}</p>}
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
