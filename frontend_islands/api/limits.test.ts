import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { limitsModule } from "./write-limits.mjs";

it("holds the limits of the API's schema", () => {
  expect(readFileSync("frontend_islands/api/limits.ts", "utf8"), "run `npm run types`").toBe(limitsModule());
});
