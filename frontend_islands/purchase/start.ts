/**
 * In the head of the cart and the checkout, run before anything is painted: an ordinary script, because modules wait
 * for the whole page. Beside what `runtime/start` does on the other pages, it reads the browser's cart and
 *
 * - with pieces in it, asks what they cost and fetches all scripts, while styles and page arrive;
 * - without, marks the root with `data-cart="empty"`, so that the server's empty cart shows and React stays away. The
 *   next order is another one.
 *
 * Without this script the island does all of it later.
 */
import "@/runtime/language-start";
import { readCart } from "@/lib/cart-storage";
import { fetchRuntime, fetchRuntimeOncePainted } from "@/runtime/fetch-runtime";
import { askEarly, quoteQuestion } from "./early";
import { ATTEMPT_KEY, COUNTRY_KEY, dropTab, readAddressPart, readTab } from "./tab-memory";

start((document.currentScript as HTMLScriptElement).dataset);

function start({ country, modules }: DOMStringMap): void {
  const lines = readCart();
  if (lines.length > 0) {
    const code = readTab(COUNTRY_KEY);
    askEarly(quoteQuestion(lines, typeof code === "string" ? code : (country ?? ""), readAddressPart()));
    for (const href of modules?.split(" ") ?? []) fetchModule(href);
    fetchRuntime();
  } else {
    dropTab(ATTEMPT_KEY);
    document.documentElement.dataset.cart = "empty";
    fetchRuntimeOncePainted();
  }
}

/** After what the first paint waits for. */
function fetchModule(href: string): void {
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.fetchPriority = "low";
  link.href = href;
  document.head.append(link);
}
