import { formatMoney } from "@/lib/money";
import { useTranslation } from "@/runtime/react";
import type { Quote } from "./types";

interface PlanProps {
  /** The parts in the order of their days; the first is paid with the order. */
  plan: Quote["installments"]["plan"];
}

/** Every part of an order in instalments with its day, as the server wrote them. */
export function Plan({ plan }: PlanProps) {
  const { t } = useTranslation();
  return (
    <dl className="plan">
      {plan.map(({ due, due_text, amount }, index) => (
        <div className="plan__part" key={due}>
          <dt>{index === 0 ? t("summary.planToday") : due_text}</dt>
          <dd>{formatMoney(amount)}</dd>
        </div>
      ))}
    </dl>
  );
}
