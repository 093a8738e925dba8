import type { Ref } from "react";
import type { Quote, QuoteLine } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { useLineName } from "@/purchase/quote-parts";
import { useTranslation } from "@/runtime/react";

interface ChangesProps {
  detail: string;
  before: Quote;
  now: Quote;
  cartUrl: string;
  onAccept: () => void;
  ref: Ref<HTMLDivElement>;
}

/**
 * What became different between the total that was shown and the order that was asked for. Nothing was ordered:
 * the new total can be accepted, unless something can't be bought any more.
 */
export function Changes({ detail, before, now, cartUrl, onAccept, ref }: ChangesProps) {
  const { t } = useTranslation();
  const nameOf = useLineName();
  const canOrder = now.lines.every((line) => line.available);
  const changed = now.lines.filter((line) => differs(line, before));
  return (
    <div className="alert alert--warning" role="alert" tabIndex={-1} ref={ref}>
      <p className="alert__title">{t("checkout.changedTitle")}</p>
      <p>{detail}</p>
      <div className="changes">
        <table className="data-table" aria-label={t("checkout.changedTitle")}>
          <thead>
            <tr>
              <th scope="col">{t("checkout.changedWhat")}</th>
              <th scope="col">{t("checkout.before")}</th>
              <th scope="col">{t("checkout.now")}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map((line) => (
              <tr key={line.key}>
                <th scope="row">{nameOf(line)}</th>
                <td>{amountOf(find(before, line))}</td>
                <td>{line.available ? formatMoney(line.line_total) : line.problem_detail}</td>
              </tr>
            ))}
            {before.shipping_cost !== now.shipping_cost && (
              <tr>
                <th scope="row">{t("summary.delivery")}</th>
                <td>{formatMoney(before.shipping_cost)}</td>
                <td>{formatMoney(now.shipping_cost)}</td>
              </tr>
            )}
            <tr>
              <th scope="row">{t("summary.total")}</th>
              <td>{formatMoney(before.total)}</td>
              <td>{formatMoney(now.total)}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <div className="cluster">
        {canOrder && (
          <button className="button" type="button" onClick={onAccept}>
            {t("checkout.accept", { total: formatMoney(now.total) })}
          </button>
        )}
        <a className="button button--quiet" href={cartUrl}>
          {t("checkout.backToCart")}
        </a>
      </div>
    </div>
  );
}

function find(quote: Quote, { key }: QuoteLine): QuoteLine | undefined {
  return quote.lines.find((line) => line.key === key);
}

function differs(line: QuoteLine, before: Quote): boolean {
  const known = find(before, line);
  return !line.available || !known || known.line_total !== line.line_total;
}

function amountOf(line: QuoteLine | undefined): string {
  return line?.available ? formatMoney(line.line_total) : "–";
}
