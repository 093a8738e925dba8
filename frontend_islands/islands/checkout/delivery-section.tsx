import { useState } from "react";
import { LIMITS } from "@/api/limits";
import type { CountryChoice, Quote } from "@/api/types";
import { useTranslation } from "@/runtime/react";
import { type AddressBook, SaveAddress, SavedAddresses } from "./address-book";
import { AddressFields } from "./address-fields";
import { described, FieldFrame, TextField } from "./fields";
import { GiftFields } from "./gift-fields";
import type { Form } from "./use-form";

interface DeliverySectionProps {
  form: Form;
  countries: readonly CountryChoice[];
  otherCountry: string;
  needsPostcode: boolean;
  /** What the server finds wrong or doubtful about the postcode. */
  postcode: Pick<Quote, "postal_code_error" | "postal_code_notice"> | null;
  onCountry: (code: string) => void;
  book: AddressBook;
}

export function DeliverySection({
  form,
  countries,
  otherCountry,
  needsPostcode,
  postcode,
  onCountry,
  book,
}: DeliverySectionProps) {
  const { t } = useTranslation();
  const { texts, country } = form.answers;
  const { errors } = form;
  const [isOpen, setIsOpen] = useState(Boolean(texts.phone || texts.notes));
  const [isTypingPostcode, setIsTypingPostcode] = useState(false);
  const hasError = Boolean(errors.phone || errors.notes);
  // Half a postcode is no mistake: nothing is said while it is being typed.
  const judged = isTypingPostcode ? null : postcode;
  const postcodeError = errors.postalCode || judged?.postal_code_error;
  return (
    <fieldset className="form__section">
      <legend className="form__legend">
        <span className="form__step">2</span> {t("checkout.delivery")}
      </legend>
      <SavedAddresses book={book} />
      <GiftFields form={form} />
      <div className="form__grid">
        <TextField
          form={form}
          name="firstName"
          label={t("checkout.firstName")}
          autoComplete="shipping given-name"
        />
        <TextField
          form={form}
          name="lastName"
          label={t("checkout.lastName")}
          autoComplete="shipping family-name"
        />
        <AddressFields
          form={postcodeError ? { ...form, errors: { ...errors, postalCode: postcodeError } } : form}
          of="delivery"
          countries={countries}
          otherCountry={otherCountry}
          country={country}
          onCountry={onCountry}
          postcode={{
            isOptional: !needsPostcode,
            hint: postcodeError ? "" : (judged?.postal_code_notice ?? ""),
            onFocus: () => setIsTypingPostcode(true),
            onBlur: () => {
              setIsTypingPostcode(false);
              form.leave("postalCode");
            },
          }}
        />
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
            autoComplete="shipping tel"
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
              maxLength={LIMITS.CustomerRequest.notes}
              value={texts.notes}
              onChange={(event) => form.setText("notes", event.target.value)}
              {...described(form, "notes", "hint")}
            />
          </FieldFrame>
        </div>
      </details>
      <SaveAddress book={book} />
    </fieldset>
  );
}
