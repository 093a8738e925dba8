/**
 * Bundles the islands, their runtime and the style sheet into static/build/.
 *
 * Every file has its content's hash in its name. `manifest.json` says which file stands behind a name:
 *
 *   assets   "runtime.js", "purchase-start.js", "start.js", "one-press.js", "fonts/<file>.woff2", "consent.js",
 *            "staff.js", the styles "app.css", "site.css" …, "staff.css" → { file, imports }
 *   islands  "<folder under islands/>", "staff-<folder under staff/>" → { file, imports }
 *   locales  "<language>"                                  → file
 *   lazy     "<what an island fetches on demand>"          → { file, imports }, for the check of sizes
 *
 * Files are relative to static/; `imports` are the modules that a browser needs before the file can run.
 * An island is a folder under islands/ with an index.ts or index.tsx: nothing else has to be registered.
 *
 * The staff area is bundled by itself, with a React of its own: what it is made of changes nothing for visitors.
 *
 * The runtime, which every page loads, is bundled after the rest and by itself. It fetches everything else on
 * demand; bundled together with it, esbuild would make it import a chunk of helpers that only React needs.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { groupedChunks } from "./groups-plugin.mjs";
import { islandModules, islandNames } from "./islands-plugin.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const outdir = path.join(root, "static", "build");
const watching = process.argv.includes("--watch");
/** Files of earlier builds stay this long: a page that is open still asks for them. */
const KEEP_STALE_MS = 24 * 60 * 60 * 1000;

const RUNTIME = "frontend_islands/runtime/index.ts";
/** No modules, each in one file. Run before the first paint: the first on the pages that buy, the second elsewhere. */
const EARLY = {
  "purchase-start": "frontend_islands/purchase/start.ts",
  start: "frontend_islands/runtime/start.ts",
  "one-press": "frontend_islands/runtime/one-press.ts",
};
/** Instead of the runtime where a page may ask about cookies; what it fetches itself shares nothing with the islands. */
const CONSENT = "frontend_islands/runtime/with-consent.ts";
const MEASURE = "frontend_islands/consent/measure.ts";
/** The first on every page, with one of the others (see styles/README.md). */
const STYLES = Object.fromEntries(
  ["app", "home", "list", "product", "reading", "purchase", "site"].map((name) => [
    name,
    `frontend_islands/styles/${name}.css`,
  ]),
);
const STAFF = {
  staff: "frontend_islands/staff/index.ts",
  "staff-styles": "frontend_islands/styles/staff.css",
};
/** What the runtime fetches besides islands. */
const ON_DEMAND = [
  "cart-count",
  "favourite-button",
  "language-offer",
  "member-link",
  "notice",
  "search-box",
  "statistics-switch",
];

/** Large parts that an island fetches when a visitor asks for them. */
const LAZY = { "frontend_islands/islands/model-viewer3d/scene.ts": "3D viewer" };

const islands = await islandNames();
const entriesOf = (chosen) => Object.fromEntries(chosen.map(({ name, entry }) => [`islands/${name}`, entry]));
/** What pages without React fetch: each is one file, with a copy of the little that other islands share. */
const isAlone = ({ name }) => ["carousel", "catalogue-search", "compare"].includes(name);
const ALONE = { statistics: "frontend_islands/runtime/statistics.ts", ...entriesOf(islands.filter(isAlone)) };
const staffIslands = await islandNames("staff");

const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  minify: !watching,
  sourcemap: watching ? "linked" : false,
  legalComments: "linked",
  metafile: true,
  entryNames: "[dir]/[name]-[hash]",
  chunkNames: "c/[name]-[hash]",
  assetNames: "fonts/[name]-[hash]",
  // Small pictures of the styles travel with them.
  loader: { ".woff2": "file", ".svg": "dataurl" },
  // Addresses of files that Django serves as they are.
  external: ["/static/*"],
  define: { "process.env.NODE_ENV": watching ? '"development"' : '"production"' },
};

const manifestPlugin = {
  name: "manifest",
  setup(build) {
    build.onEnd(async (result) => {
      if (result.errors.length > 0) return;
      const built = {
        ...result.metafile.outputs,
        ...(await buildRuntime(result.metafile.outputs, ALONE, { splitting: false })),
      };
      const outputs = {
        ...built,
        ...(await buildRuntime(built, { runtime: RUNTIME })),
        ...(await buildRuntime(built, { consent: CONSENT })),
        ...(await bundled({ entryPoints: EARLY, format: "iife" })),
        ...(await bundled(staffArea)),
      };
      const manifest = describe(outputs);
      await writeManifest(manifest);
      await removeStale(outputs);
      process.stdout.write(`${Object.keys(manifest.islands).length} islands → static/build/manifest.json\n`);
    });
  },
};

const options = {
  ...common,
  entryPoints: {
    ...STYLES,
    ...entriesOf(islands.filter((island) => watching || !isAlone(island))),
    ...Object.fromEntries(ON_DEMAND.map((name) => [`c/${name}`, `frontend_islands/runtime/${name}.ts`])),
    // Not used, but its sources are watched with the rest.
    ...(watching
      ? {
          "c/watched": RUNTIME,
          "c/watched-consent": CONSENT,
          "c/watched-start": EARLY["purchase-start"],
          "c/watched-staff": STAFF.staff,
        }
      : {}),
  },
  splitting: true,
  plugins: [islandModules(), manifestPlugin],
  logLevel: "info",
};

/** Bundles a runtime around what is built already, or in a folder what fetches nothing on demand; returns its outputs. */
async function buildRuntime(built, entryPoints, { splitting } = { splitting: true }) {
  const files = new Map(Object.entries(built).map(([output, { entryPoint }]) => [entryPoint, output]));
  const alreadyBuilt = {
    name: "already-built",
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path: wanted, kind, resolveDir, importer }) => {
        if (kind !== "dynamic-import") return undefined;
        const resolved = await build.resolve(wanted, { kind: "import-statement", resolveDir, importer });
        const file = path.relative(root, resolved.path).split(path.sep).join("/");
        if (file === MEASURE) return undefined;
        const output = files.get(file);
        if (!output) return { errors: [{ text: `"${wanted}" is no entry point of the build.` }] };
        return {
          path: `./${path.relative(outdir, path.join(root, output)).split(path.sep).join("/")}`,
          external: true,
        };
      });
    },
  };
  return bundled({ entryPoints, splitting, plugins: [islandModules(), alreadyBuilt] });
}

/** Bundles by itself what shares no file with the islands, and returns its outputs. */
async function bundled(own) {
  const result = await esbuild.build({ ...common, ...own, logLevel: "error" });
  return result.metafile.outputs;
}

/** The staff area: its runtime, its islands and its styles. */
const staffArea = {
  entryPoints: {
    staff: STAFF.staff,
    "staff-styles": STAFF["staff-styles"],
    ...entriesOf(staffIslands),
  },
  splitting: true,
  plugins: [islandModules("staff")],
};

/** Reads from the build's own record what each named file is called and needs. */
function describe(outputs) {
  const early = Object.fromEntries(Object.entries(EARLY).map(([name, file]) => [file, name]));
  const styles = Object.fromEntries(Object.entries(STYLES).map(([name, file]) => [file, name]));
  const manifest = { assets: {}, islands: {}, locales: {}, lazy: {} };
  for (const [output, details] of Object.entries(outputs)) {
    if (output.endsWith(".woff2")) {
      const source = Object.keys(details.inputs)[0];
      if (source)
        manifest.assets[`fonts/${path.basename(source)}`] = { file: published(output), imports: [] };
      continue;
    }
    const entry = details.entryPoint;
    if (!entry || output.endsWith(".map")) continue;
    const described = { file: published(output), imports: staticImports(output, outputs) };
    const island = [...islands, ...staffIslands].find((candidate) => candidate.entry === entry);
    if (island) manifest.islands[island.name] = described;
    else if (entry.startsWith("frontend_islands/locales/"))
      manifest.locales[path.basename(entry, ".json")] = described.file;
    else if (LAZY[entry]) manifest.lazy[LAZY[entry]] = described;
    else if (entry === RUNTIME) manifest.assets["runtime.js"] = described;
    else if (early[entry]) manifest.assets[`${early[entry]}.js`] = described;
    else if (entry === CONSENT) manifest.assets["consent.js"] = described;
    else if (entry === STAFF.staff) manifest.assets["staff.js"] = described;
    else if (entry === STAFF["staff-styles"]) manifest.assets["staff.css"] = { ...described, imports: [] };
    else if (styles[entry]) manifest.assets[`${styles[entry]}.css`] = { ...described, imports: [] };
  }
  return manifest;
}

/** Every module reached by import statements, without what is only imported on demand. */
function staticImports(output, outputs, found = new Set()) {
  for (const { path: imported, kind } of outputs[output]?.imports ?? []) {
    if (kind !== "import-statement" || found.has(imported)) continue;
    found.add(imported);
    staticImports(imported, outputs, found);
  }
  return [...found].map(published);
}

function published(output) {
  return path.relative(path.join(root, "static"), path.join(root, output)).split(path.sep).join("/");
}

/** Readers see the old manifest or the new one, never half of one. */
async function writeManifest(manifest) {
  const target = path.join(outdir, "manifest.json");
  const draft = `${target}.${process.pid}`;
  await mkdir(outdir, { recursive: true });
  await writeFile(draft, `${JSON.stringify(manifest, null, 1)}\n`);
  await rename(draft, target);
}

async function removeStale(outputs) {
  const current = new Set(Object.keys(outputs).map((output) => path.join(root, output)));
  for (const entry of await readdir(outdir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name === "manifest.json" || current.has(file)) continue;
    // Another build may be removing the same file.
    const details = await stat(file).catch(() => null);
    if (details && Date.now() - details.mtimeMs > KEEP_STALE_MS) await rm(file, { force: true });
  }
}

if (watching) {
  // What is edited decides who needs what: chunks stay as esbuild makes them.
  const context = await esbuild.context(options);
  await context.watch();
} else {
  const grouped = await groupedChunks({ ...options, plugins: [islandModules()] }, here);
  await esbuild.build({
    ...options,
    plugins: [grouped, ...options.plugins],
    // Of a package that says it has none, for which a group's import has done its work all the same.
    logOverride: { "ignored-bare-import": "silent" },
  });
}
