import { type Ref, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import type { CartProps, Quote } from "@/api/types";
import { addToCart, clearCart } from "@/lib/cart";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import { toast } from "@/lib/toast";
import { earlyArrival } from "@/purchase/early";
import { QuoteProblem } from "@/purchase/quote-parts";
import { readAddressPart } from "@/purchase/tab-memory";
import { useLines } from "@/purchase/use-lines";
import { useCountry, useOnReturn, useQuote } from "@/purchase/use-quote";
import type { Mount } from "@/runtime/island";
import { reactIsland, useTranslation } from "@/runtime/react";
import { CartRow, type Row, removeRow, rowsOf } from "./cart-row";
import { Summary } from "./summary";

/** The cart's lines beside the summary of their quote. */
export function Cart({ countries, default_country, payment_methods, links }: CartProps) {
  const { t } = useTranslation();
  const lines = useLines();
  const country = useCountry(countries, default_country);
  const [typed, setTyped] = useState(readAddressPart);
  useOnReturn(() => setTyped(readAddressPart()));
  const quoting = useQuote(lines, country.code, typed);
  const rows = rowsOf(quoting.quote?.lines ?? [], lines);
  /** Where the focus goes when nothing is nearer: the list, or the heading of the empty cart. */
  const anchor = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [isClearing, setIsClearing] = useState(false);
  const news = useNews(quoting.quote, lines.length === 0);
  const hasLeftPayment = useLeftPayment();

  /** Where the focus goes when its control leaves: decided now, done once the page is redrawn. */
  const [focusAfter, setFocusAfter] = useState<{ row: number } | null>(null);
  useLayoutEffect(() => {
    if (!focusAfter) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>("[data-remove]") ?? [];
    (buttons[Math.min(focusAfter.row, buttons.length - 1)] ?? anchor.current)?.focus();
  }, [focusAfter]);

  const remove = (row: Row, index: number) => {
    removeRow(row);
    setFocusAfter({ row: index });
    const undo = () => {
      for (const line of row.lines) addToCart(line, line.quantity);
      setFocusAfter({ row: -1 });
    };
    toast({ kind: "success", title: t("cart.removed"), action: { label: t("cart.undo"), run: undo } });
  };
  const retry = () => {
    quoting.retry();
    setFocusAfter({ row: -1 });
  };
  const clear = () => {
    setIsClearing(false);
    clearCart();
    setFocusAfter({ row: -1 });
    toast({ kind: "success", title: t("cart.cleared") });
  };

  return (
    <>
      <p className="visually-hidden" role="status">
        {news}
      </p>
      {lines.length === 0 ? (
        <div className="empty">
          <Icon name="cart" size="large" />
          <h2 className="empty__title" ref={anchor as Ref<HTMLHeadingElement>} tabIndex={-1}>
            {t("cart.emptyTitle")}
          </h2>
          <p>{t("cart.emptyText")}</p>
          <a className="button button--primary" href={links.catalogue}>
            {t("cart.browse")}
          </a>
        </div>
      ) : (
        <div className="aside-layout">
          <section className="sheet" aria-labelledby="cart-lines" ref={anchor} tabIndex={-1}>
            <h2 className="visually-hidden" id="cart-lines">
              {t("cart.heading")}
            </h2>
            {hasLeftPayment && (
              <p className="alert alert--info" role="status">
                {t("cart.paymentLeft")}
              </p>
            )}
            {quoting.problem && <QuoteProblem problem={quoting.problem} onRetry={retry} />}
            {rows.length === 0 && <Unpriced count={lines.length} isWaiting={!quoting.problem} />}
            <ul className="lines" ref={list} aria-busy={!quoting.isCurrent}>
              {rows.map((row, index) => (
                <CartRow
                  key={row.quoted.key}
                  row={row}
                  onRemove={() => remove(row, index)}
                  onReduce={() => setFocusAfter({ row: index })}
                />
              ))}
            </ul>
            <div className="sheet__foot cluster cluster--between">
              <a href={links.catalogue}>{t("cart.continue")}</a>
              <button className="link-button" type="button" onClick={() => setIsClearing(true)}>
                {t("cart.clear")}
              </button>
            </div>
          </section>
          <Summary
            quoting={quoting}
            rows={rows}
            countries={countries}
            country={country}
            postcode={typed.postalCode.trim()}
            methods={payment_methods}
            links={links}
          />
        </div>
      )}
      <ClearDialog isOpen={isClearing} onCancel={() => setIsClearing(false)} onConfirm={clear} />
    </>
  );
}

/** Whether the visitor comes from a payment page they have left: said once, not on a reload or in a bookmark. */
function useLeftPayment(): boolean {
  const [hasLeft] = useState(() => new URLSearchParams(location.search).get("payment") === "left");
  useEffect(() => {
    if (hasLeft) history.replaceState(history.state, "", location.pathname);
  }, [hasLeft]);
  return hasLeft;
}

/** Lines that no quote has described yet: their number is all that is known. */
function Unpriced({ count, isWaiting }: { count: number; isWaiting: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <p className={isWaiting ? "visually-hidden" : "muted"}>{t("cart.lines", { count })}</p>
      {isWaiting && <div className="skeleton skeleton--row" aria-hidden="true" />}
    </div>
  );
}

/** What a screen reader announces after a change; nothing for the first figures of the page. */
function useNews(quote: Quote | null, isEmpty: boolean): string {
  const { t } = useTranslation();
  const [first, setFirst] = useState<Quote | null>(null);
  if (!first && quote) setFirst(quote);
  if (isEmpty) return first ? t("cart.emptyTitle") : "";
  if (!quote || quote === first) return "";
  return t("cart.updated", { quantity: quote.item_count, total: formatMoney(quote.total) });
}

interface ClearDialogProps {
  isOpen: boolean;
  onCancel: () => void;
  onConfirm: () => void;
}

/** Asks before everything is taken out. The harmless answer has the focus. */
function ClearDialog({ isOpen, onCancel, onConfirm }: ClearDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the cart leads the focus on: a dialog that closes gives it back to the button that opened it.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (isOpen && !element?.open) element?.showModal();
    if (!isOpen && element?.open) element.close();
  }, [isOpen]);
  return (
    <dialog
      className="dialog"
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onCancel}
    >
      <h2 className="dialog__title" id={`${id}-title`}>
        {t("cart.clearTitle")}
      </h2>
      <p id={`${id}-text`}>{t("cart.clearText")}</p>
      <div className="dialog__actions">
        <button className="button" type="button" onClick={onCancel}>
          {t("cart.clearCancel")}
        </button>
        <button className="button button--danger" type="button" onClick={onConfirm}>
          {t("cart.clear")}
        </button>
      </div>
    </dialog>
  );
}

const draw = reactIsland(Cart);

export const mount: Mount<CartProps> = async (host, props) => {
  await earlyArrival();
  return draw(host, props);
};
