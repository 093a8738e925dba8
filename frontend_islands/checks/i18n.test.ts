import { expect, it } from "vitest";
import { findFaults } from "./i18n.mjs";

const source = { "a.tsx": 't("buy.add"); t("cart.items", { count })' };
const plurals = (forms: string[]) =>
  Object.fromEntries(forms.map((form) => [`items_${form}`, `{{count}} ${form}`]));
const good = () => ({
  fr: { buy: { add: "Ajouter {{name}}" }, cart: plurals(["one", "many", "other"]) },
  de: { buy: { add: "{{name}} hinzufügen" }, cart: plurals(["one", "other"]) },
});

it("finds nothing wrong with complete words", () => {
  expect(findFaults(good(), source)).toEqual([]);
});

it("wants the forms that each language counts with", () => {
  const { fr, de } = good();
  expect(findFaults({ fr: { ...fr, cart: plurals(["one", "other"]) }, de }, source)).toEqual([
    'fr: "cart.items_many" is missing.',
  ]);
  expect(findFaults({ fr, de: { ...de, cart: plurals(["one", "few", "other"]) } }, source)).toEqual([
    'de: "cart.items_few" is not wanted.',
  ]);
});

it.each([
  ["a missing key", { buy: {} }, 'de: "buy.add" is missing.'],
  ["an empty text", { buy: { add: " " } }, 'de: "buy.add" is no text.'],
  ["a list", { buy: { add: ["x"] } }, 'de: "buy.add" is missing.'],
  [
    "a lost placeholder",
    { buy: { add: "Hinzufügen" } },
    'de: "buy.add" has other placeholders than fr: Hinzufügen',
  ],
  [
    "an invented placeholder",
    { buy: { add: "{{name}} {{x}}" } },
    'de: "buy.add" has other placeholders than fr: {{name}} {{x}}',
  ],
])("finds %s", (_what, change, fault) => {
  const { fr, de } = good();
  expect(findFaults({ fr, de: { ...de, ...change } }, source)).toContain(fault);
});

it("finds keys of the code that no language has, keys nobody uses and keys put together", () => {
  const words = { fr: { buy: { add: "Ajouter", old: "Vieux" } } };
  const code = { "b.tsx": 't("buy.add"); t("buy.sell"); format("buy.x"); t(`buy.` + name)' };
  expect(findFaults(words, code)).toEqual([
    'b.tsx: "buy.sell" is in no language.',
    "b.tsx: a key is put together; write it out.",
    '"buy.old" is used nowhere.',
  ]);
});

it("takes a key in a table as used", () => {
  const words = { fr: { buy: { add: "Ajouter" } } };
  expect(findFaults(words, { "c.ts": 'const words = { a: "buy.add" } as const; t(words[name])' })).toEqual(
    [],
  );
});

it.each(["Prêt !", "Total: 3", "«non»", "Vraiment?"])(
  "finds French punctuation without its space: %s",
  (text) => {
    expect(findFaults({ fr: { a: text } }, { "d.ts": 't("a")' })[0]).toContain("needs a no-break space");
  },
);

it.each(["Prêt\u00a0!", "Total\u00a0: 3", "«\u00a0oui\u00a0»", "12:30", "https://a"])(
  "accepts %s",
  (text) => {
    expect(findFaults({ fr: { a: text } }, { "d.ts": 't("a")' })).toEqual([]);
  },
);

it("wants the server's translation of the same text", () => {
  const languages = good();
  const po = (translation: string, context = "") =>
    `${context}msgid "Ajouter %(name)s"\nmsgstr "${translation}"\n\nmsgid "Autre"\nmsgstr "Anderes"\n`;
  expect(findFaults(languages, source, { de: po("%(name)s hinzufügen") })).toEqual([]);
  expect(findFaults(languages, source, { de: po("%(name)s anders", 'msgctxt "verb"\n') })).toEqual([]);
  expect(findFaults(languages, source, { de: po("%(name)s dazu") })).toEqual([
    'de: "buy.add" is "{{name}} dazu" in the server\'s words: {{name}} hinzufügen',
  ]);
});
