/** The words that only exist inside islands. A page loads the one language it is written in. */
import { createInstance, type i18n, type Resource } from "i18next";
import type words from "@/locales/fr.json";
import type { Language } from "./language";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof words };
  }
}

const packs = {
  fr: () => import("@/locales/fr.json"),
  en: () => import("@/locales/en.json"),
  es: () => import("@/locales/es.json"),
  de: () => import("@/locales/de.json"),
} satisfies Record<Language, unknown>;

/** The language of the page, which its address decides. */
function pageLanguage(): Language {
  const { lang } = document.documentElement;
  return lang in packs ? (lang as Language) : "fr";
}

let loading: Promise<i18n> | undefined;

/** The page's words, fetched once. A failed fetch may be tried again. */
export function loadWords(): Promise<i18n> {
  if (!loading) {
    const language = pageLanguage();
    loading = packs[language]().then(({ default: pack }) => translator(language, pack));
    loading.catch(() => {
      loading = undefined;
    });
  }
  return loading;
}

/** A translator over one language. A missing key throws in tests and is reported elsewhere. */
export async function translator(language: Language, pack: Resource[string]["translation"]): Promise<i18n> {
  const instance = createInstance();
  await instance.init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: pack ?? {} } },
    // React escapes what it draws.
    interpolation: { escapeValue: false },
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, key) => {
      const error = new Error(`"${key}" is missing in ${language}.`);
      if (process.env.NODE_ENV === "test") throw error;
      reportError(error);
    },
  });
  return instance;
}
