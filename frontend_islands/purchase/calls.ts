import * as v from "valibot";
import type { Quote } from "@/api/types";
import { ApiProblem } from "@/lib/api";

/** How long an answer may take. */
const LONGEST_MS = 15_000;

/**
 * Makes a call that is given up after fifteen seconds, which is then the same problem as no answer at all
 * (`network`). `outer` calls it off, silently as far as the server is concerned: an `AbortError`.
 */
export async function inTime<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  outer?: AbortSignal,
): Promise<Answer> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  outer?.addEventListener("abort", stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new ApiProblem(0, "network", ""));
      stop();
    }, LONGEST_MS);
  });
  try {
    return await Promise.race([call(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}

/** Whatever was thrown, as a problem that can be shown. */
export function asProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, "unexpected", "");
}

const amount = v.pipe(v.string(), v.regex(/^\d+\.\d\d$/));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();

const choice = {
  product_id: count,
  variation_id: v.nullable(count),
  finish: v.nullable(v.picklist(["painted", "unpainted"])),
  name: text,
  quantity: count,
};

const line = v.object({
  ...choice,
  key: text,
  finish_label: text,
  variation_name: text,
  url: text,
  image: v.nullable(v.object({ url: text, srcset: text })),
  promotion_label: text,
  unit_price: v.nullable(amount),
  original_price: v.nullable(amount),
  free_quantity: count,
  line_total: amount,
  available: v.boolean(),
  available_quantity: v.nullable(count),
  reserved: v.boolean(),
  problem: v.optional(text),
  problem_detail: v.optional(text),
});

const hint = v.object({
  label: text,
  text,
  suggestion: v.nullable(v.object(choice)),
});

/**
 * The parts of a quote that are drawn, checked before: a proxy's page, a cut answer or another version of the API must
 * end as a notice with a way out, never as half a price.
 */
const quote = v.object({
  lines: v.array(line),
  item_count: count,
  original_total: amount,
  promotion_savings: amount,
  subtotal: amount,
  customs_notice: v.boolean(),
  postal_code_error: text,
  postal_code_notice: text,
  shipping_cost: amount,
  total: amount,
  free_shipping_missing: v.nullable(amount),
  free_shipping_share: count,
  next_free: v.array(hint),
  lead_time: v.nullable(v.object({ latest: text, text, christmas: text })),
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
