/**
 * The first question about the page's cart, asked from the page's head (`runtime/purchase-start.ts`) while the island
 * that draws the answer is still on its way.
 */

interface EarlyQuote {
  question: string;
  response: Promise<Response>;
}

declare global {
  interface Window {
    earlyQuote?: EarlyQuote | undefined;
  }
}

/** One text for each cart and country, and the body of `POST /api/cart/quote`. */
export function quoteQuestion(lines: readonly object[], country: string): string {
  return JSON.stringify({ lines, country });
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
  response.catch(() => {});
  window.earlyQuote = { question, response };
}

/** The answer to this very question if it was asked early; only once, for it grows old. */
export function takeEarly(question: string): Promise<Response> | undefined {
  const early = window.earlyQuote;
  window.earlyQuote = undefined;
  return early?.question === question ? early.response : undefined;
}
