import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const STYLES = "frontend_islands/styles";

/** The classes that rules of these files are about, nested and compound ones left out. */
function classes(files: string[]): Set<string> {
  const text = files.map((file) => readFileSync(join(STYLES, file), "utf8")).join("\n");
  return new Set(text.match(/^\.[a-z][\w-]*(?= \{$)/gm));
}

it("the staff area names no class that a page of the shop lays out", () => {
  const files = readdirSync(STYLES, { recursive: true, encoding: "utf8" });
  const names = (folder: string) => classes(files.filter((file) => file.startsWith(`${folder}/`)));
  const pages = names("pages");
  expect(pages.size).toBeGreaterThan(100);
  expect([...names("staff")].filter((name) => pages.has(name))).toEqual([]);
});

it("the page glides for no one whose focus shows: a key that follows at once would find the next focus out of sight", () => {
  const base = readFileSync(join(STYLES, "base.css"), "utf8");
  expect(base.match(/^.*\n.*scroll-behavior.*$/gm)).toEqual([
    "  &:not(:has(:focus-visible)) {\n    scroll-behavior: smooth;",
  ]);
});
