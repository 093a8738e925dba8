/**
 * The first question about the page's cart, asked from the page's head (`start.ts`) while the island
 * that draws the answer is still on its way.
 */

interface EarlyQuote {
  question: string;
  response: Promise<Response>;
  /** What the server wrote, once it is here; resolves to nothing where it failed. */
  arrived: Promise<unknown>;
  answer?: unknown;
}

/** « Autre »: the customer names the country. */
const OTHER_COUNTRY = "ZZ";

/** Longer than an answer takes that is on its way while React is fetched; whoever waits longer sees a page meanwhile. */
const PATIENCE_MS = 1000;

declare global {
  interface Window {
    earlyQuote?: EarlyQuote | undefined;
  }
}

/** What of an address, besides its country, may change the price of delivery; as far as it has been typed. */
export interface AddressPart {
  postalCode: string;
  customCountry: string;
}

/** One text for each cart and destination, and the body of `POST /api/cart/quote`. */
export function quoteQuestion(lines: readonly object[], country: string, typed?: AddressPart): string {
  const postal_code = typed?.postalCode.trim();
  const custom_country = country === OTHER_COUNTRY && typed?.customCountry.trim();
  return JSON.stringify({
    lines,
    country,
    ...(postal_code && { postal_code }),
    ...(custom_country && { custom_country }),
  });
}

/** Sends the question as `postJson` does for calls that read nothing of the visitor. */
export function askEarly(question: string): void {
  const response = fetch("/api/cart/quote", {
    method: "POST",
    headers: {
      Accept: "application/json",
      "Accept-Language": document.documentElement.lang,
      "Content-Type": "application/json",
    },
    credentials: "same-origin",
    body: question,
  });
  // Whoever takes the answer meets the failure; nobody may come for it.
  const arrived = response
    .then((given) => (given.ok ? given.clone().json() : undefined))
    .catch(() => undefined);
  const early: EarlyQuote = { question, response, arrived };
  void arrived.then((answer) => {
    early.answer = answer;
  });
  window.earlyQuote = early;
}

/** Until the early answer is here, so that a first drawing already has it and nothing has to move for it. */
export async function earlyArrival(): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([window.earlyQuote?.arrived, late]);
  clearTimeout(timer);
}

/** What the server wrote to this very question, if it is here already; it stays to be taken. */
export function seeEarly(question: string): unknown {
  return window.earlyQuote?.question === question ? window.earlyQuote.answer : undefined;
}

/** The answer to this very question if it was asked early; only once, for it grows old. */
export function takeEarly(question: string): Promise<Response> | undefined {
  const early = window.earlyQuote;
  window.earlyQuote = undefined;
  return early?.question === question ? early.response : undefined;
}
