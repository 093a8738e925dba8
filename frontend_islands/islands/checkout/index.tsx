import { type FormEvent, useEffect, useState } from "react";
import type { CheckoutProps } from "@/api/types";
import { setOrdering } from "@/lib/cart-storage";
import { formatMoney } from "@/lib/money";
import { replaceBy } from "@/lib/navigate";
import { QuoteProblem, SummaryRows } from "@/purchase/quote-parts";
import { useLines } from "@/purchase/use-lines";
import { useCountry, useQuote } from "@/purchase/use-quote";
import { reactIsland, useTranslation } from "@/runtime/react";
import { AccountSection, useMember } from "./account-section";
import { useAddressBook } from "./address-book";
import { BillingSection } from "./billing-section";
import { Changes } from "./changes";
import { DeliverySection } from "./delivery-section";
import { ErrorSummary } from "./fields";
import { PaymentSection, RecapLines, useMode } from "./payment-section";
import { Rights } from "./rights";
import { useForm } from "./use-form";
import { dropAttempt, useOrder } from "./use-order";

/** Where the summary is beside the form and open from the start. */
const WIDE = "(min-width: 60rem)";

/** The order's form and its summary; an empty cart leads back to the cart's page. */
export function Checkout(props: CheckoutProps) {
  const { countries, default_country, other_country, payment_modes, pay_label, password_min, links } = props;
  const { t } = useTranslation();
  const lines = useLines();
  const isEmpty = lines.length === 0;
  useEffect(() => {
    setOrdering(true);
    return () => setOrdering(false);
  }, []);
  const country = useCountry(countries, default_country);
  const member = useMember();
  const form = useForm(
    {
      otherCountry: other_country,
      passwordMin: password_min,
      needsPostcode: country.choice?.needs_postcode ?? true,
    },
    country.code,
    member.isMember,
  );
  const chooseCountry = (code: string) => {
    country.choose(code);
    form.forgive(["country", "customCountry", "postalCode"]);
  };
  const book = useAddressBook(member, form, countries, chooseCountry);
  const quoting = useQuote(lines, country.code, form.answers.texts);
  const [mode, setMode] = useMode(payment_modes, quoting.quote);
  const order = useOrder({
    lines,
    quoting,
    form,
    member,
    book,
    mode,
    otherCountry: other_country,
    termsVersion: props.terms_version,
  });
  const [isWide] = useState(() => window.matchMedia?.(WIDE).matches ?? false);

  useEffect(() => {
    if (!isEmpty) return;
    dropAttempt();
    replaceBy(links.cart);
  }, [isEmpty, links.cart]);
  if (isEmpty) return <p className="loading">{t("checkout.emptied")}</p>;

  const { quote, isCurrent, problem } = quoting;
  const isUnavailable = quote?.lines.some((line) => !line.available) ?? false;
  const obstacle = isUnavailable
    ? t("checkout.unavailable")
    : order.changed
      ? t("checkout.decide")
      : problem
        ? t("checkout.unpriced")
        : !isCurrent && !order.isBusy
          ? t("checkout.pricing")
          : "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (order.isBusy) return;
    if (obstacle) order.refuse();
    else void order.place();
  };

  return (
    <div className="checkout">
      <form className="form sheet" noValidate onSubmit={submit} aria-label={t("checkout.form")}>
        {order.summary && (
          <ErrorSummary
            title={order.summary.title}
            errors={form.errors}
            others={order.summary.others}
            ref={order.summaryRef}
          />
        )}
        <AccountSection form={form} memberEmail={member.email} passwordMin={password_min} links={links} />
        <DeliverySection
          form={form}
          countries={countries}
          otherCountry={other_country}
          needsPostcode={country.choice?.needs_postcode ?? true}
          postcode={quoting.isOfAddress ? quoting.quote : null}
          onCountry={chooseCountry}
          book={book}
        />
        <BillingSection form={form} countries={countries} otherCountry={other_country} />
        <PaymentSection
          form={form}
          countries={countries}
          otherCountry={other_country}
          methods={props.payment_methods}
          quote={quote}
          isBusy={!isCurrent}
          modes={payment_modes}
          mode={mode}
          onMode={setMode}
          links={links}
        />
        {problem && <QuoteProblem problem={problem} onRetry={quoting.retry} />}
        {order.changed && (
          <Changes
            detail={order.changed.detail}
            before={order.changed.before}
            now={order.changed.quote}
            cartUrl={links.cart}
            onAccept={order.accept}
            ref={order.noticeRef}
          />
        )}
        {order.notice && (
          <div className="alert alert--error" role="alert" tabIndex={-1} ref={order.noticeRef}>
            <p className="alert__title">{order.notice.title}</p>
            <p>{order.notice.text}</p>
            {order.notice.link && (
              <a href={order.notice.link}>
                {t(order.notice.leadsToSignin ? "checkout.signin" : "checkout.seeOrder")}
              </a>
            )}
          </div>
        )}
        <div>
          <button
            className="button button--primary button--large button--block"
            type="submit"
            ref={order.payRef}
            aria-disabled={order.isBusy || obstacle !== ""}
            aria-busy={order.isBusy}
            aria-describedby={obstacle ? "checkout-obstacle" : undefined}
          >
            {order.isBusy ? t("checkout.processing") : pay_label}
          </button>
          <p className="button-reason" id="checkout-obstacle" role="status">
            {obstacle} {isUnavailable && <a href={links.cart}>{t("checkout.backToCart")}</a>}
          </p>
          <p className="button-reason">{t("checkout.secure")}</p>
          <Rights links={links} />
        </div>
      </form>
      <aside className="checkout__aside" aria-label={t("summary.title")}>
        <details className="order-summary order-summary--collapsible" open={isWide}>
          <summary className="order-summary__summary">
            <span>{t("summary.title")}</span>
            <span className="price">{quote ? formatMoney(quote.total) : "…"}</span>
          </summary>
          <div className="stack">
            {quote && (
              <>
                <RecapLines lines={quote.lines} />
                <SummaryRows quote={quote} isBusy={!isCurrent} />
              </>
            )}
            <a href={links.cart}>{t("checkout.editCart")}</a>
          </div>
        </details>
      </aside>
    </div>
  );
}

export const mount = reactIsland(Checkout);
