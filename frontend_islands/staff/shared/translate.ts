/** The words of one screen. The staff area is French: a screen has one `words.json` beside it. */
import { createInstance } from "i18next";

type Words = { [key: string]: string | Words };
type Plain<Key extends string> = Key extends `${infer Base}_${"one" | "many" | "other"}` ? Base : Key;
/** Every key of a file of words, written with dots; the forms of a count have one key. */
export type Key<Pack> = {
  [Name in keyof Pack & string]: Pack[Name] extends string ? Plain<Name> : `${Name}.${Key<Pack[Name]>}`;
}[keyof Pack & string];
type Translate<Pack> = (key: Key<Pack>, values?: Record<string, string | number>) => string;

/** Returns the function that gives a text by its key; a missing key throws in tests and is reported elsewhere. */
export function translate<Pack extends Words>(words: Pack): Translate<Pack> {
  const instance = createInstance();
  void instance.init({
    lng: "fr",
    fallbackLng: false,
    initAsync: false,
    resources: { fr: { translation: words } },
    interpolation: { escapeValue: false },
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, key) => {
      const error = new Error(`"${key}" has no words.`);
      if (process.env.NODE_ENV === "test") throw error;
      reportError(error);
    },
  });
  const give = instance.t as unknown as (key: string, values?: Record<string, string | number>) => string;
  return (key, values) => give(key, values);
}
