"""Writing to the workshop, with and without scripts."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("javascript", [True, False], ids=["scripts", "no-scripts"])
def test_a_quote_request_is_sent_and_thanked_for(new_page, tmp_path, javascript):
    page = new_page(javascript=javascript)
    page.goto("/contact")
    assert not page.get_by_label("Budget").is_visible()
    page.locator(".radio-card", has_text="Demander un devis").click()
    expect(page.get_by_label("Budget")).to_be_visible()
    page.get_by_role("button", name="Envoyer le message").click()
    expect(page.locator(".error-summary")).to_contain_text("Le message n'est pas parti")
    expect(page.get_by_label("Budget")).to_be_visible()
    page.get_by_label("Prénom").fill("Léa")
    page.get_by_label("Nom de famille", exact=True).fill("Martin")
    page.locator("main").get_by_label("Adresse e-mail").fill("lea@example.com")
    page.get_by_label("Sujet").fill("Un renard")
    page.get_by_label("Message", exact=True).fill(f"Assis, 12 cm, scripts {javascript}.")
    page.get_by_label("Budget").fill("150 €")
    page.get_by_role("button", name="Envoyer le message").click()
    page.wait_for_url("**/contact?envoi=*")
    expect(page.get_by_role("status").filter(has_text="référence")).to_have_text(
        re.compile(r"Message envoyé, référence [0-9A-F]{8}")
    )
    if javascript:
        assert violations(page) == []


def test_questions_open_by_keyboard(new_page):
    page = new_page()
    page.goto("/faq")
    question = page.locator("details").first
    question.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(question.locator(".prose")).to_be_visible()
