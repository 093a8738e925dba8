import { type ReactNode, useEffect, useRef } from "react";
import type { PaymentResultProps, VerifyAnswer } from "@/api/types";
import { clearCart } from "@/lib/cart";
import { readCopy } from "@/lib/cart-copy";
import { mergeCarts } from "@/lib/cart-merge";
import { readCart, writeCart } from "@/lib/cart-storage";
import { fetchFragment, showFragment } from "@/lib/fragment";
import { Icon } from "@/lib/icon";
import { mayBeMember } from "@/lib/me";
import { browserStore } from "@/lib/storage";
import { toast } from "@/lib/toast";
import { ATTEMPT_KEY, dropTab, FORM_KEY, ORDERED_KEY, readOrdered } from "@/purchase/tab-memory";
import { useProblemText } from "@/purchase/texts";
import { reactIsland, useTranslation } from "@/runtime/react";
import { useVerification, type Verification } from "./use-verification";

/** What became of a payment; a confirmed one empties the cart. */
export function PaymentResult({ session_id: checkoutSessionId, paid, links }: PaymentResultProps) {
  const { t } = useTranslation();
  const problemText = useProblemText();
  const [verification, again] = useVerification(checkoutSessionId, paid);
  const { state } = verification;
  const heading = useRef<HTMLHeadingElement>(null);
  const title = useTitle(state);

  const reference = verification.state === "paid" ? verification.answer.order_reference : undefined;
  useEffect(() => {
    if (state !== "paid" || !emptyBoughtCart(checkoutSessionId, paid, reference)) return;
    toast({ kind: "success", title: t("result.paidTitle") });
  }, [state, checkoutSessionId, paid, reference, t]);
  useEffect(() => {
    if (state !== "paid" || paid) return;
    const controller = new AbortController();
    void showPurchase(controller.signal);
    return () => controller.abort();
  }, [state, paid]);
  const retry = () => {
    heading.current?.focus();
    again();
  };

  const cart = <a href={links.cart}>{t("result.backToCart")}</a>;
  const orders = (
    <a className="button" href={links.orders}>
      {t("result.orders")}
    </a>
  );
  const contact = links.contact && (
    <a className="button" href={links.contact}>
      {t("result.contact")}
    </a>
  );

  const body = (): ReactNode => {
    switch (verification.state) {
      case "verifying":
        return <p className="lead">{t("result.verifyingText")}</p>;
      case "paid":
        return <Paid answer={verification.answer} ordersUrl={links.orders} />;
      case "waiting":
        return (
          <Outcome text={t("result.waitingText")}>
            <button className="button button--primary" type="button" onClick={retry}>
              {t("result.checkAgain")}
            </button>
            {orders}
          </Outcome>
        );
      case "refunded":
        return (
          <Outcome text={t("result.refundedText")}>
            {contact}
            {cart}
          </Outcome>
        );
      case "failed":
        return (
          <Outcome text={t("result.failedText")}>
            <a className="button button--primary" href={links.cart}>
              {t("result.tryAgain")}
            </a>
            {contact}
          </Outcome>
        );
      case "expired":
        return (
          <Outcome text={t("result.expiredText")}>
            <a className="button button--primary" href={links.cart}>
              {t("result.backToCart")}
            </a>
          </Outcome>
        );
      case "unknown":
        return (
          <Outcome text={t("result.unknownText")}>
            {orders}
            {cart}
          </Outcome>
        );
      case "error":
        return (
          <Outcome text={problemText(verification.problem)} note={t("result.errorText")}>
            <button className="button button--primary" type="button" onClick={retry}>
              {t("result.checkAgain")}
            </button>
            {orders}
          </Outcome>
        );
    }
  };

  return (
    <div className="narrow-sheet result" aria-busy={state === "verifying"}>
      <ResultIcon state={state} />
      <div role="status">
        <h1 className="narrow-sheet__title" ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </div>
      {body()}
    </div>
  );
}

function useTitle(state: Verification["state"]): string {
  const { t } = useTranslation();
  return {
    verifying: t("result.verifyingTitle"),
    waiting: t("result.waitingTitle"),
    paid: t("result.paidTitle"),
    refunded: t("result.refundedTitle"),
    failed: t("result.failedTitle"),
    expired: t("result.expiredTitle"),
    unknown: t("result.unknownTitle"),
    error: t("result.errorTitle"),
  }[state];
}

function ResultIcon({ state }: { state: Verification["state"] }) {
  if (state === "verifying") return <span className="spinner" aria-hidden="true" />;
  const [kind, icon] =
    state === "paid"
      ? ["ok", "check"]
      : state === "failed" || state === "expired"
        ? ["failed", "close"]
        : state === "error"
          ? ["failed", "warning"]
          : ["wait", state === "waiting" ? "clock" : "info"];
  return (
    <div className={`result-icon result-icon--${kind}`} aria-hidden="true">
      <Icon name={icon ?? ""} />
    </div>
  );
}

function Outcome({ text, note, children }: { text: string; note?: string; children: ReactNode }) {
  return (
    <>
      <p className="lead">{text}</p>
      {note && <p>{note}</p>}
      <div className="cluster">{children}</div>
    </>
  );
}

/** What was bought, drawn by the server for the browser that ordered it; for any other it answers nothing. */
async function showPurchase(signal: AbortSignal): Promise<void> {
  const place = document.getElementById("achat");
  try {
    const html = await fetchFragment(new URL(location.href), "purchase", signal);
    if (place && html && !signal.aborted) showFragment(place, html);
  } catch {
    // The mail says it all, and the link above leads to the order.
  }
}

function Paid({ answer, ordersUrl }: { answer: VerifyAnswer; ordersUrl: string }) {
  const { t } = useTranslation();
  const steps = [
    { name: t("result.prepare"), text: t("result.prepareText") },
    { name: t("result.paint"), text: t("result.paintText") },
    { name: t("result.dry"), text: t("result.dryText") },
    { name: t("result.send"), text: t("result.sendText") },
  ];
  return (
    <>
      <p className="lead">{t("result.paidText")}</p>
      <h2 className="result__next">{t("result.next")}</h2>
      <ol className="progress-steps">
        {steps.map(({ name, text }, index) => (
          <li className="progress-steps__step" key={name} aria-current={index === 0 ? "step" : undefined}>
            <span className="progress-steps__name">{name}</span>
            <span className="progress-steps__text">{text}</span>
          </li>
        ))}
      </ol>
      <div className="cluster">
        <a className="button button--primary" href={answer.order_url || ordersUrl}>
          {t("result.track")}
        </a>
      </div>
    </>
  );
}

/** The payments that emptied this browser's cart, the latest first, with spaces between. */
const EMPTIED_KEY = "cart-emptied-by";
/** So many are remembered. */
const MAX_EMPTIED = 50;

/**
 * The cart was bought: it is emptied, here and in the other tabs, and the next order gets a key of its own. What was
 * added after the order stays. A member's cart was emptied by the server, and this browser follows it. An order that
 * neither this page (`isOwn`) nor the answer, which would have its `reference`, knows to be this browser's empties none.
 *
 * Opening the page of such a payment again (from the history, from a bookmark) leaves the cart of that moment
 * alone. Returns whether the cart was emptied.
 */
function emptyBoughtCart(checkoutSessionId: string, isOwn: boolean, reference?: string): boolean {
  const earlier = (browserStore.read(EMPTIED_KEY) ?? "").split(" ");
  if (earlier.includes(checkoutSessionId)) return false;
  browserStore.write(EMPTIED_KEY, [checkoutSessionId, ...earlier].slice(0, MAX_EMPTIED).join(" "));
  const ordered = readOrdered(reference);
  if (readCopy() && mayBeMember())
    void import("@/lib/saved-cart").then(({ syncCart }) => syncCart({ isFresh: true }));
  else if (ordered) writeCart(mergeCarts(readCart(), [], ordered));
  else if (isOwn || reference) clearCart();
  dropTab(ORDERED_KEY);
  dropTab(ATTEMPT_KEY);
  dropTab(FORM_KEY);
  return true;
}

export const mount = reactIsland(PaymentResult);
