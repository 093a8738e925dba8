import { run } from "axe-core";

/** What axe finds against WCAG 2.2 AA, as `rule: element`. Contrast needs real drawing: browser tests see to it. */
export async function barriers(container: HTMLElement): Promise<string[]> {
  const { violations } = await run(container, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    // A page's landmarks stand outside the island.
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
