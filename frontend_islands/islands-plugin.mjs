/** Gives the runtime its table of islands: one dynamic import for each folder under islands/. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = path.join(here, "islands");

/** `{ name, entry }` of each island, the entry relative to the project. */
export async function islandNames() {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const file = ["index.tsx", "index.ts"].find((candidate) =>
      existsSync(path.join(folder, name, candidate)),
    );
    if (file) found.push({ name, entry: `frontend_islands/islands/${name}/${file}` });
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

/** The esbuild plugin behind `import { islands } from "virtual:islands"`. */
export function islandModules() {
  return {
    name: "islands",
    setup(build) {
      build.onResolve({ filter: /^virtual:islands$/ }, () => ({ path: "islands", namespace: "islands" }));
      build.onLoad({ filter: /.*/, namespace: "islands" }, async () => {
        const lines = (await islandNames()).map(({ name, entry }) => {
          const file = path.join(path.dirname(here), entry);
          return `${JSON.stringify(name)}: () => import(${JSON.stringify(file)}),`;
        });
        return {
          contents: `export const islands = {\n${lines.join("\n")}\n};`,
          resolveDir: here,
          watchDirs: [folder],
        };
      });
    },
  };
}
