import type { Quote } from "@/api/types";
import type { ApiProblem } from "@/lib/api";
import { findQuote } from "@/purchase/calls";
import { FIELDS, type FieldName } from "./validation";

/** What a refused order means for the page. */
type Outcome =
  /** The form must be corrected; `others` are messages that belong to no field. */
  | { kind: "fields"; about: About; errors: Partial<Record<FieldName, string>>; others: string[] }
  /** The cart costs something else, or holds what can't be bought: the customer decides. */
  | { kind: "changed"; detail: string; quote: Quote }
  /** The order that this browser made before was paid in the meantime. */
  | { kind: "paid"; url: string }
  /** Nothing was done. `isSpent`: the key belongs to an order that can't be paid any more. */
  | { kind: "refused"; about: About; isSpent?: boolean; url?: string };

type About = "form" | "signin" | "signup";

/** Sorts a refusal by its code. */
export function outcomeOf(problem: ApiProblem): Outcome {
  const { body, code, detail, status } = problem;
  switch (code) {
    case "total_changed":
    case "date_changed":
    case "out_of_stock":
    case "line_unavailable": {
      const quote = findQuote(body.quote);
      if (quote) return { kind: "changed", detail, quote };
      break;
    }
    case "already_paid":
      return { kind: "paid", url: address(body.order_url) };
    case "too_many_unpaid":
      return { kind: "refused", about: "form", url: address(body.order_url) };
    case "invalid_credentials":
    case "email_unconfirmed":
    case "password_required":
      return { kind: "fields", about: "signin", errors: { password: detail }, others: [] };
    case "second_factor_required":
      return { kind: "refused", about: "signin", url: address(body.signin_url) };
    case "too_many_attempts":
    case "signed_out":
      return { kind: "refused", about: "signin" };
  }
  if (Object.keys(problem.errors).length > 0) {
    const isAccount = code === "weak_password" || code === "invalid_email";
    return { kind: "fields", about: isAccount ? "signup" : "form", ...sortErrors(problem.errors) };
  }
  const isSpent = status === 422 || code === "order_closed";
  return { kind: "refused", about: "form", isSpent };
}

function address(found: unknown): string {
  return typeof found === "string" ? found : "";
}

function sortErrors(errors: Record<string, string[]>) {
  const sorted: { errors: Partial<Record<FieldName, string>>; others: string[] } = { errors: {}, others: [] };
  for (const [path, messages] of Object.entries(errors)) {
    const [message] = messages;
    if (!message) continue;
    const name = path === "accept_terms" ? "terms" : path.replace(/^(customer|account)\./, "");
    if (isField(name)) sorted.errors[name] = message;
    else sorted.others.push(message);
  }
  return sorted;
}

function isField(name: string): name is FieldName {
  return (FIELDS as readonly string[]).includes(name);
}
