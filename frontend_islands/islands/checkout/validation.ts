/** What the browser can check before anything is sent. The server checks all of it again. */
import { LIMITS } from "@/api/limits";

/** In the order of the page, which is also that of the list of errors; named as the API's errors are. */
export const FIELDS = [
  "email",
  "password",
  "gift.recipient",
  "gift.message",
  "firstName",
  "lastName",
  "address",
  "postalCode",
  "city",
  "country",
  "customCountry",
  "phone",
  "notes",
  "billing.name",
  "billing.company",
  "billing.companyNumber",
  "billing.address",
  "billing.postalCode",
  "billing.city",
  "billing.country",
  "billing.customCountry",
  "terms",
] as const;
export type FieldName = (typeof FIELDS)[number];
export type TextName = Exclude<FieldName, "country" | "terms">;

/** Whose order it is: a new member, one who signs in with it, a guest, or the member who is signed in. */
export type Access = "signup" | "signin" | "guest" | "member";

export interface Answers {
  texts: Record<TextName, string>;
  access: Access;
  country: string;
  isGift: boolean;
  /** Whether the invoice goes elsewhere than the parcel. */
  hasBilling: boolean;
  hasAcceptedTerms: boolean;
}

export interface Rules {
  /** The code of the country that is not on the list, whose name is then asked for. */
  otherCountry: string;
  passwordMin: number;
  /** Whether an address in the chosen country is incomplete without a postcode. */
  needsPostcode: boolean;
}

export type Fault = "missing" | "invalid" | "short";
type Faults = Partial<Record<FieldName, Fault>>;

/** What is wrong with a field; null for nothing, or when this order does not ask for it. */
export function findFault(name: FieldName, answers: Answers, rules: Rules): Fault | null {
  const { access, country, texts, hasAcceptedTerms } = answers;
  if (!answers.isGift && name.startsWith("gift.")) return null;
  if (!answers.hasBilling && name.startsWith("billing.")) return null;
  switch (name) {
    case "phone":
    case "notes":
    case "gift.message":
    case "billing.company":
    case "billing.companyNumber":
      return null;
    case "billing.customCountry":
      return texts["billing.country"] !== rules.otherCountry || texts[name].trim() ? null : "missing";
    case "email":
      return access === "member" ? null : emailFault(texts.email.trim());
    case "password":
      if (access !== "signup" && access !== "signin") return null;
      if (!texts.password) return "missing";
      return access === "signup" && texts.password.length < rules.passwordMin ? "short" : null;
    case "postalCode":
      return !rules.needsPostcode || texts.postalCode.trim() ? null : "missing";
    case "customCountry":
      return country !== rules.otherCountry || texts.customCountry.trim() ? null : "missing";
    case "country":
      return country.trim() ? null : "missing";
    case "terms":
      return hasAcceptedTerms ? null : "missing";
    default:
      return texts[name].trim() ? null : "missing";
  }
}

function emailFault(email: string): Fault | null {
  if (!email) return "missing";
  const isPossible = email.length >= 5 && email.length <= LIMITS.CustomerRequest.email;
  return isPossible && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? null : "invalid";
}

export function findFaults(answers: Answers, rules: Rules): Faults {
  const faults: Faults = {};
  for (const name of FIELDS) {
    const fault = findFault(name, answers, rules);
    if (fault) faults[name] = fault;
  }
  return faults;
}
