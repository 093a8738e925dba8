import type { CheckoutProps } from "@/api/types";
import { Marked } from "@/purchase/texts";
import { useTranslation } from "@/runtime/react";

/** Right of withdrawal and legal guarantees, beside the button that binds (L221-5, L221-14). */
export function Rights({ links }: { links: CheckoutProps["links"] }) {
  const { t } = useTranslation();
  const linked = (targets: readonly string[]) => (part: string, index: number) => (
    <a href={targets[index]} target="_blank" rel="noopener">
      {part}
      <span className="visually-hidden"> {t("checkout.newTab")}</span>
    </a>
  );
  return (
    <section className="checkout-rights" aria-labelledby="checkout-rights">
      <h2 id="checkout-rights">{t("checkout.rights")}</h2>
      <p>
        <Marked text={t("checkout.withdrawal")} draw={linked([links.withdrawal, links.withdrawal_form])} />
      </p>
      <p>
        <Marked text={t("checkout.guarantees")} draw={linked([links.guarantees])} />
      </p>
    </section>
  );
}
