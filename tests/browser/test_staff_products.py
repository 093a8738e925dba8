"""The staff's products on a phone: a new piece, a promotion, two people on one piece, the trash and back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from shop_process import RunningShop

from tests.browser.accessibility import violations
from tests.browser.conftest import PHONE
from tests.browser.people import sign_in_as_admin

pytestmark = pytest.mark.browser


def look_at(page: Page) -> None:
    """The page fits a phone and has no barrier."""
    expect(page.locator(".staff-loading")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, page.url
    assert violations(page) == []


def saved(page: Page) -> None:
    # The message of an earlier save may still be there.
    with page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_text("Produit mis à jour avec succès")).to_be_visible()


def wait_for_draft(page: Page, text: str) -> None:
    """What was typed is written down after a pause."""
    for _attempt in range(100):
        # The page's own policy refuses to wait for an expression.
        if text in page.evaluate("JSON.stringify(localStorage)"):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"no draft with {text}")


def test_a_piece_from_its_first_words_to_the_trash_and_back(new_page, shop: RunningShop, snap, journal):
    journal.expect("409")
    page = new_page(width=PHONE)
    sign_in_as_admin(page, shop)
    page.goto("/admin/produits")
    expect(page.get_by_role("heading", name=re.compile(r"Produits existants \(\d+\)"))).to_be_visible()
    look_at(page)
    snap(page, "staff-products")

    page.get_by_role("link", name="Nouveau Produit").click()
    page.get_by_role("button", name="Créer le produit").click()
    expect(page.get_by_text("Ce champ est obligatoire.").first).to_be_visible()
    page.get_by_label("Nom *").fill("Hérisson des sous-bois")
    page.get_by_label("Catégorie *").select_option(label="Mangas")
    page.get_by_label("Prix (€) *").fill("48,5")
    # What was typed is still there after the page was left.
    wait_for_draft(page, "48,5")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_text("Votre brouillon est repris")).to_be_visible()
    look_at(page)
    # What is said beside the buttons is read in lines, not word by word.
    said = page.get_by_text("Modifications non enregistrées, gardées dans ce navigateur")
    lines = "p => Math.round(p.offsetHeight / parseFloat(getComputedStyle(p).lineHeight))"
    assert said.evaluate(lines) == 2
    page.get_by_role("button", name="Créer le produit").click()
    page.wait_for_url(re.compile(r"/admin/produits/\d+\?cree=1$"))
    expect(page.get_by_text("Produit créé avec succès")).to_be_visible()
    address = page.url.partition("?")[0]
    expect(page.get_by_label("Prix (€) *")).to_have_value("48,50")

    page.get_by_text("Promotion", exact=True).click()
    page.get_by_label("Activer une promotion").check()
    expect(page.get_by_text("Pour 3 pièces, 2 payées : 97,00 € au lieu de 145,50 €.")).to_be_visible()
    saved(page)
    look_at(page)
    snap(page, "staff-product")

    other = page.context.new_page()
    other.goto(address)
    other.get_by_label("Nom *").fill("Hérisson d'automne")
    other.get_by_label("Quantité en stock").fill("2")
    saved(other)
    page.get_by_label("Nom *").fill("Hérisson d'hiver")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("radio", name="La leur Hérisson d'automne")).to_be_visible()
    look_at(page)
    snap(page, "staff-product-conflict")
    page.get_by_role("button", name="Continuer avec ces choix").click()
    expect(page.get_by_label("Quantité en stock")).to_have_value("2")
    page.get_by_label("Prix (€) *").fill("52")
    saved(page)
    expect(page.locator(".variant")).to_contain_text(re.compile(r"En vente à 52,00\s€"))
    expect(page.locator(".variant").get_by_label("Stock")).to_have_attribute("placeholder", "2")

    page.goto("/admin/produits?search=herisson")
    row = page.get_by_role("listitem").filter(has_text="Hérisson d'hiver")
    expect(row.get_by_text("2 achetés, 1 offert")).to_be_visible()
    row.get_by_label("Sélectionner Hérisson d'hiver").check()
    page.get_by_role("button", name="Supprimer (1)").click()
    expect(page.get_by_text("Êtes-vous sûr de vouloir supprimer 1 produit(s) ?")).to_be_visible()
    look_at(page)
    page.get_by_role("dialog").get_by_role("button", name="Supprimer").click()
    expect(page.get_by_text("Produit supprimé avec succès")).to_be_visible()
    expect(page.get_by_text("Aucun produit trouvé")).to_be_visible()
    page.get_by_role("button", name="Annuler").click()
    expect(row).to_be_visible()


def test_the_team_reads_its_pages_on_a_dark_ground_and_on_a_light_one_again(new_page, shop: RunningShop):
    page = new_page(width=1440)
    sign_in_as_admin(page, shop)
    page.goto("/admin")
    page.get_by_role("button", name="Affichage sombre").click()
    for path in ("/admin", "/admin/produits", "/admin/commandes", "/admin/reglages"):
        page.goto(path)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 22, 20)"
        look_at(page)
    page.get_by_role("button", name="Affichage clair").click()
    expect(page.get_by_role("button", name="Affichage sombre")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(229, 233, 227)"
