import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import type { AdminProduct, StaffProductFormProps } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { ProblemText } from "../shared/problem";
import { translate } from "../shared/translate";
import { previewPromotion } from "./calls";
import { Flag, Line, Section } from "./fields";
import { faultOf, toCall, type Values } from "./values";
import words from "./words.json";

const t = translate(words);
const PAUSE_MS = 500;
const FIRST_TYPE = "buy_2_get_1";
/** The quantities of the types that name them. */
const QUANTITIES: Record<string, [string, string]> = {
  buy_2_get_1: ["2", "1"],
  buy_3_get_1: ["3", "1"],
  buy_4_get_3: ["4", "3"],
};
const ASKED = [
  "promotion_type",
  "promotion_buy_quantity",
  "promotion_get_quantity",
  "promotion_percent",
  "promotion_amount",
  "price",
  "painted_price",
  "unpainted_price",
] as const;

interface PromotionProps {
  types: StaffProductFormProps["promotion_types"];
  product: AdminProduct | undefined;
  isDisabled: boolean;
}

/** The product's own promotion, and what it will do by the rule that carts use. */
export function PromotionSection({ types, product, isDisabled }: PromotionProps) {
  const { control, setValue, getValues } = useFormContext<Values>();
  const isActive = useWatch({ control, name: "promotion_active" });
  const type = useWatch({ control, name: "promotion_type" });

  const fill = (chosen: string) => {
    const [buy, get] = QUANTITIES[chosen] ?? ["", ""];
    setValue("promotion_buy_quantity", buy, { shouldDirty: true });
    setValue("promotion_get_quantity", get, { shouldDirty: true });
    setValue("promotion_percent", "", { shouldDirty: true });
    setValue("promotion_amount", "", { shouldDirty: true });
  };
  const turn = () => {
    const isOn = getValues("promotion_active");
    // One that was ended under Promotions still has its type and figures: they count again.
    if (isOn && getValues("promotion_type")) return;
    const chosen = isOn ? FIRST_TYPE : "";
    setValue("promotion_type", chosen, { shouldDirty: true });
    fill(chosen);
  };

  return (
    <Section title={t("sections.promotion")} isOpen={isActive}>
      <Flag name="promotion_active" isDisabled={isDisabled} onChange={turn} />
      {isActive && (
        <div className="product-form__grid">
          <Line
            name="promotion_type"
            isDisabled={isDisabled}
            onChange={() => fill(getValues("promotion_type"))}
            options={types.map(({ code, label }) => ({ value: code, text: label }))}
          />
          {type === "buy_n_get_m" && (
            <>
              <Line name="promotion_buy_quantity" inputMode="numeric" isDisabled={isDisabled} />
              <Line name="promotion_get_quantity" inputMode="numeric" isDisabled={isDisabled} />
            </>
          )}
          {type === "percent" && (
            <Line name="promotion_percent" inputMode="numeric" isDisabled={isDisabled} />
          )}
          {type === "amount" && <Line name="promotion_amount" inputMode="decimal" isDisabled={isDisabled} />}
        </div>
      )}
      {isActive && type && product && <Preview id={product.id} />}
      {!isActive && product?.promotion_label && (
        <p className="muted">{t("promotion.other", { label: product.promotion_label })}</p>
      )}
    </Section>
  );
}

/** Asked of the server after a pause, with the prices that are typed. */
function Preview({ id }: { id: number }) {
  const { control } = useFormContext<Values>();
  const typed = useWatch({ control, name: [...ASKED] });
  const [asked, setAsked] = useState("");
  const values = Object.fromEntries(ASKED.map((name, index) => [name, typed[index]])) as unknown as Values;
  const isWhole = ASKED.every((name) => !faultOf(name, values[name], name === "price"));
  const now = isWhole ? JSON.stringify(toCall(values, ASKED)) : "";
  useEffect(() => {
    const pause = setTimeout(() => setAsked(now), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [now]);
  const preview = useQuery({
    queryKey: ["promotion", id, asked],
    queryFn: ({ signal }) => previewPromotion(id, JSON.parse(asked), signal),
    enabled: asked !== "",
    placeholderData: keepPreviousData,
  });
  if (preview.isError)
    return (
      <p className="muted">
        <ProblemText error={preview.error} />
      </p>
    );
  if (!preview.data) return null;
  const { badge, text, rows, example } = preview.data;
  return (
    <div className="product-form__preview" role="status">
      <p>
        <span className="visually-hidden">{t("promotion.see")}</span>{" "}
        <span className="badge badge--promo">{badge}</span> {text}
      </p>
      {example && (
        <p>
          {t("promotion.example", {
            units: example.units,
            paid: example.paid_units,
            total: formatMoney(example.total),
            full: formatMoney(example.full_total),
          })}
        </p>
      )}
      <ul>
        {rows
          .filter((row) => row.price_now !== row.price_then || row.remark)
          .map((row) => (
            <li key={row.label}>
              {t("promotion.row", {
                label: row.label || t("promotion.single"),
                // biome-ignore lint/suspicious/noThenProperty: a word of the text.
                then: formatMoney(row.price_then),
                now: formatMoney(row.price_now),
              })}
              {row.crossed_out && ` (${t("promotion.crossed", { price: formatMoney(row.crossed_out) })})`}
              {row.remark && ` – ${row.remark}`}
            </li>
          ))}
      </ul>
    </div>
  );
}
