"""The administration of sales with eyes and keyboard: nothing to complain about for axe, nothing beside the screen."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE

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


def sign_in(page, shop):
    page.goto("/auth?next=/gestion/")
    page.locator("#id-email").fill("admin@example.com")
    page.locator("#id-password").fill(shop.password)
    page.locator("main form button[type=submit]").click()
    page.wait_for_url("**/gestion/")


def look_at(page, path):
    """Open a page: no breach, no sideways scrolling of the whole."""
    page.goto(path)
    assert violations(page) == [], path
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_every_page_of_sales_fits_and_is_accessible(new_page, shop, snap, width):
    page = new_page(width=width)
    sign_in(page, shop)
    look_at(page, "/gestion/")
    snap(page, f"admin-home-{width}")
    for name in LISTS:
        look_at(page, f"/gestion/orders/{name}/")
    for name in STAFF_PAGES:
        look_at(page, f"/admin/{name}")
        snap(page, f"staff-{name.partition('?')[0].replace('/', '-')}-{width}")
    look_at(page, "/gestion/catalog/product/")
    expect(page.get_by_label("Rechercher")).to_be_visible()
    name = page.locator("#result_list tbody th a").first
    assert name.evaluate("element => getComputedStyle(element).textDecorationLine") == "underline"
    snap(page, f"admin-products-{width}")

    page.goto("/gestion/orders/order/?status__exact=processing")
    order = page.locator("#result_list tbody th a").first.get_attribute("href").partition("?")[0]
    look_at(page, order)
    snap(page, f"admin-order-{width}")
    before = shop.rows(STATE)
    buttons = page.locator(".object-tools a")
    for address in [link.get_attribute("href") for link in buttons.all()]:
        look_at(page, address)
        # What is printed has a link back instead of the path.
        expect(page.locator(".slip-back a, .staff-head__back, .breadcrumbs a:nth-of-type(2)")).to_be_visible()
    assert shop.rows(STATE) == before


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_pages_about_people_fit_and_are_accessible(new_page, shop, snap, width):
    page = new_page(width=width)
    sign_in(page, shop)
    look_at(page, "/gestion/pages/erasure/add/")
    page.get_by_label("Adresse e-mail").fill("somebody@example.com")
    page.get_by_role("button", name="Envoyer le lien").click()
    expect(page.get_by_text("Le lien est parti.")).to_be_visible()
    look_at(page, "/gestion/core/auditentry/?action=erasure.link_sent")
    expect(page.locator("#result_list")).to_contain_text("Lien d'effacement envoyé")
    snap(page, f"admin-audit-{width}")
    look_at(page, "/gestion/pages/retentionrun/registre")
    snap(page, f"admin-register-{width}")


def test_an_order_is_opened_and_its_status_reached_by_keyboard_alone(new_page, shop):
    page = new_page()
    sign_in(page, shop)
    page.goto("/gestion/orders/order/?status__exact=confirmed")
    page.locator("#result_list tbody th a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/change/**")
    first = page.locator(".object-tools a").first
    first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    assert first.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/step/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Suivi de la commande")


def test_the_refund_form_shows_what_its_choice_needs(new_page, shop):
    page = new_page()
    sign_in(page, shop)
    page.goto("/gestion/orders/order/?status__exact=processing")
    order = page.locator("#result_list tbody th a").first.get_attribute("href").partition("change/")[0]
    page.goto(f"{order}refund/")
    units = page.locator(".refunds-table input[type=number]").first
    amount = page.locator("#id_amount")
    restock = page.locator("#id_restock_all")
    shown = {}
    for scope in ("all", "lines", "amount"):
        page.locator(f"input[name=scope][value={scope}]").check()
        shown[scope] = (units.is_visible(), amount.is_visible(), restock.is_visible())
    assert shown == {
        "all": (False, False, True),
        "lines": (True, True, False),
        "amount": (False, True, False),
    }
