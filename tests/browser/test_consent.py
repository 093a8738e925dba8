"""The question about cookies in a real browser: who is called, before and after the answer, and buying meanwhile."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import PHONE
from tests.browser.third_parties import CALLED, stand_in
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

# Every route in four languages: tests/load/consent_hosts.py.
MEASURED = ("/", "/produits", "/contact", "/checkout")
PRIVATE = ("/auth",)
COVERED = """() => {
  const here = document.activeElement, box = here.getBoundingClientRect();
  const band = document.querySelector(".consent").getBoundingClientRect();
  return !here.closest(".consent") && box.height > 0 && box.bottom > band.top + 1 && box.top < innerHeight;
}"""


def band(page):
    return page.get_by_role("region", name="Cookies : à vous de choisir")


def entry(page):
    return json.loads(page.evaluate("localStorage.getItem('cookie-consent')") or "null")


def cookies(page):
    return {cookie["name"] for cookie in page.context.cookies()} & {"_ga", "_fbp"}


@pytest.mark.parametrize("consent", [None, "", "analytics", "analytics marketing"], ids=str)
def test_art_82_the_hosts_that_are_called_are_those_of_the_choice(new_context, journal, consent):
    journal.expect("third party called")
    context = new_context(consent=consent)
    called = stand_in(context)
    page = context.new_page()
    allowed = set().union(*(CALLED[name] for name in (consent or "").split()))
    for path, expected in [*((path, allowed) for path in MEASURED), *((path, set()) for path in PRIVATE)]:
        called.clear()
        page.goto(path, wait_until="networkidle")
        assert called == expected, path
    assert cookies(page) == (
        {"_ga", "_fbp"} if consent and "marketing" in consent else {"_ga"} if consent else set()
    )


def test_somebody_buys_while_asked_then_agrees_and_withdraws(new_context, journal):
    journal.expect("third party called")
    context = new_context(width=PHONE, consent=None)
    called = stand_in(context)
    page = context.new_page()
    visitor = Visitor(page)
    # Playwright presses what a finger would reach: nothing stands in front of the buttons.
    visitor.add(visitor.products()[0])
    expect(band(page)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE
    for _ in range(25):
        page.keyboard.press("Tab")
        assert not page.evaluate(COVERED)
    visitor.open_checkout()
    expect(band(page)).to_be_visible()
    assert violations(page) == []
    visitor.fill_guest("lea-cookies@example.com")
    visitor.place()
    assert called == set()

    page.goto("/faq")
    page.get_by_role("button", name="Personnaliser").click()
    page.get_by_role("switch", name="Mesure d'audience").check()
    assert violations(page) == []
    with (
        page.expect_response("**/api/consent") as answered,
        page.expect_response("https://region1.google-analytics.com/**"),
    ):
        page.get_by_role("button", name="Enregistrer").click()
    assert answered.value.status == 204
    expect(band(page)).to_be_hidden()
    assert cookies(page) == {"_ga"}
    assert called == CALLED["analytics"]
    first = entry(page)
    assert (first["analytics"], first["marketing"], first["number"]) == (True, False, 1)

    page.get_by_role("link", name="Gérer les cookies").click()
    page.get_by_role("switch", name="Mesure d'audience").uncheck()
    page.get_by_role("button", name="Enregistrer").click()
    assert cookies(page) == set()
    assert (entry(page)["id"], entry(page)["number"]) == (first["id"], 2)
    called.clear()
    page.goto("/produits", wait_until="networkidle")
    assert called == set()
    expect(band(page)).to_be_hidden()


def test_without_javascript_nothing_is_asked_and_nobody_called(new_context):
    context = new_context(javascript=False, consent=None)
    called = stand_in(context)
    page = context.new_page()
    page.goto("/politique-cookies#choix")
    expect(band(page)).to_have_count(0)
    assert "il n'y a rien à choisir" in page.locator("#choix").inner_text()
    assert called == set()
