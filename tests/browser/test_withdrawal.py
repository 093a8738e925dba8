"""Withdrawing from a contract on a phone, in two languages, with and without scripts."""

import re

import pytest
from django.urls import translate_url
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE

pytestmark = pytest.mark.browser

WORDS = {
    "fr": {
        "link": "renoncer au contrat ici", "name": "Nom et prénom", "order": "Commande", "email": "Adresse e-mail",
        "part": "Une partie de la commande", "goods": "Articles que vous rendez", "check": "Relire ma déclaration",
        "confirm": "Confirmer la rétractation", "correct": "Corriger", "received": "Votre rétractation est reçue",
    },
    "de": {
        "link": "Vertrag widerrufen", "name": "Vor- und Nachname", "order": "Bestellung",
        "email": "E-Mail-Adresse", "part": "Ein Teil der Bestellung", "goods": "Artikel, die Sie zurückgeben",
        "check": "Erklärung prüfen", "confirm": "Widerruf bestätigen", "correct": "Korrigieren",
        "received": "Ihr Widerruf ist eingegangen",
    },
}  # fmt: skip


def complain(page, snap, name):
    """Nothing to complain about, and nothing wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    snap(page, name)


@pytest.mark.parametrize("javascript", [True, False], ids=["scripts", "no-scripts"])
@pytest.mark.parametrize(("language", "width"), [("fr", PHONE), ("de", DESKTOP)])
def test_d221_5_the_function_from_any_page_to_the_acknowledgement(
    new_page, snap, language, width, javascript
):
    page = new_page(width=width, language=language, javascript=javascript)
    words = WORDS[language]
    label = f"{language}-{width}{'' if javascript else '-no-scripts'}"
    page.goto("/" if language == "fr" else f"/{language}")
    page.locator("footer").get_by_role("link", name=words["link"], exact=True).click()
    page.wait_for_url(f"**{translate_url('/retractation', language)}")
    main = page.locator("main")
    complain(page, snap, f"withdrawal-1-{label}")

    # Sent empty: told what is missing, and nothing is filed.
    page.get_by_role("button", name=words["check"]).click()
    expect(page.locator(".error-summary")).to_be_visible()
    complain(page, snap, f"withdrawal-2-{label}")

    main.get_by_label(words["name"]).fill("Léa Martin")
    main.get_by_label(words["order"], exact=True).fill("7C9BE001")
    main.get_by_label(words["email"]).fill(f"lea-{label}@example.com")
    expect(main.get_by_label(words["goods"])).not_to_be_visible()
    page.locator(".radio-card", has_text=words["part"]).click()
    main.get_by_label(words["goods"]).fill("Le petit golem")
    if javascript:
        assert violations(page) == []
    page.get_by_role("button", name=words["check"]).click()
    expect(page.locator(".withdrawal-statement")).to_contain_text("Le petit golem")
    complain(page, snap, f"withdrawal-3-{label}")
    if javascript:
        assert violations(page) == []

    page.get_by_role("button", name=words["correct"]).click()
    expect(main.get_by_label(words["goods"])).to_have_value("Le petit golem")
    page.get_by_role("button", name=words["check"]).click()
    page.get_by_role("button", name=words["confirm"]).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words["received"])
    expect(page.locator("main")).to_contain_text(re.compile(r"R-[0-9A-F]{8}"))
    complain(page, snap, f"withdrawal-4-{label}")
    if javascript:
        assert violations(page) == []
