"""Each page has the styles of all that stands in it, though it fetches a part of them."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page

MANIFEST = Path(__file__).resolve().parent.parent.parent / "static" / "build" / "manifest.json"

# A rule of site.css, which holds what any page may need, that finds an element here and is in no sheet of this page.
MISSING = """async (site) => {
  const STATES = /:(hover|focus|focus-visible|focus-within|active|user-invalid|popover-open|autofill)(?![\\w-])/g;
  const rules = (list, outer) => [...list].flatMap((rule) => {
    if (!rule.selectorText) return rule.cssRules ? rules(rule.cssRules, outer) : [];
    const inner = outer ? rule.selectorText.replaceAll("&", `:is(${outer})`) : rule.selectorText;
    return [[inner, rule.style.cssText], ...rules(rule.cssRules, inner)];
  });
  const linked = [...document.styleSheets];
  if (!linked.some(({ href }) => href?.includes("/build/app-"))) return [];
  const answer = await fetch(site);
  if (!answer.ok) throw new Error(`${site}: ${answer.status}`);
  const sheet = new CSSStyleSheet();
  await sheet.replace(await answer.text());
  const here = new Set(linked.flatMap(({ cssRules }) => rules(cssRules)).map(String));
  return rules(sheet.cssRules)
    .filter((rule) => rule[1] && !here.has(String(rule)))
    .map(([selector]) => selector)
    .filter((selector) => document.querySelector(selector.replace(/::[\\w-]+/g, "").replace(STATES, "")));
}"""


def unstyled(page: Page) -> list[str]:
    """Return the selectors of what stands in the page as it is now and has no styles in it."""
    site = json.loads(MANIFEST.read_text(encoding="utf-8"))["assets"]["site.css"]["file"]
    found: list[str] = page.evaluate(MISSING, f"/static/{site}")
    return [f"no styles for {selector}" for selector in found]
