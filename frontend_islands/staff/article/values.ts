/** What the editor holds. The same names as the API's; `now` and `publish_at` say when the public sees the article. */
import { STAFF_LIMITS } from "@/api/limits";
import type { AdminArticle, ArticlePicture, StaffArticleProps } from "@/api/types";
import { LANGUAGES, type Language } from "@/runtime/language";
import type { PickedProduct } from "../shared/product-picker";
import type { Translation } from "../shared/translations";

export const TEXTS = ["title", "excerpt", "content", "cover_alt", "slug"] as const;
export type Text = (typeof TEXTS)[number];
export type Column = Text | `${Text}_${Translation}`;

export interface Values extends Record<Column, string> {
  category: string;
  author_name: string;
  tags: string[];
  products: PickedProduct[];
  cover: ArticlePicture | null;
  /** Published at once. */
  now: boolean;
  /** As a field for moments writes it, in the shop's time; empty: a draft. */
  publish_at: string;
}
export type Name = keyof Values;

export const COLUMNS: readonly Column[] = LANGUAGES.flatMap((language) =>
  TEXTS.map((text) => columnOf(text, language)),
);
export const NAMES: readonly Name[] = [
  ...COLUMNS,
  "category",
  "author_name",
  "tags",
  "products",
  "cover",
  "now",
  "publish_at",
];
const NEEDED: readonly Name[] = ["title", "excerpt", "content"];

/** The column of a text in a language: French ones have the plain name. */
export function columnOf(text: Text, language: Language): Column {
  return language === "fr" ? text : `${text}_${language}`;
}

/** The text and the language of a column. */
export function partsOf(column: Column): [Text, Language] {
  const language = LANGUAGES.find((code) => column.endsWith(`_${code}`)) ?? "fr";
  return [(language === "fr" ? column : column.slice(0, -3)) as Text, language];
}

/** A new article: published once it is created, in the news. */
export function emptyValues({ author_name }: StaffArticleProps): Values {
  const texts = Object.fromEntries(COLUMNS.map((name) => [name, ""])) as Record<Column, string>;
  return {
    ...texts,
    category: "actualites",
    author_name,
    tags: [],
    products: [],
    cover: null,
    now: true,
    publish_at: "",
  };
}

/** An article as the editor shows it. */
export function valuesOf(article: AdminArticle): Values {
  const texts = Object.fromEntries(COLUMNS.map((name) => [name, article[name] ?? ""]));
  return {
    ...(texts as Record<Column, string>),
    category: article.category ?? "actualites",
    author_name: article.author_name ?? "",
    tags: article.tags ?? [],
    products: (article.products ?? []).map(({ id, name }) => ({ id, name })),
    cover: article.cover ?? null,
    now: article.state === "published",
    publish_at: article.state === "scheduled" ? (article.publish_at ?? "").slice(0, 16) : "",
  };
}

/** What of it a call sends, as the API takes it. */
export function toCall(values: Values, names: readonly Name[]): Record<string, unknown> {
  const call: Record<string, unknown> = {};
  for (const name of names) {
    if (name === "now" || name === "publish_at") {
      call.published = values.now || values.publish_at !== "";
      call.publish_at = values.now || !values.publish_at ? null : values.publish_at;
    } else if (name === "products") call.products = values.products.map(({ id }) => id);
    else if (name === "cover") call.cover = values.cover?.id ?? null;
    else call[name] = values[name];
  }
  return call;
}

/** What is typed and kept on the server: everything but when the public sees it. */
export function isKept(name: Name): boolean {
  return name !== "now" && name !== "publish_at";
}

/** Why a value can't be saved, as a key of words with its figure; nothing when it can. The server says the rest. */
export function faultOf(
  values: Values,
  name: Name,
): { key: "errors.required" | "errors.tooLong" | "errors.address"; max?: number } | undefined {
  const value = values[name];
  if (typeof value !== "string") return undefined;
  const isPublic = values.now || values.publish_at !== "";
  if (!value.trim()) {
    return NEEDED.includes(name) && (isPublic || name === "title") ? { key: "errors.required" } : undefined;
  }
  const max = (STAFF_LIMITS.ArticleWriteRequest as Record<string, number>)[name];
  if (max !== undefined && value.length > max) return { key: "errors.tooLong", max };
  return name === "author_name" && value.includes("@") ? { key: "errors.address" } : undefined;
}

/** The names whose values differ. */
export function differing(one: Values, other: Values): Name[] {
  return NAMES.filter((name) => written(one, name) !== written(other, name));
}

export function pick(values: Values, names: readonly Name[]): Partial<Values> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>;
}

function written(values: Values, name: Name): string {
  if (name === "cover") return String(values.cover?.id ?? "");
  if (name === "products") return values.products.map(({ id }) => id).join();
  return JSON.stringify(values[name]);
}
