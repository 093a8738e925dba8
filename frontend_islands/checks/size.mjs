/** Checks what a page makes a visitor download, from the last build: `npm run check:size`. Gzip, 1 KB = 1024 bytes. */
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const BUDGETS = {
  runtime: 2.1,
  consent: 2.25,
  react: 90,
  island: 10.5,
  library: 12,
  css: 24,
  page: 130,
  lazy: 180,
  staff: 250,
};

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const read = (file) => readFileSync(path.join(root, "static", file));
const manifest = JSON.parse(read("build/manifest.json"));

const pages = JSON.parse(readFileSync(path.join(root, "frontend_islands/checks/pages.json"), "utf8"));

const sizes = new Map();
function sizeOf(file) {
  if (!sizes.has(file)) sizes.set(file, gzipSync(read(file), { level: 9 }).length);
  return sizes.get(file);
}
const sum = (files) => [...new Set(files)].reduce((total, file) => total + sizeOf(file), 0);
const largest = (files) => [...files].sort((a, b) => sizeOf(b) - sizeOf(a))[0];

const rows = [];
const row = (name, budget, bytes) => rows.push({ name, budget, bytes, isOver: bytes > budget * 1024 });

const runtime = manifest.assets["runtime.js"];
const always = [runtime.file, ...runtime.imports];
const isStaff = ([name]) => name.startsWith("staff-");
const islands = Object.entries(manifest.islands).filter((island) => !isStaff(island));
const react = largest(islands.flatMap(([, island]) => island.imports));
const words = largest(Object.values(manifest.locales));

row("runtime", BUDGETS.runtime, sum(always));
// The runtime stands in the same file.
const consent = manifest.assets["consent.js"];
row("consent, where it is asked", BUDGETS.consent, sum([consent.file, ...consent.imports]) - sum(always));
const stylesOf = (name) => sum(["app.css", `${name}.css`].map((sheet) => manifest.assets[sheet].file));
row("styles of most pages", BUDGETS.css, stylesOf("site"));
if (react) row("React, shared", BUDGETS.react, sizeOf(react));
// What several islands import is fetched once and counts once; what one alone imports is its own.
const shared = new Set();
for (const [name, { file, imports }] of islands) {
  const others = new Set(islands.flatMap(([other, island]) => (other === name ? [] : island.imports)));
  const own = [file, ...imports].filter((each) => each !== react && !others.has(each));
  for (const each of imports) if (each !== react && others.has(each)) shared.add(each);
  row(`island ${name}`, BUDGETS.island, sum(own));
}
row("library, shared", BUDGETS.library, sum(shared));
const everything = islands.flatMap(([, { file, imports }]) => [file, ...imports]);
row("a page with every island", BUDGETS.page, sum([...always, ...everything, ...(words ? [words] : [])]));
// A test of the server's pages holds which styles and islands each has. Words come with the islands that use React.
for (const [name, page] of Object.entries(pages)) {
  row(`styles of the page ${name}`, page.styles_kb, stylesOf(page.styles));
  const files = page.islands.flatMap((island) => [
    manifest.islands[island].file,
    ...manifest.islands[island].imports,
  ]);
  const early = (page.early ?? []).map((name) => manifest.assets[name].file);
  const spoken = files.includes(react) && words ? [words] : [];
  row(`scripts of the page ${name}`, page.kb, sum([...always, ...early, ...files, ...spoken]));
}
// The staff area: each page has one island, or a few of one subject.
const staff = manifest.assets["staff.js"];
row("styles of the staff area", BUDGETS.css, sizeOf(manifest.assets["staff.css"].file));
for (const [name, { file, imports }] of Object.entries(manifest.islands).filter(isStaff)) {
  row(`scripts of a page with ${name}`, BUDGETS.staff, sum([staff.file, ...staff.imports, file, ...imports]));
}
// Fetched after a click, so no part of what a page costs.
for (const [name, { file, imports }] of Object.entries(manifest.lazy)) {
  row(`${name}, on demand`, BUDGETS.lazy, sum([file, ...imports]));
}

for (const { name, budget, bytes, isOver } of rows) {
  const kb = (bytes / 1024).toFixed(2).padStart(7);
  process.stdout.write(`${isOver ? "OVER " : "     "}${kb} KB of ${String(budget).padStart(3)}  ${name}\n`);
}
process.exitCode = rows.some(({ isOver }) => isOver) ? 1 : 0;
