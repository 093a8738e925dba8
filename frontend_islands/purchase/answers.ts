/**
 * What the server answered, looked at before it is drawn: a proxy's page, a cut answer or another version of the
 * API must end as a notice with a way out, never as half a price.
 */
import * as v from "valibot";
import { ApiProblem } from "@/lib/api";
import type { Quote } from "./types";

const amount = v.pipe(v.string(), v.regex(/^\d+\.\d\d$/));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();

const line = v.object({
  key: text,
  product_id: count,
  variation_id: v.nullable(count),
  finish: v.nullable(v.picklist(["painted", "unpainted"])),
  name: text,
  finish_label: text,
  variation_name: text,
  url: text,
  image: v.nullable(v.object({ url: text, srcset: text })),
  promotion_label: text,
  quantity: count,
  unit_price: v.nullable(amount),
  free_quantity: count,
  line_total: amount,
  available: v.boolean(),
  available_quantity: v.nullable(count),
  reserved: v.boolean(),
  problem: v.optional(text),
  problem_detail: v.optional(text),
});

/** The parts of a quote that are drawn. */
const quote = v.object({
  lines: v.array(line),
  item_count: count,
  original_total: amount,
  promotion_savings: amount,
  subtotal: amount,
  country: text,
  shipping_cost: amount,
  total: amount,
  free_shipping_missing: v.nullable(amount),
  free_shipping_share: count,
  next_free: v.array(text),
  lead_time: v.nullable(v.object({ text })),
  installments: v.object({
    available: v.boolean(),
    minimum: amount,
    plan: v.array(v.object({ due: text, due_text: text, amount })),
    mandate: text,
  }),
});

/** The quote in an answer; null when it is none. */
export function findQuote(answer: unknown): Quote | null {
  return v.is(quote, answer) ? (answer as Quote) : null;
}

/** The quote in an answer. Raises `ApiProblem` `unreadable` when it is none. */
export function readQuote(answer: unknown): Quote {
  const found = findQuote(answer);
  if (!found) throw new ApiProblem(200, "unreadable", "");
  return found;
}
