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

// Hearts, the offer of another language and the count of visits are one file, which comes once the page is there, so that
// it costs the page nothing. Stored favourites are shown sooner, and synchronised on every page.
const visit = () => import("./visit");
if (isStored("favorites")) void visit();
else addEventListener("load", visit);

// Suggestions are fetched when somebody is about to search.
document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.dataset.suggestions) return;
  void import("./search-box").then(({ default: enhance }) => enhance(target));
});

document.addEventListener("click", ({ target }) => {
  const pressed = target as Element;
  // A link to the page in another language says which one the visitor reads.
  const code = pressed.closest<HTMLAnchorElement>("a[hreflang]")?.hreflang;
  if (code) keepLanguage(code);
  // A heart that is pressed before it is alive answers as soon as it can.
  const heart = pressed.closest<HTMLElement>(":not(:defined)>button");
  if (heart) void visit().then(() => heart.click());
});

function isStored(key: string): boolean {
  try {
    return key in localStorage;
  } catch {
    return false;
  }
}
