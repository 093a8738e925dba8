"""The administration of sales with eyes and keyboard: nothing to complain about for axe, nothing beside the screen."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, HEIGHT, PHONE
from tests.browser.looks import touched_heights
from tests.browser.people import sign_in_as_admin

pytestmark = pytest.mark.browser

LISTS = (
    *("order", "payment", "invoice", "refundrequest", "refund", "dispute", "discrepancy", "withdrawalcase"),
    *("ledgerentry", "attempt", "storedcard", "stripeevent", "vatrate", "shippingzone", "deliverystop"),
)
STAFF_PAGES = (
    *("comptes", "comptes/recettes", "ecarts", "echeances?liste=toutes", "factures", "litiges?liste=tous"),
    *("retractations?liste=toutes", "virements?liste=tous"),
)
STATE = "SELECT status, count(*) FROM orders_order GROUP BY status ORDER BY status"


def look_at(page, path):
    """Open a page and what it folds: no breach, no sideways scrolling of the whole, on a phone and on a wide screen."""
    page.goto(path)
    page.evaluate("document.querySelectorAll('main details').forEach(folded => { folded.open = true; })")
    for width in (DESKTOP, PHONE):
        page.set_viewport_size({"width": width, "height": HEIGHT[width]})
        assert violations(page) == [], (path, width)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (path, width)


def test_every_page_of_sales_fits_and_is_accessible(new_page, shop, snap):
    page = new_page()
    sign_in_as_admin(page, shop)
    look_at(page, "/gestion/")
    snap(page, "admin-home")
    for name in LISTS:
        look_at(page, f"/gestion/orders/{name}/")
    look_at(page, "/admin")
    for name in STAFF_PAGES:
        look_at(page, f"/admin/{name}")
        assert min(touched_heights(page.locator(".staff-help > summary, .staff-segments > a"))) >= 44, name
        snap(page, f"staff-{name.partition('?')[0].replace('/', '-')}")
    look_at(page, "/gestion/catalog/product/")
    expect(page.get_by_label("Rechercher")).to_be_visible()
    name = page.locator("#result_list tbody th a").first
    assert name.evaluate("element => getComputedStyle(element).textDecorationLine") == "underline"
    snap(page, "admin-products")

    page.goto("/gestion/orders/order/?status__exact=processing")
    order = page.locator("#result_list tbody th a").first.get_attribute("href").partition("?")[0]
    look_at(page, order)
    snap(page, "admin-order")
    before = shop.rows(STATE)
    buttons = page.locator(".object-tools a")
    for address in [link.get_attribute("href") for link in buttons.all()]:
        look_at(page, address)
        # What is printed has a link back instead of the path.
        expect(page.locator(".slip-back a, .staff-head__back, .breadcrumbs a:nth-of-type(2)")).to_be_visible()
    assert shop.rows(STATE) == before


def test_the_pages_about_people_fit_and_are_accessible(new_page, shop, snap):
    page = new_page()
    sign_in_as_admin(page, shop)
    look_at(page, "/admin/donnees-personnelles/effacements")
    page.get_by_label("Adresse e-mail").fill("somebody@example.com")
    page.get_by_role("button", name="Envoyer le lien").click()
    expect(page.get_by_text("Le lien est parti.")).to_be_visible()
    look_at(page, "/admin/journal?action=erasure.link_sent")
    expect(page.locator("h2", has_text="Lien d'effacement envoyé").first).to_be_visible()
    snap(page, "admin-audit")
    look_at(page, "/admin/donnees-personnelles")
    snap(page, "admin-register")


def test_an_order_is_sent_and_the_wrong_dispatch_undone_with_one_thumb(new_page, shop, snap):
    page = new_page(width=PHONE)
    sign_in_as_admin(page, shop)
    look_at(page, "/admin/commandes")
    page.get_by_role("button", name="Confirmées").click()
    page.locator(".order-row", has_text="Confirmée").first.click()
    page.wait_for_url("**/admin/commandes/*")
    expect(page.get_by_role("heading", name="Pièces")).to_be_visible()
    assert violations(page) == []
    snap(page, "staff-order")

    page.get_by_role("button", name="Expédier").click()
    page.get_by_label("Transporteur").select_option("colissimo")
    page.get_by_label("Numéro de suivi").fill("6A12345678901")
    assert violations(page) == []
    page.get_by_role("button", name="Voir l'e-mail").click()
    mail = page.get_by_label("E-mail\u00a0:")
    expect(mail).to_contain_text("6A12345678901")
    assert violations(page) == []
    snap(page, "staff-order-mail")
    page.get_by_role("button", name="Confirmer").click()
    summary = page.locator(".order-sheet__head")
    expect(summary.get_by_text("Expédiée", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Suivre le colis")).to_be_visible()

    page.get_by_role("button", name="Changer le statut").click()
    page.get_by_role("radio", name="En préparation", exact=True).check()
    page.get_by_label("Motif, gardé au journal").fill("Le colis est resté sur l'étagère.")
    page.get_by_role("button", name="Voir l'e-mail").click()
    page.get_by_role("button", name="Confirmer").click()
    expect(summary.get_by_text("En préparation", exact=True)).to_be_visible()
    expect(page.get_by_text("Annulé\u00a0: Le colis est resté")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
