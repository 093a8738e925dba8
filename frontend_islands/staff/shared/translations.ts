/** What the French texts of a product or an article are translated into. */
import { LANGUAGES, type Language } from "@/runtime/language";

export type Translation = Exclude<Language, "fr">;
export const TRANSLATIONS = LANGUAGES.filter((code) => code !== "fr");
