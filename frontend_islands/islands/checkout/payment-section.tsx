import { useEffect, useState } from "react";
import type { CheckoutProps, CountryChoice, PaymentMode, Quote, QuoteLine } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { toast } from "@/lib/toast";
import { PaymentMethods } from "@/purchase/payment-methods";
import {
  DeliveryNotes,
  FreeRow,
  LineBadges,
  LinePhoto,
  Plan,
  SummaryRows,
  useLineName,
} from "@/purchase/quote-parts";
import { ATTEMPT_KEY, readTab } from "@/purchase/tab-memory";
import { Marked } from "@/purchase/texts";
import { useTranslation } from "@/runtime/react";
import { described } from "./fields";
import { RecapAddresses } from "./recap-addresses";
import type { Form } from "./use-form";

interface PaymentSectionProps {
  form: Form;
  countries: readonly CountryChoice[];
  otherCountry: string;
  methods: CheckoutProps["payment_methods"];
  quote: Quote | null;
  isBusy: boolean;
  modes: readonly PaymentMode[];
  mode: PaymentMode;
  onMode: (mode: PaymentMode) => void;
  links: CheckoutProps["links"];
}

/** How to pay; then, right above the button, everything that is being ordered. */
export function PaymentSection({
  form,
  countries,
  otherCountry,
  methods,
  quote,
  isBusy,
  modes,
  mode,
  onMode,
  links,
}: PaymentSectionProps) {
  const { t } = useTranslation();
  const offered = modes.filter((each) => each !== "installments" || quote?.installments.available);
  return (
    <fieldset className="form__section">
      <legend className="form__legend">
        <span className="form__step">4</span> {t("checkout.payment")}
      </legend>
      <PaymentMethods methods={methods} />
      <fieldset className="radio-cards">
        <legend className="radio-cards__legend">{t("checkout.mode")}</legend>
        <div className="radio-cards__list radio-cards__list--stacked">
          {offered.map((each) => (
            <label className="radio-card" key={each}>
              <input
                className="radio-card__input"
                type="radio"
                name="payment_mode"
                value={each}
                checked={each === mode}
                onChange={() => onMode(each)}
              />
              <span className="radio-card__body">
                <span className="radio-card__title">
                  {each === "full" ? t("checkout.full") : t("checkout.installments")}
                </span>
                <span className="radio-card__detail">
                  {each === "full"
                    ? t("checkout.fullText")
                    : t("checkout.installmentsText", {
                        amounts: quote?.installments.plan
                          .map(({ amount }) => formatMoney(amount))
                          .join(" + "),
                      })}
                </span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {mode === "installments" && quote && (
        <section className="plan-agreement" aria-labelledby="checkout-plan" aria-live="polite">
          <h2 id="checkout-plan">{t("summary.planTitle")}</h2>
          <Plan plan={quote.installments.plan} />
          <p className="order-summary__note">{quote.installments.mandate}</p>
        </section>
      )}
      <section className="checkout-recap" aria-labelledby="checkout-recap">
        <h2 id="checkout-recap">{t("checkout.recap")}</h2>
        {quote ? (
          <>
            <RecapLines lines={quote.lines} />
            <RecapAddresses form={form} countries={countries} otherCountry={otherCountry} />
            <DeliveryNotes quote={quote} />
            <SummaryRows quote={quote} isBusy={isBusy} />
          </>
        ) : (
          <div className="skeleton skeleton--row" aria-hidden="true" />
        )}
      </section>
      <Terms form={form} links={links} />
    </fieldset>
  );
}

/** The order's lines: paid units and free units apart; what can't be bought says why. */
export function RecapLines({ lines }: { lines: readonly QuoteLine[] }) {
  return (
    <ul className="lines lines--compact">
      {lines.map((line) => (
        <RecapLine key={line.key} line={line} />
      ))}
    </ul>
  );
}

function RecapLine({ line }: { line: QuoteLine }) {
  const { t } = useTranslation();
  const name = useLineName()(line);
  const paid = line.quantity - line.free_quantity;
  return (
    <>
      {paid > 0 && (
        <li className={line.available ? "line" : "line line--unavailable"}>
          <LinePhoto line={line} />
          <div className="line__body">
            <p className="line__name">{t("summary.units", { quantity: paid, name })}</p>
            <LineBadges line={line} />
            {!line.available && (
              <p className="line__problem">{line.problem_detail || t("cart.unavailable")}</p>
            )}
          </div>
          <p className="line__total price">{line.available && formatMoney(line.line_total)}</p>
        </li>
      )}
      {line.free_quantity > 0 && (
        <FreeRow text={t("summary.units", { quantity: line.free_quantity, name })}>
          <LineBadges line={{ ...line, promotion_label: "" }} />
        </FreeRow>
      )}
    </>
  );
}

function Terms({ form, links }: { form: Form; links: CheckoutProps["links"] }) {
  const { t } = useTranslation();
  const targets = [links.terms, links.privacy];
  const error = form.errors.terms;
  const tied = described(form, "terms");
  return (
    <div className="field">
      <label className="check" htmlFor={tied.id}>
        <input
          {...tied}
          type="checkbox"
          required
          checked={form.answers.hasAcceptedTerms}
          onChange={(event) => form.setTerms(event.target.checked)}
        />
        <span>
          <Marked
            text={t("checkout.terms")}
            draw={(part, index) => (
              <a href={targets[index]} target="_blank" rel="noopener">
                {part}
                <span className="visually-hidden"> {t("checkout.newTab")}</span>
              </a>
            )}
          />
        </span>
      </label>
      {error && (
        <p className="field__error" id={`${tied.id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/**
 * How the customer pays; back from the payment page, as they were about to. A cart that became too small for
 * installments is paid at once, with a message: another country or price may have changed its total.
 */
export function useMode(offered: readonly PaymentMode[], quote: Quote | null) {
  const { t } = useTranslation();
  const [mode, setMode] = useState<PaymentMode>(
    () => offered.find((each) => each === Object(readTab(ATTEMPT_KEY)).mode) ?? offered[0] ?? "full",
  );
  const minimum = quote && !quote.installments.available ? quote.installments.minimum : null;
  const isTooSmall = mode === "installments" && minimum !== null;

  useEffect(() => {
    if (!isTooSmall) return;
    setMode("full");
    toast({
      kind: "error",
      title: t("checkout.minimumTitle"),
      text: t("checkout.minimumText", { minimum: Number(minimum) }),
    });
  }, [isTooSmall, minimum, t]);

  return [isTooSmall ? "full" : mode, setMode] as const;
}
