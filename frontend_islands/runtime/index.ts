/** Loaded by every page once it is painted: small, without React. It knows when to fetch the rest. */
import "./island-element";
import { closeLeftMenu } from "@/lib/left-menus";
import { reportToServer } from "./report";

reportToServer();

const isMember = /member=1/.test(document.cookie);
if (isMember) void import("./member-link");
if (/notice=\w/.test(document.cookie)) void import("./notice").then(({ default: show }) => show());

// Most visitors have no cart: what counts one is fetched with the first thing to count.
const countCart = () => void import("./cart-count");
if (isStored("cart")) countCart();
else {
  document.addEventListener("cart:changed", countCart, { once: true });
  // Filled in another tab, or before this page came back from the browser's memory.
  addEventListener("storage", countCart, { once: true });
  addEventListener("pageshow", ({ persisted }) => persisted && countCart());
}

if (document.documentElement.dataset.offer)
  void import("./language-offer").then(({ offerLanguage }) => offerLanguage());

// The visit is counted once the page is there, so that it costs the page nothing.
const count = () => import("./statistics");
if (document.readyState === "complete") void count();
else addEventListener("load", count);

// Favourites are shown, and synchronised, on every page of who may have some; others fetch them with the first one.
const hearts = () => import("./favourite-button");
if (isMember || isStored("favorites")) void hearts();
else addEventListener("storage", hearts, { once: true });

addEventListener("focusin", ({ target }) => {
  closeLeftMenu();
  // Suggestions are fetched when somebody is about to search.
  const field = target as HTMLInputElement;
  if (field.dataset?.suggestions) void import("./search-box").then(({ default: enhance }) => enhance(field));
});

// A heart that is pressed before it is alive answers as soon as it can. Without a connection the page says so itself: by
// the id of that notice, the shortest name it has here.
declare const failed: HTMLElement;
addEventListener("click", ({ target }) => {
  const heart = (target as Element).closest<HTMLElement>(":not(:defined)>button");
  if (heart)
    hearts().then(
      () => heart.click(),
      () => failed.showPopover(),
    );
});

function isStored(key: string): boolean {
  try {
    return key in localStorage;
  } catch {
    return false;
  }
}
