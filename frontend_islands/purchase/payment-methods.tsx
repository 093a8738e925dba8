import type { CheckoutProps } from "@/api/types";
import { Icon } from "@/lib/icon";
import { useTranslation } from "@/runtime/react";

/** The means of payment that are accepted, named before the order begins (L221-14). */
export function PaymentMethods({ methods }: { methods: CheckoutProps["payment_methods"] }) {
  const { t } = useTranslation();
  return (
    <div className="payment-methods">
      <p className="payment-methods__title" id="payment-methods">
        {t("summary.methods")}
      </p>
      <ul className="payment-methods__list" aria-labelledby="payment-methods">
        {methods.map(({ icon, name }) => (
          <li className="payment-methods__item" key={name}>
            <Icon name={icon} /> {name}
          </li>
        ))}
      </ul>
    </div>
  );
}
