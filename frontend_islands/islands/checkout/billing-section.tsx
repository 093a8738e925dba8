import type { CountryChoice } from "@/api/types";
import { useTranslation } from "@/runtime/react";
import { described, FieldFrame, TextField } from "./fields";
import { postcodeMode } from "./postcode-mode";
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
  const country = texts["billing.country"];
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
              name="billing.address"
              label={t("checkout.billingAddress")}
              autoComplete="billing address-line1"
              isWide
            />
            <TextField
              form={form}
              name="billing.postalCode"
              label={t("checkout.billingPostalCode")}
              autoComplete="billing postal-code"
              inputMode={postcodeMode(country)}
            />
            <TextField
              form={form}
              name="billing.city"
              label={t("checkout.billingCity")}
              autoComplete="billing address-level2"
            />
            <FieldFrame form={form} name="billing.country" label={t("checkout.billingCountry")} isWide>
              <select
                className="select"
                autoComplete="billing country"
                required
                value={country}
                onChange={(event) => form.setText("billing.country", event.target.value)}
                {...described(form, "billing.country")}
              >
                {countries.map(({ code, name }) => (
                  <option key={code} value={code}>
                    {name}
                  </option>
                ))}
              </select>
            </FieldFrame>
            {country === otherCountry && (
              <TextField
                form={form}
                name="billing.customCountry"
                label={t("checkout.billingCustomCountry")}
                autoComplete="billing country-name"
                isWide
              />
            )}
          </div>
        </>
      )}
    </fieldset>
  );
}
