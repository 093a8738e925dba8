/**
 * Checks the islands' words: `npm run check:i18n`.
 *
 * Every language has the same keys, each count the forms that its language needs (French and Spanish have a third,
 * from a million on), every text the same placeholders; no text is empty; every key that the code names exists
 * and every key that exists is named. Keys are written out, never put together: only so can they be found. A French
 * text that the server's catalogues have too is translated as there.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const SOURCE = "fr";
/** Same French, another sense than the server's. */
const HOMONYMS = new Set([
  "cart.undo",
  "checkout.country",
  "checkout.delivery",
  "checkout.lastName",
  "result.paint",
]);
const PLURAL = /_(zero|one|two|few|many|other)$/;
/** A call of the translator: t("key") in any quotes, or t(anything else). */
const CALL = /(?<![\w.$])(?:i18n\.)?t\(\s*(?:(["'])([^"']+)\1|([^\s)]))/g;

/**
 * All that is wrong, one sentence each. `languages` maps a code to its words, `sources` a file to its text,
 * `catalogues` a code to the text of the server's `.po` file.
 */
export function findFaults(languages, sources, catalogues = {}) {
  const flat = Object.fromEntries(Object.entries(languages).map(([code, words]) => [code, flatten(words)]));
  return [
    ...faultsOfWords(flat),
    ...faultsOfUse(flat[SOURCE], sources),
    ...Object.entries(catalogues).flatMap(([code, text]) => faultsOfDrift(code, flat, messagesOf(text))),
  ];
}

function faultsOfDrift(code, flat, messages) {
  return Object.entries(flat[SOURCE]).flatMap(([key, text]) => {
    const wanted = HOMONYMS.has(key) ? undefined : messages.get(text);
    return wanted === undefined || wanted === flat[code][key]
      ? []
      : [`${code}: "${key}" is "${wanted}" in the server's words: ${flat[code][key]}`];
  });
}

/** The messages of a `.po` file as `scripts/messages.py` writes it: one line each; those with a context are left out. */
function messagesOf(text) {
  const found = text.matchAll(/(?<!^msgctxt .*\n)^msgid "(.+)"\nmsgstr "(.+)"$/gm);
  const read = (literal) => JSON.parse(`"${literal}"`).replace(/%\((\w+)\)s/g, "{{$1}}");
  return new Map([...found].map(([, source, translation]) => [read(source), read(translation)]));
}

function faultsOfWords(flat) {
  const faults = [];
  const source = flat[SOURCE];
  const bases = new Set(
    Object.values(flat).flatMap((words) => Object.keys(words).map((key) => key.replace(PLURAL, ""))),
  );
  for (const [code, words] of Object.entries(flat)) {
    const categories = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
    for (const base of [...bases].sort()) {
      const isCounted = Object.values(flat).some((each) => `${base}_other` in each);
      const wanted = isCounted ? categories.map((category) => `${base}_${category}`) : [base];
      const found = Object.keys(words).filter((key) => key.replace(PLURAL, "") === base);
      for (const key of wanted) if (!found.includes(key)) faults.push(`${code}: "${key}" is missing.`);
      for (const key of found) if (!wanted.includes(key)) faults.push(`${code}: "${key}" is not wanted.`);
      const model = placeholders(source[isCounted ? `${base}_other` : base] ?? "");
      for (const key of found) {
        const text = words[key];
        if (typeof text !== "string" || !text.trim()) {
          faults.push(`${code}: "${key}" is no text.`);
        } else if (!sameNames(placeholders(text), model, isCounted)) {
          faults.push(`${code}: "${key}" has other placeholders than ${SOURCE}: ${text}`);
        } else if (
          code === "fr" &&
          /[^\u00a0\u202f][;!?»]|[^\u00a0\u202f\d]:(?!\/)|«[^\u00a0\u202f]/.test(text)
        ) {
          faults.push(`fr: "${key}" needs a no-break space at its punctuation: ${text}`);
        }
      }
    }
  }
  return faults;
}

function faultsOfUse(source, sources) {
  const faults = [];
  const known = new Set(Object.keys(source).map((key) => key.replace(PLURAL, "")));
  const named = new Set();
  for (const [file, text] of Object.entries(sources)) {
    for (const [, , key, other] of text.matchAll(CALL)) {
      if (key !== undefined && !known.has(key)) faults.push(`${file}: "${key}" is in no language.`);
      if (other === "`") faults.push(`${file}: a key is put together; write it out.`);
    }
    for (const [, , literal] of text.matchAll(/(["'])([\w.]+)\1/g)) named.add(literal);
  }
  for (const key of known) if (!named.has(key)) faults.push(`"${key}" is used nowhere.`);
  return faults;
}

function flatten(words, prefix = "") {
  return Object.fromEntries(
    Object.entries(words).flatMap(([key, value]) =>
      value !== null && typeof value === "object"
        ? Object.entries(flatten(value, `${prefix}${key}.`))
        : [[`${prefix}${key}`, value]],
    ),
  );
}

function placeholders(text) {
  return new Set(String(text).match(/\{\{[^}]*\}\}/g) ?? []);
}

/** "One" may be said without its figure. */
function sameNames(found, model, isCounted) {
  const counts = (name) => isCounted && name === "{{count}}";
  return (
    [...found].every((name) => model.has(name)) && [...model].every((name) => found.has(name) || counts(name))
  );
}

/** Faults of the staff area: French alone, one file of words for each screen's folder. */
async function readStaff() {
  const faults = [];
  const staff = path.join(here, "staff");
  for (const folder of await readdir(staff, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const sources = {};
    let words = {};
    for (const name of await readdir(path.join(staff, folder.name), { recursive: true })) {
      const text = () => readFile(path.join(staff, folder.name, name), "utf8");
      if (name === "words.json") words = JSON.parse(await text());
      else if (/\.tsx?$/.test(name) && !/\.test\./.test(name))
        sources[`staff/${folder.name}/${name}`] = await text();
    }
    faults.push(...findFaults({ [SOURCE]: words }, sources).map((fault) => `staff/${folder.name}: ${fault}`));
  }
  return faults;
}

async function read() {
  const languages = {};
  for (const file of await readdir(path.join(here, "locales"))) {
    languages[path.basename(file, ".json")] = JSON.parse(
      await readFile(path.join(here, "locales", file), "utf8"),
    );
  }
  const sources = {};
  for (const entry of await readdir(here, { recursive: true, withFileTypes: true })) {
    const file = path.relative(here, path.join(entry.parentPath, entry.name));
    if (!/\.tsx?$/.test(file) || /\.test\.|\.d\.ts$|^(testing|staff)[/\\]/.test(file)) continue;
    sources[file] = await readFile(path.join(here, file), "utf8");
  }
  const catalogues = {};
  for (const code of Object.keys(languages).filter((each) => each !== SOURCE)) {
    const file = path.join(here, "..", "locale", code, "LC_MESSAGES", "django.po");
    catalogues[code] = await readFile(file, "utf8");
  }
  return findFaults(languages, sources, catalogues);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const faults = [...(await read()), ...(await readStaff())];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
