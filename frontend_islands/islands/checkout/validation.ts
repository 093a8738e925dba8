/** What the browser can check before anything is sent. The server checks all of it again. */
import * as v from "valibot";
import { LIMITS } from "@/api/limits";

/** In the order of the page, which is also that of the list of errors. */
export const FIELDS = [
  "email",
  "password",
  "firstName",
  "lastName",
  "address",
  "postalCode",
  "city",
  "country",
  "customCountry",
  "phone",
  "notes",
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
  hasAcceptedTerms: boolean;
}

export interface Rules {
  /** The code of the country that is not on the list, whose name is then asked for. */
  otherCountry: string;
  passwordMin: number;
}

export type Fault = "missing" | "invalid" | "short";
type Faults = Partial<Record<FieldName, Fault>>;

const filled = v.pipe(v.string(), v.trim(), v.nonEmpty("missing"));
const address = v.pipe(
  filled,
  v.minLength(5, "invalid"),
  v.maxLength(LIMITS.CustomerRequest.email, "invalid"),
  v.regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, "invalid"),
);
const accepted = v.literal(true, "missing");

/** What is wrong with a field; null for nothing, or when this order does not ask for it. */
export function findFault(name: FieldName, answers: Answers, rules: Rules): Fault | null {
  const { access, country, texts } = answers;
  const value =
    name === "country" ? country : name === "terms" ? answers.hasAcceptedTerms : (texts[name] as string);
  const schema = schemaOf(name, access, country, rules);
  if (!schema) return null;
  const { issues } = v.safeParse(schema, value, { abortPipeEarly: true });
  return issues ? (issues[0].message as Fault) : null;
}

export function findFaults(answers: Answers, rules: Rules): Faults {
  const faults: Faults = {};
  for (const name of FIELDS) {
    const fault = findFault(name, answers, rules);
    if (fault) faults[name] = fault;
  }
  return faults;
}

function schemaOf(name: FieldName, access: Access, country: string, { otherCountry, passwordMin }: Rules) {
  switch (name) {
    case "phone":
    case "notes":
      return null;
    case "email":
      return access === "member" ? null : address;
    case "password":
      if (access === "signin") return v.pipe(v.string(), v.nonEmpty("missing"));
      if (access !== "signup") return null;
      return v.pipe(v.string(), v.nonEmpty("missing"), v.minLength(passwordMin, "short"));
    case "customCountry":
      return country === otherCountry ? filled : null;
    case "terms":
      return accepted;
    default:
      return filled;
  }
}
