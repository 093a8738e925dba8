/**
 * A bar that offers the page in the visitor's own language, once: whoever answers it, or changes the language by hand,
 * is not asked again. Nobody is sent anywhere. Public pages are the same for everybody, so it is drawn here, over the
 * page's lower edge, where it moves nothing.
 */
import { keepLanguage } from "./language";

/** In the language that is offered: whoever needs the offer may not read the page's. */
const WORDS: Record<string, { offer: string; accept: string; dismiss: string }> = {
  fr: { offer: "Cette page existe en français.", accept: "Lire en français", dismiss: "Non merci" },
  en: { offer: "This page is available in English.", accept: "Read in English", dismiss: "No thanks" },
  es: { offer: "Esta página existe en español.", accept: "Leer en español", dismiss: "No, gracias" },
  de: { offer: "Diese Seite gibt es auf Deutsch.", accept: "Auf Deutsch lesen", dismiss: "Nein danke" },
};

/** Draws the bar for the first wanted language that the shop speaks, unless the page is in it. */
export function offerLanguage(wanted: readonly string[] = navigator.languages): void {
  const language = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((code) => code in WORDS);
  const words = WORDS[language ?? ""];
  if (!language || !words || language === document.documentElement.lang) return;
  const there = document.querySelector<HTMLLinkElement>(`link[rel="alternate"][hreflang="${language}"]`);
  if (!there || document.querySelector(".language-offer")) return;

  const bar = document.createElement("section");
  bar.className = "language-offer";
  bar.lang = language;
  const text = document.createElement("p");
  text.textContent = words.offer;
  bar.setAttribute("aria-label", words.offer);
  const accept = document.createElement("a");
  accept.className = "button button--primary";
  // The same host, whatever name the shop calls itself by, and the same query.
  accept.href = new URL(there.href).pathname + location.search;
  accept.hreflang = language;
  accept.textContent = words.accept;
  const dismiss = document.createElement("button");
  dismiss.className = "button";
  dismiss.type = "button";
  dismiss.textContent = words.dismiss;
  dismiss.addEventListener("click", () => {
    keepLanguage(document.documentElement.lang);
    bar.remove();
  });
  bar.append(text, accept, dismiss);
  document.body.append(bar);
}
