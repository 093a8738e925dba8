/** Gives a runtime its table of islands: one dynamic import for each folder under islands/, or under staff/. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * `{ name, entry }` of each island, the entry relative to the project. Those of the staff area are called
 * `staff-<folder>`.
 */
export async function islandNames(area = "islands") {
  const entries = await readdir(path.join(here, area), { withFileTypes: true });
  const found = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const file = ["index.tsx", "index.ts"].find((candidate) =>
      existsSync(path.join(here, area, name, candidate)),
    );
    if (file)
      found.push({
        name: area === "staff" ? `staff-${name}` : name,
        entry: `frontend_islands/${area}/${name}/${file}`,
      });
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

/** The esbuild plugin behind `import { islands } from "virtual:islands"`. */
export function islandModules(area = "islands") {
  return {
    name: "islands",
    setup(build) {
      build.onResolve({ filter: /^virtual:islands$/ }, () => ({ path: "islands", namespace: "islands" }));
      build.onLoad({ filter: /.*/, namespace: "islands" }, async () => {
        const lines = (await islandNames(area)).map(({ name, entry }) => {
          const file = path.join(path.dirname(here), entry);
          return `${JSON.stringify(name)}: () => import(${JSON.stringify(file)}),`;
        });
        return {
          contents: `export const islands = {\n${lines.join("\n")}\n};`,
          resolveDir: here,
          watchDirs: [path.join(here, area)],
        };
      });
    },
  };
}
