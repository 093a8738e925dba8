import { useEffect, useId, useRef, useState } from "react";
import type { BuyFinish, ProductBuyProps } from "@/api/types";
import { $lines, addToCart, type CartChoice, lineKey, MAX_QUANTITY } from "@/lib/cart";
import { type Choice, choiceIn, putInAddress } from "@/lib/choice";
import { fetchFragment, replaceParts } from "@/lib/fragment";
import { toast } from "@/lib/toast";
import { OldPrice } from "@/purchase/quote-parts";
import { reactIsland, useIsland, useTranslation } from "@/runtime/react";
import { CartDrawer } from "./drawer";
import { firstChoice, isFinishOpen, isHeldForVisitor, isVariationOpen, offerFor, withFinish } from "./offers";

/** Finish, format, price and the button of a product page. */
export function ProductBuy(props: ProductBuyProps) {
  const { t } = useTranslation();
  const { values } = useIsland();
  const [choice, setChoice] = useState(() => firstChoice(props, choiceIn(values)));
  const { product_id, finishes, variations, offers } = props;
  const offer = offerFor(offers, choice);
  const canBuy = props.available && offer?.available === true;
  const { finish: chosenFinish, variation_id: chosenFormat } = choice;
  const [isMine, setIsMine] = useState(false);
  const [added, setAdded] = useState<CartChoice | null>(null);
  useParts(choice, props.selected);

  useEffect(() => {
    setIsMine(false);
    if (canBuy) return;
    let isOver = false;
    void isHeldForVisitor({ product_id, finish: chosenFinish, variation_id: chosenFormat }).then((found) => {
      if (!isOver) setIsMine(found);
    });
    return () => {
      isOver = true;
    };
  }, [canBuy, product_id, chosenFinish, chosenFormat]);

  /** As the server's version says it: nothing moves when the island comes. */
  const withStock = (price: string, isOpen: boolean) =>
    isOpen ? price : `${price} ${t("buy.soldOut")}`.trim();

  function choose(next: Choice) {
    putInAddress(next);
    setChoice(next);
  }

  function add() {
    const wanted = { product_id, ...choice };
    const left = offer?.available_quantity ?? MAX_QUANTITY;
    if (addToCart(wanted, 1, left) > 0) {
      setAdded(wanted);
      return;
    }
    const link = { href: props.cart_url, label: t("buy.viewCart") };
    const held = $lines.get().find((line) => lineKey(line) === lineKey(wanted))?.quantity ?? 0;
    if (held > 0 && held >= left && left < MAX_QUANTITY) {
      toast({ kind: "info", title: t("buy.allInCart", { count: left }), link });
    } else
      toast({
        kind: "error",
        title: t("buy.fullTitle"),
        text: t("buy.fullText", { most: MAX_QUANTITY }),
        link,
      });
  }
  const words = [
    props.name,
    finishes.find(({ code }) => code === choice.finish)?.label,
    variations.find(({ id }) => id === choice.variation_id)?.name,
  ];

  return (
    <div className="buy stack">
      <p className="buy__price" aria-live="polite">
        {offer && <span className="price price--large">{offer.price_text}</span>}{" "}
        <OldPrice text={offer?.original_price_text} />{" "}
        {(props.promotion_badge || offer?.original_price_text) && (
          <span className="badge badge--promo">{props.promotion_badge || t("buy.promo")}</span>
        )}{" "}
        {props.promotion_text && <span className="buy__promotion">{props.promotion_text}</span>}{" "}
        {offer?.stock_text && <span className="badge badge--stock">{offer.stock_text}</span>}
      </p>
      {finishes.length > 0 && (
        <ChoiceCards
          legend={t("buy.finish")}
          name="finition"
          chosen={choice.finish}
          onChoose={(finish) => choose(withFinish(props, choice, finish))}
          options={finishes.map(({ code, label, image, reason }) => {
            const isOpen = isFinishOpen(props, code);
            const { variation_id } = withFinish(props, choice, code);
            const price = offerFor(offers, { finish: code, variation_id })?.price_text;
            return { value: code, label, image, isOpen, detail: price ? withStock(price, isOpen) : reason };
          })}
        />
      )}
      {variations.length > 0 && (
        <ChoiceCards
          legend={t("buy.format")}
          name="format"
          chosen={choice.variation_id}
          onChoose={(variation_id) => choose({ ...choice, variation_id })}
          options={variations.map(({ id, name }) => {
            const isOpen = isVariationOpen(props, id, choice.finish);
            const price = offerFor(offers, { finish: choice.finish, variation_id: id })?.price_text ?? "";
            return { value: id, label: name, image: null, isOpen, detail: withStock(price, isOpen) };
          })}
        />
      )}
      <BuyButtons
        canBuy={canBuy}
        reason={
          isMine ? (
            <>
              {t("buy.reserved")} <a href={props.cart_url}>{t("buy.viewCart")}</a>
            </>
          ) : (
            props.unavailable_text
          )
        }
        onAdd={add}
      >
        <span>{props.name}</span>
        {offer && <span className="price">{offer.price_text}</span>}
      </BuyButtons>
      <CartDrawer
        added={added}
        name={words.filter(Boolean).join(" · ")}
        homeCountry={props.home_country}
        cartUrl={props.cart_url}
        checkoutUrl={props.checkout_url}
        onClose={() => setAdded(null)}
      />
    </div>
  );
}

/** Has the server draw what depends on the choice: photos, ruler, dates, characteristics. The address follows. */
function useParts({ finish, variation_id }: Choice, drawn: Choice) {
  const { t } = useTranslation();
  const shown = useRef(drawn);
  useEffect(() => {
    if (finish === shown.current.finish && variation_id === shown.current.variation_id) return;
    const request = new AbortController();
    fetchFragment(putInAddress({ finish, variation_id }), "choice", request.signal).then(
      (html) => {
        shown.current = { finish, variation_id };
        replaceParts(html);
      },
      () => {
        if (!request.signal.aborted) toast({ kind: "error", title: t("common.network") });
      },
    );
    return () => request.abort();
  }, [finish, variation_id, t]);
}

interface BuyButtonsProps {
  canBuy: boolean;
  reason: React.ReactNode;
  onAdd: () => void;
  /** What the bar says beside its button. */
  children: React.ReactNode;
}

/** The button, and on phones the bar that repeats it while the button is out of sight. */
function BuyButtons({ canBuy, reason, onAdd, children }: BuyButtonsProps) {
  const { t } = useTranslation();
  const actions = useRef<HTMLDivElement>(null);
  // As the server's version: a bar that left for a moment would come back over what the keyboard has reached meanwhile.
  const [inSight, setInSight] = useState(false);

  useEffect(() => {
    if (!actions.current) return;
    const observer = new IntersectionObserver(([entry]) => setInSight(entry?.isIntersecting ?? true));
    observer.observe(actions.current);
    return () => observer.disconnect();
  }, []);

  return (
    <>
      <div className="buy__actions" ref={actions}>
        <button
          className="button button--primary button--large"
          type="button"
          data-replay="add"
          disabled={!canBuy}
          onClick={onAdd}
        >
          {t("buy.add")}
        </button>
      </div>
      {!canBuy && (
        <p className="button-reason" role="status">
          {reason}
        </p>
      )}
      {canBuy && (
        <div className="buy-bar" hidden={inSight}>
          <p className="buy-bar__what">{children}</p>
          <button className="button button--primary" type="button" onClick={onAdd}>
            {t("buy.addShort")}
          </button>
        </div>
      )}
    </>
  );
}

interface Option<Value> {
  value: Value;
  label: string;
  /** The price, and why it cannot be chosen. */
  detail: string;
  image: BuyFinish["image"];
  isOpen: boolean;
}

interface ChoiceCardsProps<Value> {
  legend: string;
  name: string;
  chosen: Value | null;
  options: Option<Value>[];
  onChoose: (value: Value) => void;
}

/** Radio buttons drawn as cards. What is sold out stays visible, with the reason, and cannot be chosen. */
function ChoiceCards<Value extends string | number>(props: ChoiceCardsProps<Value>) {
  const { legend, name, chosen, options, onChoose } = props;
  const id = useId();
  return (
    <fieldset className="radio-cards">
      <legend className="radio-cards__legend">{legend}</legend>
      <div className="radio-cards__list">
        {options.map(({ value, label, detail, image, isOpen }) => (
          <label className="radio-card" key={value}>
            <input
              className="radio-card__input"
              type="radio"
              name={name}
              value={value}
              aria-describedby={`${id}-${value}`}
              checked={value === chosen}
              disabled={!isOpen}
              onChange={() => onChoose(value)}
            />
            {image && <img className="radio-card__photo" src={image.url} alt="" width={64} height={64} />}
            <span className="radio-card__body">
              <span className="radio-card__title">{label}</span>
              <span className="radio-card__detail" id={`${id}-${value}`}>
                {detail}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export const mount = reactIsland(ProductBuy);
