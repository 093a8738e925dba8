"""From the first word of an article to a confirmed reader, as staff and a visitor do it."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import PHONE

pytestmark = pytest.mark.browser

MAILS = (
    "SELECT json_extract(context, '$.confirm_url') FROM core_outgoingmail WHERE kind = 'newsletter_confirm'"
)


def test_an_article_is_written_by_keys_read_and_its_newsletter_confirmed(new_page, shop):
    staff = new_page()
    staff.goto("/auth?next=/admin/blog/new")
    staff.locator("#id-email").fill("admin@example.com")
    staff.locator("#id-password").fill(shop.password)
    staff.locator("main form button[type=submit]").click()
    staff.get_by_label("Titre").focus()
    # The hands stay on the keys: each field is reached from the one before.
    staff.keyboard.type("Vernir une figurine")
    staff.get_by_label("Extrait").press_sequentially("Mat ou brillant.")
    text = staff.get_by_label("Contenu")
    # On a phone the tools stay beside a text that is longer than the screen.
    screen = staff.viewport_size
    staff.set_viewport_size({"width": PHONE, "height": 844})
    text.fill("Mat ou brillant ?\n\n" * 60)
    text.evaluate("area => scrollTo(0, area.getBoundingClientRect().bottom + scrollY - 500)")
    expect(staff.get_by_role("toolbar")).to_be_in_viewport(ratio=1)
    text.fill("")
    staff.set_viewport_size(screen)
    text.press_sequentially("## Deux couches\n\nFines, à un jour d'écart.")
    expect(staff.get_by_role("heading", name="Deux couches")).to_be_visible()
    assert violations(staff) == []
    staff.get_by_role("button", name="Créer l'article").press("Enter")
    expect(staff.get_by_text("L'article a été créé avec succès")).to_be_visible()

    reader = new_page(width=PHONE)
    reader.goto("/blog")
    reader.get_by_role("link", name="Vernir une figurine").first.click()
    expect(reader.get_by_role("heading", name="Deux couches")).to_be_visible()
    assert violations(reader) == []

    reader.goto("/newsletter")
    reader.locator("main input[type=email]").fill("lectrice@example.com")
    reader.locator("main form:has(input[type=email]) button[type=submit]").click()
    reader.wait_for_url("**/newsletter/demande")
    [(link,)] = shop.wait_for(MAILS)
    reader.goto(link.partition("/newsletter")[1] + link.partition("/newsletter")[2])
    reader.get_by_role("button", name="Confirmer mon abonnement").click()
    expect(reader.get_by_text("Votre abonnement est confirmé")).to_be_visible()
