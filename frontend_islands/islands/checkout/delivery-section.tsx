import { useState } from "react";
import type { CountryChoice } from "@/purchase/types";
import { useTranslation } from "@/runtime/react";
import { described, FieldFrame, TextField } from "./fields";
import type { Form } from "./use-form";

interface DeliverySectionProps {
  form: Form;
  countries: readonly CountryChoice[];
  otherCountry: string;
  onCountry: (code: string) => void;
}

export function DeliverySection({ form, countries, otherCountry, onCountry }: DeliverySectionProps) {
  const { t } = useTranslation();
  const { texts, country } = form.answers;
  const { errors } = form;
  const [isOpen, setIsOpen] = useState(Boolean(texts.phone || texts.notes));
  const hasError = Boolean(errors.phone || errors.notes);
  return (
    <fieldset className="form__section">
      <legend className="form__legend">
        <span className="form__step">2</span> {t("checkout.delivery")}
      </legend>
      <div className="form__grid">
        <TextField
          form={form}
          name="firstName"
          label={t("checkout.firstName")}
          autoComplete="given-name"
          maxLength={100}
        />
        <TextField
          form={form}
          name="lastName"
          label={t("checkout.lastName")}
          autoComplete="family-name"
          maxLength={100}
        />
        <TextField
          form={form}
          name="address"
          label={t("checkout.address")}
          autoComplete="address-line1"
          maxLength={250}
          isWide
        />
        <TextField
          form={form}
          name="postalCode"
          label={t("checkout.postalCode")}
          autoComplete="postal-code"
          maxLength={20}
        />
        <TextField
          form={form}
          name="city"
          label={t("checkout.city")}
          autoComplete="address-level2"
          maxLength={100}
        />
        <FieldFrame form={form} name="country" label={t("checkout.country")} isWide>
          <select
            className="select"
            autoComplete="country"
            required
            value={country}
            onChange={(event) => onCountry(event.target.value)}
            {...described(form, "country")}
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
            name="customCountry"
            label={t("checkout.customCountry")}
            autoComplete="country-name"
            maxLength={60}
            isWide
          />
        )}
      </div>
      <details
        className="disclosure"
        open={isOpen || hasError}
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary>{t("checkout.addMore")}</summary>
        <div className="stack">
          <TextField
            form={form}
            name="phone"
            label={t("checkout.phone")}
            type="tel"
            autoComplete="tel"
            maxLength={40}
            isOptional
          />
          <FieldFrame
            form={form}
            name="notes"
            label={t("checkout.notes")}
            hint={t("checkout.notesHint")}
            isOptional
          >
            <textarea
              className="textarea"
              rows={3}
              maxLength={2000}
              value={texts.notes}
              onChange={(event) => form.setText("notes", event.target.value)}
              {...described(form, "notes", "hint")}
            />
          </FieldFrame>
        </div>
      </details>
    </fieldset>
  );
}
