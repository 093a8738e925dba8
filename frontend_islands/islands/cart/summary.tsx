import { useId, useRef } from "react";
import type { CartProps, CountryChoice, OfferHint } from "@/api/types";
import { addToCart, MAX_QUANTITY } from "@/lib/cart";
import { toast } from "@/lib/toast";
import { PaymentMethods } from "@/purchase/payment-methods";
import { DeliveryNotes, FreeDelivery, Plan, SummaryRows } from "@/purchase/quote-parts";
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
export function Summary({ quoting, rows, countries, country, postcode, methods, links }: SummaryProps) {
  const { t } = useTranslation();
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const { quote, isCurrent, problem } = quoting;
  const isBlocked = rows.some(({ quoted }) => !quoted.available);
  const isWaiting = !quote && !problem;
  const reason = isBlocked ? t("cart.blocked") : problem ? t("cart.unpriced") : "";
  return (
    <aside className="order-summary" aria-labelledby={`${id}-title`}>
      <h2 className="order-summary__title" id={`${id}-title`} ref={title} tabIndex={-1}>
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
          {quote.next_free.map((hint) => (
            <Hint
              hint={hint}
              key={hint.label}
              onAdded={() => title.current?.focus({ preventScroll: true })}
            />
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

/** What an offer lacks, and the pieces that complete it: one press adds them, after which the button may leave. */
function Hint({ hint, onAdded }: { hint: OfferHint; onAdded: () => void }) {
  const { t } = useTranslation();
  const { suggestion } = hint;
  const add = () => {
    if (!suggestion) return;
    const added = addToCart(suggestion, suggestion.quantity);
    onAdded();
    if (added === suggestion.quantity)
      toast({ kind: "success", title: t("buy.added"), text: suggestion.name });
    else toast({ kind: "error", title: t("buy.fullTitle"), text: t("buy.fullText", { most: MAX_QUANTITY }) });
  };
  return (
    <div className="order-summary__note order-summary__note--offer stack">
      <p>{hint.text}</p>
      {suggestion && (
        <button className="button button--small" type="button" onClick={add}>
          {suggestion.quantity === 1 ? t("cart.addPiece", suggestion) : t("cart.addPieces", suggestion)}
        </button>
      )}
    </div>
  );
}
