import { useEffect, useRef, useState } from "react";
import type { CountryChoice, SavedAddress } from "@/api/types";
import { getJson, postJson } from "@/lib/api";
import { inTime } from "@/purchase/calls";
import { useTranslation } from "@/runtime/react";
import type { Member } from "./account-section";
import type { Form } from "./use-form";
import type { Answers, TextName } from "./validation";

const PATH = "/api/me/addresses";
/** The form's texts and the columns of an address that they are. */
const COLUMNS = {
  firstName: "first_name",
  lastName: "last_name",
  address: "address",
  postalCode: "postal_code",
  city: "city",
  customCountry: "custom_country",
  phone: "phone",
} as const;

export interface AddressBook {
  /** The member's addresses in countries that are served, the first choice first. */
  addresses: readonly SavedAddress[];
  /** The one that the form holds, if it is one of them. */
  chosen: SavedAddress | undefined;
  /** Fills the form in; an unknown id empties it, for another address. */
  choose: (id: number) => void;
  /** Whether the typed address is a new one of a member's own: that of a gift is its recipient's. */
  mayBeSaved: boolean;
  /** Whether it is to be saved. */
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
  const [isSaving, setSaving] = useState(false);
  const { texts, country, isGift, hasBilling } = form.answers;
  const chosen = addresses.find((address) => address.country === country && isTyped(address, texts));
  const isKnown = member.isMember && member.email !== null;
  const mayBeSaved = isKnown && !isGift && !chosen;

  const choose = (address?: SavedAddress) => {
    form.fill(textsOf(address));
    if (address) onCountry(address.country);
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
        const isUntouched = Object.keys(COLUMNS).every((name) => !latest.current.texts[name as TextName]);
        if (served[0] && isUntouched) latest.current.choose(served[0]);
      },
      // Without the book everything is typed, as by anybody.
      () => {},
    );
  }, [isKnown, countries]);

  const billing = addresses.find(({ is_billing_default }) => is_billing_default);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the section opens
  useEffect(() => {
    if (!hasBilling || texts["billing.address"] || !billing || billing === chosen) return;
    const where = {
      ...textsOf(billing),
      name: `${billing.first_name} ${billing.last_name}`,
      country: billing.country,
    };
    const names = Object.keys(texts).filter((name) => name.startsWith("billing."));
    form.fill(
      Object.fromEntries(names.map((name) => [name, where[name.slice(8) as keyof typeof where] ?? ""])),
    );
  }, [hasBilling]);

  const save = async ({ texts, country }: Answers) => {
    if (!isSaving || !mayBeSaved) return;
    const columns = Object.entries(COLUMNS).map(([name, column]) => [column, texts[name as TextName]]);
    const address = { country, ...Object.fromEntries(columns) };
    await inTime((signal) => postJson(PATH, address, { signal })).catch(() => {});
  };

  return {
    addresses,
    chosen,
    choose: (id) => choose(addresses.find((address) => address.id === id)),
    mayBeSaved,
    isSaving,
    setSaving,
    save,
  };
}

function textsOf(address?: SavedAddress): Record<string, string> {
  return Object.fromEntries(Object.entries(COLUMNS).map(([name, column]) => [name, address?.[column] ?? ""]));
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
        onChange={(event) => book.choose(Number(event.target.value))}
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
  if (!book.mayBeSaved) return null;
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
