/** Writes the limits of the API's schema that forms and the cart keep to: the end of `npm run types`. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
/** Field by field: the longest text, the most items of a list, the largest number. */
const REQUESTS = [
  "AccountRequest",
  "BillingRequest",
  "CustomerRequest",
  "GiftRequest",
  "LineRequest",
  "QuoteRequestRequest",
];

/** Those of the staff area, apart: what visitors fetch does not hold them. */
const STAFF_REQUESTS = [
  "AdminProductRequest",
  "ArticleWriteRequest",
  "DispatchRequest",
  "ImportRequest",
  "PatchedPictureChangeRequest",
];

/** The text of `limits.ts`. */
export function limitsModule() {
  const { schemas } = JSON.parse(readFileSync(path.join(here, "schema.json"), "utf8")).components;
  const blocks = (names) =>
    names.map((name) => {
      const limits = Object.entries(schemas[name].properties)
        .map(([field, { maxLength, maxItems, maximum }]) => [field, maxLength ?? maxItems ?? maximum])
        .filter(([, limit]) => Number.isSafeInteger(limit));
      return `  ${name}: { ${limits.map(([field, limit]) => `${field}: ${limit}`).join(", ")} },`;
    });
  return [
    "/** Made from schema.json by `npm run types`. */",
    "// biome-ignore format: generated",
    "export const LIMITS = {",
    ...blocks(REQUESTS),
    "} as const;",
    "",
    "// biome-ignore format: generated",
    "export const STAFF_LIMITS = {",
    ...blocks(STAFF_REQUESTS),
    "} as const;",
    "",
  ].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(path.join(here, "limits.ts"), limitsModule());
}
