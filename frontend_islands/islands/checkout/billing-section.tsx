import type { CountryChoice } from "@/api/types";
import { useTranslation } from "@/runtime/react";
import { AddressFields } from "./address-fields";
import { TextField } from "./fields";
import type { Form } from "./use-form";

interface BillingSectionProps {
  form: Form;
  countries: readonly CountryChoice[];
  otherCountry: string;
}

/** Who is billed, folded while that is the address of the delivery. */
export function BillingSection({ form, countries, otherCountry }: BillingSectionProps) {
  const { t } = useTranslation();
  const { hasBilling, isGift, texts } = form.answers;
  return (
    <fieldset className="form__section">
      <legend className="form__legend">
        <span className="form__step">3</span> {t("checkout.billing")}
      </legend>
      <label className="check">
        <input
          type="checkbox"
          checked={hasBilling}
          onChange={(event) => form.setBilling(event.target.checked)}
        />
        <span>{t("checkout.otherBilling")}</span>
      </label>
      {!hasBilling && <p className="muted">{t("checkout.sameBilling")}</p>}
      {hasBilling && (
        <>
          {isGift && <p className="muted">{t("checkout.giftBilling")}</p>}
          <div className="form__grid">
            <TextField
              form={form}
              name="billing.name"
              label={t("checkout.billingName")}
              autoComplete="billing name"
              isWide
            />
            <TextField
              form={form}
              name="billing.company"
              label={t("checkout.company")}
              autoComplete="billing organization"
              isOptional
              isWide
            />
            <TextField
              form={form}
              name="billing.companyNumber"
              label={t("checkout.companyNumber")}
              hint={t("checkout.companyNumberHint")}
              isOptional
              isWide
            />
            <AddressFields
              form={form}
              of="billing"
              countries={countries}
              otherCountry={otherCountry}
              country={texts["billing.country"]}
              onCountry={(code) => form.setText("billing.country", code)}
            />
          </div>
        </>
      )}
    </fieldset>
  );
}
