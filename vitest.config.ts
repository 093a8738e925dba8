import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** They replace what a window made by `vm` does not let go of, such as `location`, or stream as Node does. */
const OWN_WINDOW = [
  "frontend_islands/lib/api.test.ts",
  "frontend_islands/purchase/start.test.ts",
  "frontend_islands/runtime/language-offer.test.ts",
  "frontend_islands/staff/article/article.test.tsx",
];

export default defineConfig({
  resolve: {
    alias: {
      "virtual:islands": here("./frontend_islands/testing/islands.ts"),
      "@": here("./frontend_islands"),
    },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["frontend_islands/testing/setup.ts"],
    maxWorkers: 2,
    // A machine that does three other things at once is slow, not wrong.
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "islands",
          include: ["frontend_islands/**/*.test.{ts,tsx}"],
          exclude: [...configDefaults.exclude, ...OWN_WINDOW],
          // What is loaded is kept for the next file, in a window of its own: half of the time.
          pool: "vmThreads",
        },
      },
      { extends: true, test: { name: "own window", include: OWN_WINDOW } },
    ],
  },
});
