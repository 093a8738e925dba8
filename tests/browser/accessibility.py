"""WCAG 2.2 AA as far as a machine can tell, by axe-core."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.styles import unstyled

AXE = Path(__file__).resolve().parent.parent.parent / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# A sheet that is made by a script is none that the page's policy refuses. Only of the shop's own pages: Django's and
# those of the payment are others'.
ENLARGED = """() => { if (!document.documentElement.dataset.icons) return [];
  const sheet = new CSSStyleSheet(), others = [...document.adoptedStyleSheets];
  // With reduced motion a change takes a moment, and a length that is read in it is the one before.
  sheet.replaceSync("html { font-size: 200% } *, ::before, ::after { transition: none }");
  document.adoptedStyleSheets = [...others, sheet];
  const { scrollWidth, clientWidth } = document.documentElement;
  const size = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const squeezed = [...document.querySelectorAll(".staff-rows__main")].filter((row) => row.offsetWidth < 6 * size);
  document.adoptedStyleSheets = others;
  return [...(scrollWidth > clientWidth ? [`resize-text: ${scrollWidth} > ${clientWidth}`] : []),
    ...squeezed.map((row) => `resize-text: squeezed: ${row.textContent.trim().slice(0, 40)}`)]; }"""


@lru_cache(maxsize=1)
def _source() -> str:
    return AXE.read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Every breach on the page as it stands: the rule, the element, what to do; whether it scrolls sideways with its
    text at 200 % (WCAG 1.4.4), or breaks the words of the team's rows; and what has no styles in it."""
    # Evaluated through the debugger, which the page's own policy does not bind. It does bind copies of style sheets,
    # which axe would make of those with imports; none of these rules reads them.
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    found = page.evaluate(
        "rules => axe.run(document, { runOnly: { type: 'tag', values: rules }, resultTypes: ['violations'],"
        " preload: false })"
        ".then(result => result.violations)",
        RULES,
    )
    enlarged: list[str] = page.evaluate(ENLARGED)
    return (
        [
            f"{rule['id']}: {node['target']}: {node['failureSummary']}"
            for rule in found
            for node in rule["nodes"]
        ]
        + enlarged
        + unstyled(page)
    )
