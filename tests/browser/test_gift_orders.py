"""A gift billed at home: ordered, paid, its address corrected, on a phone and on a wide screen."""

from uuid import UUID, uuid4

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

ORDER = "SELECT gift_recipient, gift_message, billing_name, billing_company, billing_city, address, status FROM orders_order WHERE email = ?"  # noqa: E501
BILLING = {
    "billing.name": "Ana Duval",
    "billing.company": "Atelier Duval",
    "billing.address": "9 quai Sud",
    "billing.postalCode": "33000",
    "billing.city": "Bordeaux",
}


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


@pytest.mark.parametrize(("language", "width"), [("fr", PHONE), ("de", DESKTOP)])
def test_a_gift_is_bought_and_its_address_corrected(new_page, shop, snap, language, width):
    email = f"gift-{uuid4().hex[:10]}@example.com"
    visitor = Visitor(new_page(width=width, language=language), language)
    page, texts = visitor.page, visitor.words["checkout"]
    visitor.add(visitor.products()[0])
    visitor.open_cart()
    assert visitor.page.locator("aside select").input_value() == ("DE" if language == "de" else "FR")
    snap(page, f"gift-cart-{language}-{width}")
    visitor.open_checkout()
    visitor.fill_guest(email)
    page.get_by_label(texts["gift"]).check()
    page.locator("[id='checkout-gift.recipient']").fill("Zoé Petit")
    page.locator("[id='checkout-gift.message']").fill("Joyeux Noël !")
    expect(page.get_by_label(texts["otherBilling"])).to_be_checked()
    for name, value in BILLING.items():
        page.locator(f"[id='checkout-{name}']").fill(value)
    visitor.shown_total()
    assert violations(page) == []
    assert fits(page)
    snap(page, f"gift-checkout-{language}-{width}")
    visitor.place()
    visitor.press("pay")
    visitor.expect_paid()
    assert shop.rows(ORDER, email) == [
        (
            "Zoé Petit",
            "Joyeux Noël !",
            "Ana Duval",
            "Atelier Duval",
            "Bordeaux",
            "3 rue des Carmes",
            "confirmed",
        )
    ]
    visitor.go(f"/commande/{order_id(shop, email)}")
    assert violations(page) == []
    assert fits(page)
    snap(page, f"gift-order-{language}-{width}")
    page.locator("#coordonnees ~ .order-columns a").click()
    page.locator("#id_address").fill("14 rue Neuve")
    assert violations(page) == []
    assert fits(page)
    snap(page, f"gift-address-{language}-{width}")
    page.locator("main form button[type=submit]").click()
    expect(page.locator("address").first).to_contain_text("14 rue Neuve")
    assert shop.rows(ORDER, email)[0][5] == "14 rue Neuve"


def order_id(shop, email):
    ((found,),) = shop.rows("SELECT id FROM orders_order WHERE email = ?", email)
    return UUID(found)
