import { translate } from "../shared/translate";
import { COLUMNS, type Column, partsOf } from "./values";
import words from "./words.json";

const t = translate(words);

const NAMES: Record<string, string> = {
  title: t("fields.title"),
  excerpt: t("fields.excerpt"),
  content: t("fields.content"),
  cover_alt: t("fields.cover_alt"),
  slug: t("fields.slug"),
  category: t("fields.category"),
  author_name: t("fields.author_name"),
  tags: t("fields.tags"),
  products: t("fields.products"),
  cover: t("fields.cover"),
  now: t("fields.now"),
  publish_at: t("fields.publish_at"),
};

/** What a value is called; a translation with its language. */
export function nameOf(name: string): string {
  if (!COLUMNS.includes(name as Column)) return NAMES[name] ?? name;
  const [text, language] = partsOf(name as Column);
  const called = NAMES[text] ?? text;
  return language === "fr" ? called : `${called} (${language})`;
}
