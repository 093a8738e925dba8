/** What the purchase calls answer and what its islands are given, by the names of the API schema. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Quote = Schemas["Quote"];
export type QuoteLine = Schemas["QuoteLine"];
export type CountryChoice = Schemas["CountryChoice"];
export type PaymentMode = Schemas["PaymentModeEnum"];
export type CartProps = Schemas["CartProps"];
export type CheckoutProps = Schemas["CheckoutProps"];
export type CheckoutAnswer = Schemas["CheckoutAnswer"];
export type PaymentResultProps = Schemas["PaymentResultProps"];
export type VerifyAnswer = Schemas["VerifyAnswer"];
