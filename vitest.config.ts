import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      "virtual:islands": here("./frontend_islands/testing/islands.ts"),
      "@": here("./frontend_islands"),
    },
  },
  test: {
    environment: "jsdom",
    include: ["frontend_islands/**/*.test.{ts,tsx}"],
    setupFiles: ["frontend_islands/testing/setup.ts"],
    maxWorkers: 2,
    // A machine that does three other things at once is slow, not wrong.
    testTimeout: 60_000,
  },
});
