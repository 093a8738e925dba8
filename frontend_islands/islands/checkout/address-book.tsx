import { useEffect, useRef, useState } from "react";
import type { CountryChoice, SavedAddress } from "@/api/types";
import { getJson, postJson } from "@/lib/api";
import { useTranslation } from "@/runtime/react";
import type { Member } from "./account-section";
import type { Form } from "./use-form";
import type { Answers, TextName } from "./validation";

const PATH = "/api/me/addresses";
/** An order never waits longer for its address to be saved. */
const LONGEST_MS = 3000;

export interface AddressBook {
  /** The member's addresses in countries that are served, the first choice first. */
  addresses: readonly SavedAddress[];
  /** The one that the form was filled with; null once another is typed. */
  chosen: SavedAddress | null;
  choose: (id: number | null) => void;
  /** Whether the typed address is to be saved, which only a member may ask for. */
  isSaving: boolean;
  setSaving: (isSaving: boolean) => void;
  /** Saves it if that was asked for. Never fails: the order stands without it. */
  save: (answers: Answers) => Promise<void>;
}

/** A member's saved addresses. An untouched form opens with the first choice. */
export function useAddressBook(
  member: Member,
  form: Form,
  countries: readonly CountryChoice[],
  onCountry: (code: string) => void,
): AddressBook {
  const [addresses, setAddresses] = useState<readonly SavedAddress[]>([]);
  const [chosenId, setChosenId] = useState<number | null>(null);
  const [isSaving, setSaving] = useState(false);
  const { texts, country, hasBilling } = form.answers;
  const picked = addresses.find(({ id }) => id === chosenId);
  const chosen = picked && picked.country === country && isTyped(picked, texts) ? picked : null;
  const isKnown = member.isMember && member.email !== null;

  const choose = (address: SavedAddress | null) => {
    setChosenId(address?.id ?? null);
    if (!address) return;
    setSaving(false);
    onCountry(address.country);
    form.fill(textsOf(address));
  };

  // The form of this moment, for an answer that comes later.
  const latest = useRef({ texts, choose });
  latest.current = { texts, choose };

  useEffect(() => {
    if (!isKnown) return;
    getJson<SavedAddress[]>(PATH).then(
      (found) => {
        const served = found.filter(({ country }) => countries.some(({ code }) => code === country));
        setAddresses(served);
        const { firstName, lastName, address, postalCode, city } = latest.current.texts;
        if (served[0] && ![firstName, lastName, address, postalCode, city].some(Boolean)) {
          latest.current.choose(served[0]);
        }
      },
      // Without the book everything is typed, as by anybody.
      () => {},
    );
  }, [isKnown, countries]);

  const billing = addresses.find(({ is_billing_default }) => is_billing_default);
  const isBillingOpen = hasBilling && !texts["billing.name"] && !texts["billing.address"];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the section opens
  useEffect(() => {
    if (!isBillingOpen || !billing || billing === chosen) return;
    form.fill({
      "billing.name": `${billing.first_name} ${billing.last_name}`,
      "billing.address": billing.address,
      "billing.postalCode": billing.postal_code ?? "",
      "billing.city": billing.city,
      "billing.country": billing.country,
      "billing.customCountry": billing.custom_country ?? "",
    });
  }, [hasBilling]);

  const save = async ({ texts, country }: Answers) => {
    if (!isSaving || !isKnown) return;
    const address = {
      first_name: texts.firstName,
      last_name: texts.lastName,
      address: texts.address,
      postal_code: texts.postalCode,
      city: texts.city,
      country,
      custom_country: texts.customCountry,
      phone: texts.phone,
    };
    const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS));
    await Promise.race([postJson(PATH, address).catch(() => {}), late]);
  };

  return {
    addresses,
    chosen,
    choose: (id) => choose(addresses.find((address) => address.id === id) ?? null),
    isSaving,
    setSaving,
    save,
  };
}

function textsOf(address: SavedAddress) {
  return {
    firstName: address.first_name,
    lastName: address.last_name,
    address: address.address,
    postalCode: address.postal_code ?? "",
    city: address.city,
    customCountry: address.custom_country ?? "",
    phone: address.phone ?? "",
  };
}

function isTyped(address: SavedAddress, texts: Answers["texts"]): boolean {
  return Object.entries(textsOf(address)).every(([name, text]) => texts[name as TextName] === text);
}

/** The choice among saved addresses, above the fields that it fills in. */
export function SavedAddresses({ book }: { book: AddressBook }) {
  const { t } = useTranslation();
  if (book.addresses.length === 0) return null;
  return (
    <div className="field">
      <label className="field__label" htmlFor="checkout-book">
        {t("checkout.savedAddresses")}
      </label>
      <select
        className="select"
        id="checkout-book"
        value={book.chosen?.id ?? ""}
        onChange={(event) => book.choose(Number(event.target.value) || null)}
      >
        {book.addresses.map((address) => (
          <option key={address.id} value={address.id}>
            {[address.label, address.address, address.city].filter(Boolean).join(", ")}
          </option>
        ))}
        <option value="">{t("checkout.otherAddress")}</option>
      </select>
    </div>
  );
}

/** Saves a typed address with the order. */
export function SaveAddress({ book }: { book: AddressBook }) {
  const { t } = useTranslation();
  if (book.chosen) return null;
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={book.isSaving}
        onChange={(event) => book.setSaving(event.target.checked)}
      />{" "}
      <span>{t("checkout.saveAddress")}</span>
    </label>
  );
}
