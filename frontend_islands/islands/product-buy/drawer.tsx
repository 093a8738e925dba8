import { type MouseEvent, useEffect, useId, useRef, useState } from "react";
import { type CartChoice, lineKey } from "@/lib/cart";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import {
  FreeDelivery,
  LineBadges,
  LinePhoto,
  OldPrice,
  QuoteProblem,
  useLineName,
} from "@/purchase/quote-parts";
import { COUNTRY_KEY, readAddressPart, readTab } from "@/purchase/tab-memory";
import { useLines } from "@/purchase/use-lines";
import { useQuote } from "@/purchase/use-quote";
import { useTranslation } from "@/runtime/react";

interface CartDrawerProps {
  /** What was added last; null while the drawer is closed. */
  added: CartChoice | null;
  /** The piece in words, until the server has named it. */
  name: string;
  homeCountry: string;
  cartUrl: string;
  checkoutUrl: string;
  onClose: () => void;
}

/**
 * What was just added, with the figures of the whole cart as the server counts them, and the ways on.
 *
 * A modal dialog: the browser holds the focus in it, closes it with Escape and gives the focus back to the button.
 */
export function CartDrawer({ added, name, homeCountry, cartUrl, checkoutUrl, onClose }: CartDrawerProps) {
  const { t } = useTranslation();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isOpen = added !== null;

  useEffect(() => {
    const element = dialog.current;
    if (!isOpen) {
      if (element?.open) element.close();
      return;
    }
    if (!element?.open) element?.showModal();
    heading.current?.focus();
  }, [isOpen]);

  /** The second of a double click on the button that opened the drawer falls on whatever lies there now. */
  const dropSecondClick = (event: MouseEvent) => {
    if (event.detail < 2) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const closeOnBackdrop = (event: MouseEvent<HTMLDialogElement>) => {
    if (event.target === event.currentTarget) onClose();
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      className="cart-drawer"
      ref={dialog}
      aria-labelledby={`${id}-title`}
      onClose={onClose}
      onClickCapture={dropSecondClick}
      onClick={closeOnBackdrop}
    >
      <div className="cart-drawer__sheet">
        <header className="cart-drawer__head">
          <h2 className="cart-drawer__title" id={`${id}-title`} ref={heading} tabIndex={-1}>
            {t("buy.added")}
          </h2>
          <button
            className="cart-drawer__close"
            type="button"
            aria-label={t("drawer.close")}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        </header>
        {added && <Added added={added} name={name} homeCountry={homeCountry} />}
        <div className="cart-drawer__actions">
          <a className="button button--primary button--block" href={checkoutUrl}>
            {t("drawer.checkout")}
          </a>
          <a className="button button--block" href={cartUrl}>
            {t("buy.viewCart")}
          </a>
          <button className="link-button" type="button" onClick={onClose}>
            {t("cart.continue")}
          </button>
        </div>
      </div>
    </dialog>
  );
}

interface AddedProps {
  added: CartChoice;
  name: string;
  homeCountry: string;
}

function Added({ added, name, homeCountry }: AddedProps) {
  const { t } = useTranslation();
  const lines = useLines();
  const stored = readTab(COUNTRY_KEY);
  const [typed] = useState(readAddressPart);
  const { quote, isCurrent, problem, retry } = useQuote(
    lines,
    typeof stored === "string" ? stored : homeCountry,
    typed,
  );
  const lineName = useLineName();
  const line = quote?.lines.find((each) => lineKey(each) === lineKey(added));
  return (
    <>
      <ul className="lines lines--compact">
        <li className="line">
          {line ? <LinePhoto line={line} /> : <span className="line__photo" />}
          <div className="line__body">
            <h3 className="line__name">{line ? lineName(line) : name}</h3>
            {line && <LineBadges line={line} />}
            {line?.available && line.unit_price && (
              <p className="line__unit">
                {line.quantity} × {formatMoney(line.unit_price)}{" "}
                <OldPrice text={line.original_price && formatMoney(line.original_price)} />
              </p>
            )}
            {line && !line.available && (
              <p className="line__problem" role="status">
                {line.problem_detail || t("cart.unavailable")}
              </p>
            )}
          </div>
          <p className="line__total price">{line?.available && formatMoney(line.line_total)}</p>
        </li>
      </ul>
      {problem && <QuoteProblem problem={problem} onRetry={retry} />}
      {quote ? (
        <div className="cart-drawer__figures" aria-busy={!isCurrent}>
          <dl className="order-summary__rows">
            <div className="order-summary__row order-summary__row--total">
              <dt>
                {t("summary.subtotal")}{" "}
                <span className="muted">{t("drawer.units", { count: quote.item_count })}</span>
              </dt>
              <dd>{formatMoney(quote.subtotal)}</dd>
            </div>
          </dl>
          {quote.item_count > 0 && <FreeDelivery quote={quote} />}
        </div>
      ) : (
        !problem && <div className="skeleton skeleton--row" aria-hidden="true" />
      )}
    </>
  );
}
