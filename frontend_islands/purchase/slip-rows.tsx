import { formatMoney } from "@/lib/money";
import { useTranslation } from "@/runtime/react";
import type { CountryChoice, Quote } from "./types";

export const NOTHING = "0.00";

interface SlipRowsProps {
  quote: Quote;
  /** Whether newer figures are on their way. */
  isBusy?: boolean;
}

/** The figures of a quote, each as the server wrote it. */
export function SlipRows({ quote, isBusy = false }: SlipRowsProps) {
  const { t } = useTranslation();
  const hasSavings = quote.promotion_savings !== NOTHING;
  return (
    <dl className="slip__rows" aria-busy={isBusy}>
      <div className="slip__row">
        <dt>{t("slip.items", { quantity: quote.item_count })}</dt>
        <dd>{formatMoney(quote.original_total)}</dd>
      </div>
      {hasSavings && (
        <>
          <div className="slip__row slip__row--saving">
            <dt>{t("slip.savings")}</dt>
            <dd>{formatMoney(`-${quote.promotion_savings}`)}</dd>
          </div>
          <div className="slip__row">
            <dt>{t("slip.subtotal")}</dt>
            <dd>{formatMoney(quote.subtotal)}</dd>
          </div>
        </>
      )}
      <div className="slip__row">
        <dt>{t("slip.delivery")}</dt>
        <dd>{quote.shipping_cost === NOTHING ? t("slip.deliveryFree") : formatMoney(quote.shipping_cost)}</dd>
      </div>
      <div className="slip__row slip__row--total">
        <dt>{t("slip.total")}</dt>
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
      {quote.lead_time && <p className="slip__note">{t("slip.leadTime", { dates: quote.lead_time.text })}</p>}
      {country?.duties_notice && <p className="slip__note">{t("slip.duties")}</p>}
    </>
  );
}
