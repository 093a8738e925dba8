/** A shop that answers, and carts it may answer about. */
import { vi } from "vitest";
import type { CountryChoice, OfferHint, Quote, QuoteLine } from "@/api/types";
import type { CartLine } from "@/lib/cart";

export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they sent
  body: any;
}
type Answer = (asked: Asked) => Response | Promise<Response>;

/** Answers the calls of a test by path (without the query); the returned list records every call. */
export function serve(answers: Record<string, Answer>): Asked[] {
  const calls: Asked[] = [];
  vi.stubGlobal("fetch", async (address: string | URL, request: RequestInit = {}) => {
    const path = address instanceof URL ? `${address.pathname}${address.search}` : address;
    const asked: Asked = {
      method: request.method ?? "GET",
      path,
      headers: (request.headers ?? {}) as Record<string, string>,
      body: request.body ? JSON.parse(request.body as string) : undefined,
    };
    calls.push(asked);
    const answer = answers[path.split("?")[0] ?? ""];
    if (!answer) throw new Error(`Nothing answers ${path}.`);
    const given = Promise.resolve(answer(asked));
    const { signal } = request;
    if (!signal) return given;
    const called = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("Called off.", "AbortError")));
    });
    return Promise.race([given, called]);
  });
  return calls;
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
}

export function problem(status: number, code: string, detail: string, more: object = {}): Response {
  return new Response(JSON.stringify({ status, code, detail, ...more }), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });
}

export const visitor = () => json({ authenticated: false, roles: [], favourites: [], csrf_token: "t" });
export const member = () =>
  json({ authenticated: true, email: "client@example.com", roles: [], favourites: [], csrf_token: "t" });

export const countries: CountryChoice[] = [
  { code: "FR", name: "France", needs_postcode: true },
  { code: "CH", name: "Suisse", needs_postcode: true },
  { code: "ZZ", name: "Autre", needs_postcode: false },
];

/** A line of a quote: two painted guardians at 189.00. */
export function quoted(more: Partial<QuoteLine> = {}): QuoteLine {
  return {
    key: "12:3:painted",
    product_id: 12,
    variation_id: 3,
    finish: "painted",
    name: "Gardien",
    finish_label: "Peint",
    variation_name: "15 cm",
    category: "Mangas",
    url: "/produit/12-gardien",
    image: { url: "/media/12.webp", width: 320, height: 320, alt: "", srcset: "" },
    promotion_label: "",
    quantity: 2,
    unit_price: "189.00",
    original_price: null,
    free_quantity: 0,
    line_total: "378.00",
    available: true,
    available_quantity: null,
    reserved: false,
    ...more,
  };
}

export function quote(lines: QuoteLine[] = [quoted()], more: Partial<Quote> = {}): Quote {
  return {
    lines,
    item_count: 2,
    original_total: "378.00",
    promotion_savings: "0.00",
    subtotal: "378.00",
    country: "FR",
    shipping_zone: "france-europe",
    customs_notice: false,
    postal_code_error: "",
    postal_code_notice: "",
    shipping_cost: "0.00",
    total: "378.00",
    free_shipping_missing: "0.00",
    free_shipping_share: 100,
    next_free: [],
    lead_time: {
      days_min: 17,
      days_max: 33,
      earliest: "2026-12-08",
      latest: "2026-12-24",
      text: "entre le 8 et le 24 décembre 2026",
      christmas: "",
    },
    installments: { available: false, minimum: "150.00", plan: [], mandate: "" },
    ...more,
  };
}

/** Two more guardians complete the offer. */
export function hint(more: Partial<OfferHint> = {}): OfferHint {
  return {
    label: "2 achetés, 1 offert",
    text: "Encore 2 × Gardien et une pièce est offerte (2 achetés, 1 offert).",
    keys: ["12:3:painted"],
    names: ["Gardien"],
    missing: 2,
    suggestion: { product_id: 12, variation_id: 3, finish: "painted", name: "Gardien", quantity: 2 },
    ...more,
  };
}

/** The cart's line that a line of a quote answers. */
export function cartLine({ product_id, variation_id, finish, quantity }: QuoteLine): CartLine {
  return { product_id, variation_id, finish, quantity };
}

/** What a shop that offers installments answers for a cart of 378.00 €. */
export const inThreeTimes: Quote["installments"] = {
  available: true,
  minimum: "150.00",
  plan: [
    { due: "2026-11-21", due_text: "21 novembre 2026", amount: "126.00" },
    { due: "2026-12-21", due_text: "21 décembre 2026", amount: "126.00" },
    { due: "2027-01-20", due_text: "20 janvier 2027", amount: "126.00" },
  ],
  mandate: "J'autorise la boutique à débiter ma carte de ces montants à ces dates.",
};
