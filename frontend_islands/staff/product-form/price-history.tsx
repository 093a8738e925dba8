import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatMoney } from "@/lib/money";
import { formatMoment } from "../shared/dates";
import { Loading, Problem } from "../shared/problem";
import { translate } from "../shared/translate";
import { fetchPrices } from "./calls";
import words from "./words.json";

const t = translate(words);

/** What the product cost over time, read when it is opened; `version` is the product's. */
export function PriceHistory({ id, version }: { id: number; version: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const prices = useQuery({
    queryKey: ["prices", id, version],
    queryFn: ({ signal }) => fetchPrices(id, signal),
    enabled: isOpen,
  });
  return (
    <details className="disclosure" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t("history.title")}</summary>
      {prices.isError && (
        <Problem title={t("history.loadFailed")} error={prices.error} onRetry={() => void prices.refetch()} />
      )}
      {prices.isLoading && <Loading />}
      {prices.data?.offers.length === 0 && <p>{t("history.none")}</p>}
      {prices.data?.offers.map((offer) => (
        <table className="staff-table" key={offer.label}>
          <caption>{offer.label || t("history.single")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("history.since")}</th>
              <th scope="col">{t("history.price")}</th>
              <th scope="col">{t("history.lowest")}</th>
            </tr>
          </thead>
          <tbody>
            {offer.periods.map((period) => (
              <tr key={period.starts_at}>
                <td>{formatMoment(period.starts_at)}</td>
                <td>{formatMoney(period.amount)}</td>
                <td>{period.lowest_prior ? formatMoney(period.lowest_prior) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </details>
  );
}
