import type { ComponentProps } from "react";
import type { CountryChoice } from "@/api/types";
import { useTranslation } from "@/runtime/react";
import { described, FieldFrame, TextField } from "./fields";
import { postcodeMode } from "./postcode-mode";
import type { Form } from "./use-form";

interface AddressFieldsProps {
  form: Form;
  of: "delivery" | "billing";
  countries: readonly CountryChoice[];
  otherCountry: string;
  country: string;
  onCountry: (code: string) => void;
  postcode?: Partial<ComponentProps<typeof TextField>>;
}

/** The fields that both addresses of an order have. */
export function AddressFields(props: AddressFieldsProps) {
  const { form, countries, country } = props;
  const { t } = useTranslation();
  const isBilling = props.of === "billing";
  const prefix = isBilling ? "billing." : "";
  const autofill = isBilling ? "billing" : "shipping";
  return (
    <>
      <TextField
        form={form}
        name={`${prefix}address`}
        label={t(isBilling ? "checkout.billingAddress" : "checkout.address")}
        autoComplete={`${autofill} address-line1`}
        isWide
      />
      <TextField
        form={form}
        name={`${prefix}postalCode`}
        label={t(isBilling ? "checkout.billingPostalCode" : "checkout.postalCode")}
        autoComplete={`${autofill} postal-code`}
        inputMode={postcodeMode(country)}
        {...props.postcode}
      />
      <TextField
        form={form}
        name={`${prefix}city`}
        label={t(isBilling ? "checkout.billingCity" : "checkout.city")}
        autoComplete={`${autofill} address-level2`}
      />
      <FieldFrame
        form={form}
        name={`${prefix}country`}
        label={t(isBilling ? "checkout.billingCountry" : "checkout.country")}
        isWide
      >
        <select
          className="select"
          autoComplete={`${autofill} country`}
          required
          value={country}
          onChange={(event) => props.onCountry(event.target.value)}
          {...described(form, `${prefix}country`)}
        >
          {countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </FieldFrame>
      {country === props.otherCountry && (
        <TextField
          form={form}
          name={`${prefix}customCountry`}
          label={t(isBilling ? "checkout.billingCustomCountry" : "checkout.customCountry")}
          autoComplete={`${autofill} country-name`}
          isWide
        />
      )}
    </>
  );
}
