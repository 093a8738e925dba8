/**
 * A part of the head's script, run before anything is painted: an ordinary script, because modules wait for the whole
 * page.
 *
 * - On the French home page it leads who chose another language there, unless they come from a page of the shop.
 * - Who has not chosen yet, and reads another language that the page exists in, gets `data-offer="de"` on the root: the
 *   style sheet then keeps a row free at the top, which the runtime fills. Nothing is covered, and nothing moves.
 * - A link to the page in another language says which one the visitor reads, from the first moment on: the page's own
 *   script comes later.
 *
 * Pages are the same for everybody and caches may store them; what the visitor chose stays in the browser.
 */
import { alternateIn, chosenLanguage, keepLanguage, wantedLanguage } from "./language";

start();

addEventListener("click", ({ target }) => {
  const code = (target as Element).closest<HTMLAnchorElement>("a[hreflang]")?.hreflang;
  if (code) keepLanguage(code);
});

function start(): void {
  const root = document.documentElement;
  const chosen = chosenLanguage();
  if (chosen === null) {
    const wanted = wantedLanguage(navigator.languages);
    if (wanted && wanted !== root.lang && alternateIn(wanted)) root.dataset.offer = wanted;
    return;
  }
  const address = alternateIn(chosen);
  const isFromHere = document.referrer.startsWith(`${location.origin}/`);
  if (location.pathname === "/" && chosen !== root.lang && address && !isFromHere) location.replace(address);
}
