/**
 * Fewer files for a page: esbuild makes a chunk for each set of entries that share a module, and so a dozen of a
 * few hundred bytes. What stands in one group here is made one chunk: an entry that needs a part of it has all of it.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import * as esbuild from "esbuild";

/** By path in frontend_islands/, the first that matches. What only they import goes with them. */
const GROUPS = {
  cart: /^(lib\/(cart|cart-copy|cart-merge|cart-storage|choice|saved-cart|toast)|api\/limits)\.ts$/,
  purchase: /^(purchase\/(?!start).*\.tsx?|\.\.\/node_modules\/@nanostores\/react\/.*)$/,
  base: /^(lib\/[a-z-]+|runtime\/island)\.ts$/,
};
/** All entries have it: the helpers that esbuild writes for all of them are then a part of it. */
const COMMON = "base";

/** Return the plugin for a build with these options; it bundles once, unwritten, to see who needs what. */
export async function groupedChunks(options, here) {
  const root = path.dirname(here);
  const { metafile } = await esbuild.build({ ...options, write: false, metafile: true, logLevel: "error" });
  const members = Object.fromEntries(Object.keys(GROUPS).map((name) => [name, new Set()]));
  const needs = new Map();
  for (const output of Object.values(metafile.outputs)) {
    if (!/\.tsx?$/.test(output.entryPoint ?? "")) continue;
    const found = new Set([COMMON]);
    for (const file of inputsOf(output, metafile.outputs)) {
      const name = groupOf(path.relative("frontend_islands", file));
      if (name) members[name].add(file);
      if (name) found.add(name);
    }
    needs.set(path.join(root, output.entryPoint), found);
  }
  const importsOf = (names) =>
    [...names]
      .flatMap((name) => [...members[name]].sort())
      .map((file) => `import ${JSON.stringify(path.join(root, file))};`)
      .join("\n");
  return {
    name: "grouped-chunks",
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path: file }) => {
        const names = needs.get(file);
        if (!names) return undefined;
        const contents = `${await readFile(file, "utf8")}\n${importsOf(names)}`;
        return { contents, loader: path.extname(file).slice(1) };
      });
      build.onLoad({ filter: /locales\/[a-z]+\.json$/ }, async ({ path: file }) => ({
        contents: `${importsOf([COMMON])}\nexport default ${await readFile(file, "utf8")}`,
        loader: "js",
      }));
    },
  };
}

function groupOf(file) {
  return Object.keys(GROUPS).find((name) => GROUPS[name].test(file));
}

/** The source files of an output and of all that it imports. */
function inputsOf(output, outputs, seen = new Set()) {
  if (seen.has(output)) return [];
  seen.add(output);
  const imported = output.imports.filter(({ kind }) => kind === "import-statement");
  return [
    ...Object.keys(output.inputs),
    ...imported.flatMap(({ path: name }) => (outputs[name] ? inputsOf(outputs[name], outputs, seen) : [])),
  ];
}
