import { useEffect, useRef, useState } from "react";
import { readForm, writeForm } from "@/purchase/tab-memory";
import { useTranslation } from "@/runtime/react";
import {
  type Access,
  type Answers,
  type Fault,
  FIELDS,
  type FieldName,
  findFault,
  findFaults,
  type Rules,
  type TextName,
} from "./validation";

export type Errors = Partial<Record<FieldName, string>>;

export interface Form {
  answers: Answers;
  errors: Errors;
  /** Fields whose error was mended: they get a tick. */
  mended: ReadonlySet<FieldName>;
  setText: (name: TextName, value: string) => void;
  /** Sets several texts at once, as if each had been typed rightly. */
  fill: (texts: Partial<Record<TextName, string>>) => void;
  /** Ticks « cadeau »: who gives is billed at home unless they untick that too. */
  setGift: (isGift: boolean) => void;
  setBilling: (hasBilling: boolean) => void;
  setAccess: (access: Access) => void;
  setTerms: (hasAccepted: boolean) => void;
  /** The field was left: what was typed is looked at, an untouched field is not. */
  leave: (name: FieldName) => void;
  /** Looks at everything, shows and returns what is wrong, beside what the server found. */
  check: (found: Errors) => Errors;
  setErrors: (errors: Errors) => void;
  /** Takes errors back: what they were about is no longer asked. */
  forgive: (names: readonly FieldName[]) => void;
}

const NOTHING: Record<TextName, string> = {
  email: "",
  password: "",
  firstName: "",
  lastName: "",
  address: "",
  postalCode: "",
  city: "",
  customCountry: "",
  phone: "",
  notes: "",
  "gift.recipient": "",
  "gift.message": "",
  "billing.name": "",
  "billing.company": "",
  "billing.companyNumber": "",
  "billing.address": "",
  "billing.postalCode": "",
  "billing.city": "",
  "billing.country": "",
  "billing.customCountry": "",
};

/**
 * The form's state. It outlives a reload of the tab, except for the password and the acceptance of the terms.
 *
 * An error shows when a field is left or the form is sent, never while typing, and goes as soon as it is mended.
 */
export function useForm(rules: Rules, country: string, isMember: boolean): Form {
  const [texts, setTexts] = useState(storedTexts);
  const [isGift, setIsGift] = useState(() => readForm().isGift === true);
  const [hasBilling, setHasBilling] = useState(() => readForm().hasBilling === true);
  const [tab, setTab] = useState<Access>(storedAccess);
  const [hasAcceptedTerms, setTerms] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const [mended, setMended] = useState<ReadonlySet<FieldName>>(new Set());
  const touched = useRef(new Set<FieldName>());
  const faultText = useFaultText(rules);

  // The country of the delivery until another is chosen.
  const shown = { ...texts, "billing.country": texts["billing.country"] || country };
  const access = isMember ? "member" : tab;
  const answers: Answers = { texts: shown, access, country, isGift, hasBilling, hasAcceptedTerms };

  useEffect(() => {
    writeForm({ access: tab, isGift, hasBilling, texts: { ...texts, password: "" } });
  }, [tab, texts, isGift, hasBilling]);

  return {
    answers,
    errors,
    mended,
    setText: (name, value) => {
      touched.current.add(name);
      const next = { ...shown, [name]: value };
      setTexts((current) => ({ ...current, [name]: value }));
      if (errors[name] && !findFault(name, { ...answers, texts: next }, rules)) {
        setErrors(without(errors, [name]));
        setMended(new Set([...mended, name]));
      }
    },
    fill: (filled) => {
      setTexts((current) => ({ ...current, ...filled }));
      setErrors((current) => without(current, Object.keys(filled) as TextName[]));
    },
    setGift: (next) => {
      setIsGift(next);
      if (next) return setHasBilling(true);
      // The giver's own address, which the gift asked for, folds with it unless something stands there.
      const isKept = Object.entries(texts).some(([name, text]) => name.startsWith("billing.") && text);
      setHasBilling(hasBilling && isKept);
      setErrors(without(errors, isKept ? GIFT : [...GIFT, ...BILLING]));
    },
    setBilling: (next) => {
      setHasBilling(next);
      if (!next) setErrors(without(errors, BILLING));
    },
    setAccess: (access) => {
      setTab(access);
      setErrors(without(errors, ["email", "password"]));
    },
    setTerms: (hasAccepted) => {
      setTerms(hasAccepted);
      setErrors(without(errors, ["terms"]));
    },
    leave: (name) => {
      if (!touched.current.has(name)) return;
      const fault = findFault(name, answers, rules);
      if (!fault) return;
      setErrors({ ...errors, [name]: faultText(name, fault) });
      setMended(new Set([...mended].filter((each) => each !== name)));
    },
    check: (found) => {
      for (const [name, fault] of Object.entries(findFaults(answers, rules)) as [FieldName, Fault][]) {
        found[name] = faultText(name, fault);
      }
      setErrors(found);
      setMended(new Set());
      return found;
    },
    setErrors,
    forgive: (names) => setErrors((current) => without(current, names)),
  };
}

const GIFT = FIELDS.filter((name) => name.startsWith("gift."));
const BILLING = FIELDS.filter((name) => name.startsWith("billing."));

function without(errors: Errors, names: readonly FieldName[]): Errors {
  return Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name as FieldName)));
}

function storedTexts(): Record<TextName, string> {
  const found = Object(readForm().texts) as Record<string, unknown>;
  const texts = { ...NOTHING };
  for (const name of Object.keys(texts) as TextName[]) {
    const text = found[name];
    if (typeof text === "string" && name !== "password") texts[name] = text;
  }
  return texts;
}

function storedAccess(): Access {
  const { access } = readForm();
  return access === "signin" || access === "guest" ? access : "signup";
}

/** The sentence for what is wrong with a field. */
function useFaultText({ passwordMin }: Rules): (name: FieldName, fault: Fault) => string {
  const { t } = useTranslation();
  return (name, fault) => {
    if (fault === "invalid") return t("checkout.invalidEmail");
    if (fault === "short") return t("checkout.passwordShort", { min: passwordMin });
    const missing: Partial<Record<FieldName, string>> = {
      email: t("checkout.missing.email"),
      password: t("checkout.missing.password"),
      firstName: t("checkout.missing.firstName"),
      lastName: t("checkout.missing.lastName"),
      address: t("checkout.missing.address"),
      postalCode: t("checkout.missing.postalCode"),
      city: t("checkout.missing.city"),
      customCountry: t("checkout.missing.customCountry"),
      terms: t("checkout.missing.terms"),
      "gift.recipient": t("checkout.missing.recipient"),
      "billing.name": t("checkout.missing.billingName"),
      "billing.address": t("checkout.missing.billingAddress"),
      "billing.postalCode": t("checkout.missing.billingPostalCode"),
      "billing.city": t("checkout.missing.billingCity"),
      "billing.customCountry": t("checkout.missing.billingCustomCountry"),
    };
    return missing[name] ?? t("checkout.missing.country");
  };
}
