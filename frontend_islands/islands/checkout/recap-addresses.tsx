import type { CountryChoice } from "@/api/types";
import { useTranslation } from "@/runtime/react";
import type { Form } from "./use-form";

interface RecapAddressesProps {
  form: Form;
  countries: readonly CountryChoice[];
  otherCountry: string;
}

/** Where parcel and invoice go, once there is an address to show. */
export function RecapAddresses({ form, countries, otherCountry }: RecapAddressesProps) {
  const { t } = useTranslation();
  const { texts, country, isGift, hasBilling } = form.answers;
  const named = (code: string, custom: string) =>
    code === otherCountry ? custom : (countries.find((each) => each.code === code)?.name ?? code);
  const buyer = `${texts.firstName} ${texts.lastName}`;
  const delivery = [
    isGift ? texts["gift.recipient"] : buyer,
    texts.address,
    `${texts.postalCode} ${texts.city}`,
    named(country, texts.customCountry),
  ];
  const billing = [
    texts["billing.company"],
    texts["billing.name"],
    texts["billing.address"],
    `${texts["billing.postalCode"]} ${texts["billing.city"]}`,
    named(texts["billing.country"], texts["billing.customCountry"]),
  ];
  if (!texts.address.trim()) return null;
  return (
    <dl className="recap-addresses">
      <div>
        <dt className="recap-addresses__label">
          {isGift ? t("checkout.recapGift") : t("checkout.recapDelivery")}
        </dt>
        <dd>{joined(delivery)}</dd>
        {isGift && texts["gift.message"].trim() && (
          <dd className="recap-addresses__message">{texts["gift.message"].trim()}</dd>
        )}
      </div>
      <div>
        <dt className="recap-addresses__label">{t("checkout.recapBilling")}</dt>
        <dd>{hasBilling ? joined(billing) : t("checkout.recapSame")}</dd>
      </div>
    </dl>
  );
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join(", ");
}
