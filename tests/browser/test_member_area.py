"""A member changes their profile, saves an address and finds it at the checkout; an order fills the cart again."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NARROW
from tests.browser.people import MEMBER, sign_in
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

LINES = """part => {
  const words = document.createRange();
  words.selectNodeContents(part);
  return words.getClientRects().length;
}"""


def test_a_saved_address_is_used_at_the_checkout(new_page, shop, journal):
    # The next page of a member may come before the answer to the saved cart, and then saves it again.
    journal.expect("panier: .*409")
    page = new_page()
    sign_in(page, MEMBER, shop.password)
    page.wait_for_url("**/espace-membre")

    page.goto("/espace-membre?tab=profile")
    page.get_by_label("Prénom").fill("Camille-Rose")
    page.get_by_role("region", name="Profil").get_by_role("button", name="Enregistrer", exact=True).click()
    said = page.get_by_role("status").filter(has_text="Profil enregistré")
    expect(said).to_be_in_viewport()
    notice, below = said.bounding_box(), page.locator(".member").bounding_box()
    assert below["y"] - (notice["y"] + notice["height"]) == 16
    expect(page.get_by_label("Prénom")).to_have_value("Camille-Rose")

    page.get_by_role("link", name="Ajouter une adresse").click()
    for label, text in {
        "Nom de l'adresse": "Chalet",
        "Prénom": "Camille-Rose",
        "Nom de famille": "Exemple",
        "Adresse": "7 route du Lac",
        "Code postal": "74400",
        "Ville": "Chamonix",
    }.items():
        page.locator("main").get_by_label(label, exact=label == "Adresse").first.fill(text)
    page.get_by_label("Livrer ici par défaut").check()
    page.get_by_role("button", name="Enregistrer l'adresse").click()
    expect(page.locator("main")).to_contain_text("7 route du Lac")

    page.goto("/espace-membre?tab=orders")
    page.get_by_role("link", name="Commander à nouveau").last.click()
    page.get_by_role("button", name="Mettre ces pièces au panier").click()
    page.wait_for_url("**/panier")
    assert Visitor(page).kept_lines() != []

    page.goto("/checkout")
    expect(page.get_by_label("Vos adresses enregistrées")).to_be_visible()
    expect(page.locator("#checkout-address")).to_have_value("7 route du Lac")
    expect(page.locator("#checkout-city")).to_have_value("Chamonix")


def test_the_address_of_a_member_is_on_one_line_on_the_narrowest_phone(new_page, shop):
    page = new_page(width=NARROW)
    sign_in(page, MEMBER, shop.password)
    page.wait_for_url("**/espace-membre")
    page.goto("/espace-membre?tab=profile")

    address = page.get_by_role("region", name="Profil").locator("dd").first
    assert address.inner_text() == MEMBER
    assert address.evaluate(LINES) == 1
