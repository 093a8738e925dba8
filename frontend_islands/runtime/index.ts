/** Loaded by every page: small, without React. It knows when to fetch the rest. */
import "./island-element";
import { keepLanguage } from "./language";
import { reportToServer } from "./report";

reportToServer();

const cookies = document.cookie;
if (/member=1/.test(cookies)) void import("./member-link");
if (/notice=\w/.test(cookies)) void import("./notice").then(({ default: show }) => show());

// Most visitors have no cart: what counts one is fetched with the first thing to count.
const countCart = () => void import("./cart-count");
if (isStored("cart")) countCart();
else {
  document.addEventListener("cart:changed", countCart, { once: true });
  // Filled in another tab, or before this page came back from the browser's memory.
  addEventListener("storage", countCart, { once: true });
  addEventListener("pageshow", ({ persisted }) => persisted && countCart());
}

// Hearts, or a place that the server fills with cards later; stored favourites are synchronised on every page.
if (isStored("favorites") || document.querySelector("favourite-button, #resultats")) {
  void import("./favourite-button");
}

// Suggestions are fetched when somebody is about to search.
document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.dataset.suggestions) return;
  void import("./search-box").then(({ default: enhance }) => enhance(target));
});

// A link to the page in another language says which one the visitor reads.
document.addEventListener("click", ({ target }) => {
  const code = (target as Element).closest<HTMLAnchorElement>("a[hreflang]")?.hreflang;
  if (code) keepLanguage(code);
});
if (document.documentElement.dataset.offer) {
  void import("./language-offer").then(({ default: offer }) => offer());
}

// Once the page is there, so that measuring costs it nothing.
addEventListener("load", () => void import("./statistics"));

function isStored(key: string): boolean {
  try {
    return key in localStorage;
  } catch {
    return false;
  }
}
