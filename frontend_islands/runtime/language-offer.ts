/**
 * A row at the top of the page that offers it in the visitor's own language, once: whoever answers it, or changes the
 * language by hand, is not asked again. `language-start` has chosen the language and kept the row free.
 */
import { alternateIn, keepLanguage } from "./language";

/** In the language that is offered: whoever needs the offer may not read the page's. */
const WORDS: Record<string, { offer: string; accept: string; dismiss: string }> = {
  fr: { offer: "Cette page existe en français.", accept: "Lire en français", dismiss: "Non merci" },
  en: { offer: "This page is available in English.", accept: "Read in English", dismiss: "No thanks" },
  es: { offer: "Esta página existe en español.", accept: "Leer en español", dismiss: "No, gracias" },
  de: { offer: "Diese Seite gibt es auf Deutsch.", accept: "Auf Deutsch lesen", dismiss: "Nein danke" },
};

/** Fills the row for the language that the page's root names; takes the row away when there is nothing to offer. */
export function offerLanguage(): void {
  const root = document.documentElement;
  const language = root.dataset.offer ?? "";
  const words = WORDS[language];
  const address = alternateIn(language);
  const bar = document.querySelector<HTMLElement>(".language-offer");
  if (!bar || !words || !address) {
    delete root.dataset.offer;
    return;
  }
  if (bar.hasChildNodes()) return;
  bar.lang = language;
  bar.setAttribute("aria-label", words.offer);
  const text = document.createElement("p");
  text.className = "language-offer__text";
  text.textContent = words.offer;
  const accept = document.createElement("a");
  accept.className = "language-offer__accept";
  accept.href = address;
  accept.hreflang = language;
  accept.textContent = words.accept;
  const dismiss = document.createElement("button");
  dismiss.className = "language-offer__dismiss";
  dismiss.type = "button";
  dismiss.textContent = words.dismiss;
  dismiss.addEventListener("click", () => {
    keepLanguage(root.lang);
    delete root.dataset.offer;
    bar.replaceChildren();
  });
  bar.append(text, accept, dismiss);
}
