import { useId } from "react";
import type { CartProps, CountryChoice, Quote } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { PaymentMethods } from "@/purchase/payment-methods";
import { DeliveryNotes, NOTHING, Plan, SummaryRows } from "@/purchase/quote-parts";
import { Marked } from "@/purchase/texts";
import type { Quoting, useCountry } from "@/purchase/use-quote";
import { useTranslation } from "@/runtime/react";
import type { Row } from "./cart-row";

interface SummaryProps {
  quoting: Quoting;
  rows: readonly Row[];
  countries: readonly CountryChoice[];
  country: ReturnType<typeof useCountry>;
  /** The one that was typed into the checkout's form; empty for none. */
  postcode: string;
  methods: CartProps["payment_methods"];
  links: CartProps["links"];
}

/** What it costs to have the cart delivered, and the link to the checkout. */
export function Summary({
  quoting,
  rows,
  countries,
  country,
  postcode,
  methods,
  links,
}: SummaryProps) {
  const { t } = useTranslation();
  const id = useId();
  const { quote, isCurrent, problem } = quoting;
  const isBlocked = rows.some(({ quoted }) => !quoted.available);
  const isWaiting = !quote && !problem;
  const reason = isBlocked ? t("cart.blocked") : problem ? t("cart.unpriced") : "";
  return (
    <aside className="order-summary" aria-labelledby={`${id}-title`}>
      <h2 className="order-summary__title" id={`${id}-title`}>
        {t("summary.title")}
      </h2>
      {quote && <FreeDelivery quote={quote} />}
      <div className="field">
        <label className="field__label" htmlFor={`${id}-country`}>
          {t("cart.deliverTo")}
        </label>
        <select
          className="select"
          id={`${id}-country`}
          value={country.code}
          onChange={(event) => country.choose(event.target.value)}
        >
          {countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
        {postcode && <p className="field__hint">{t("cart.forPostcode", { postcode })}</p>}
      </div>
      {isWaiting && <div className="skeleton skeleton--row" aria-hidden="true" />}
      {quote && (
        <>
          <SummaryRows quote={quote} isBusy={!isCurrent} />
          {quote.next_free.map((sentence) => (
            <p className="order-summary__note order-summary__note--offer" key={sentence}>
              {sentence}
            </p>
          ))}
          <DeliveryNotes quote={quote} />
          {quote.installments.available && (
            <section className="plan-offer" aria-labelledby={`${id}-plan`}>
              <h3 className="order-summary__subtitle" id={`${id}-plan`}>
                {t("summary.planTitle")}
              </h3>
              <Plan plan={quote.installments.plan} />
            </section>
          )}
        </>
      )}
      <PaymentMethods methods={methods} />
      <div hidden={isWaiting}>
        {reason ? (
          // biome-ignore lint/a11y/useValidAnchor: a link that leads nowhere yet and says why
          <a
            className="button button--primary button--large button--block"
            role="link"
            tabIndex={0}
            aria-disabled="true"
            aria-describedby={`${id}-reason`}
          >
            {t("cart.checkout")}
          </a>
        ) : (
          <a className="button button--primary button--large button--block" href={links.checkout}>
            {t("cart.checkout")}
          </a>
        )}
        {reason && (
          <p className="button-reason" id={`${id}-reason`}>
            {reason}
          </p>
        )}
      </div>
    </aside>
  );
}

/** How far the cart is from free delivery, where there is one and something that can be bought. */
function FreeDelivery({ quote }: { quote: Quote }) {
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
