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
  const where = (code: string, prefix: "" | "billing." = "") => [
    texts[`${prefix}address`],
    `${texts[`${prefix}postalCode`]} ${texts[`${prefix}city`]}`,
    code === otherCountry
      ? texts[`${prefix}customCountry`]
      : (countries.find((each) => each.code === code)?.name ?? code),
  ];
  const buyer = `${texts.firstName} ${texts.lastName}`;
  const delivery = [isGift ? texts["gift.recipient"] : buyer, ...where(country)];
  const billing = [
    texts["billing.company"],
    texts["billing.name"],
    ...where(texts["billing.country"], "billing."),
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

/** Each part in its own direction: a name from right to left turns no street number. */
function joined(parts: readonly string[]): string {
  return parts
    .filter((part) => part.trim())
    .map((part) => `\u2068${part.trim()}\u2069`)
    .join(", ");
}
