/** The languages that the shop speaks, as the browser knows them. */
export const LANGUAGES = ["fr", "en", "es", "de"] as const;
export type Language = (typeof LANGUAGES)[number];
const SPOKEN: readonly string[] = LANGUAGES;

const KEY = "language";

/** Remembers the language that the visitor chose. Without storage the question comes back: nothing else is lost. */
export function keepLanguage(code: string): void {
  try {
    localStorage.setItem(KEY, code);
  } catch {}
}

/** The language that the visitor chose; null for none. */
export function chosenLanguage(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The first of a browser's languages that the shop speaks. */
export function wantedLanguage(tags: readonly string[]): string | undefined {
  return tags.map((tag) => tag.slice(0, 2).toLowerCase()).find((code) => SPOKEN.includes(code));
}

/** The path of this page in a language, with the same query; undefined where it does not exist. */
export function alternateIn(code: string): string | undefined {
  if (!SPOKEN.includes(code)) return undefined;
  const there = document.querySelector<HTMLLinkElement>(`link[rel="alternate"][hreflang="${code}"]`);
  // The same host, whatever name the shop calls itself by.
  return there ? new URL(there.href).pathname + location.search : undefined;
}
