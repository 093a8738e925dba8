import { run } from "axe-core";

/** What axe finds against WCAG 2.2 AA, as `rule: element`. What needs real drawing is left to browser tests. */
export async function barriers(container: HTMLElement): Promise<string[]> {
  const { violations } = await run(container, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    rules: {
      "color-contrast": { enabled: false },
      "label-content-name-mismatch": { enabled: false },
      // A page's landmarks stand outside the island.
      region: { enabled: false },
    },
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
