"""Paying in three times on a telephone: the same plan everywhere, then by the signed page another card and the rest."""

import re
from decimal import Decimal
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

PAYMENTS = (
    "SELECT p.position, p.amount, p.state FROM orders_payment p JOIN orders_order o ON o.id = p.order_id"
    " WHERE o.email = ? ORDER BY p.position"
)
MAILS = "SELECT kind FROM core_outgoingmail WHERE \"to\" = ? AND state = 'sent' ORDER BY kind"
EVERYTHING = {"fr": "Payer tout ce qui reste", "de": "Alles Verbleibende zahlen"}
PAID = {"fr": "Votre commande est entièrement payée", "de": "Ihre Bestellung ist vollständig bezahlt"}
CHANGE = {"fr": "Changer de carte sans payer maintenant", "de": "Karte wechseln, ohne jetzt zu zahlen"}
KEPT = {"fr": "Rien n'a été débité", "de": "Es wurde nichts abgebucht"}
# In French and German.
ORDER_PAGE = re.compile("/(commande|bestellung)/")
PAYMENT_PAGE = re.compile("/(paiement|zahlung)/")
BACK_FROM_PAYMENT = re.compile("/(paiement|zahlung)/.*session_id=")


def shown_plan(visitor: Visitor) -> list[list[str]]:
    """Day and amount of every part on the page, as people read them."""
    parts = visitor.page.locator("main .plan__part")
    expect(parts).to_have_count(3)
    return [part.split("\n") for part in parts.all_inner_texts()]


def payments(shop, email):
    return [(position, Decimal(str(amount)), state) for position, amount, state in shop.rows(PAYMENTS, email)]


@pytest.mark.parametrize(("language", "width"), [("fr", PHONE), ("de", DESKTOP)])
def test_a_guest_pays_in_three_times_and_then_all_that_is_left(new_page, shop, snap, language, width):
    email = f"lea-{uuid4().hex[:10]}@example.com"
    visitor = Visitor(new_page(width=width, language=language), language)
    page = visitor.page
    visitor.add(visitor.products()[-1], times=2)
    visitor.open_cart()
    plan = shown_plan(visitor)
    snap(page, f"installments-cart-{language}-{width}")
    visitor.open_checkout()
    visitor.fill_guest(email)
    page.locator("input[name=payment_mode][value=installments]").check()
    assert shown_plan(visitor) == plan
    assert violations(page) == []
    snap(page, f"installments-checkout-{language}-{width}")
    total = Decimal(visitor.shown_total())
    visitor.place()
    snap(page, f"installments-hosted-{language}-{width}")
    visitor.press("pay")
    visitor.expect_paid()
    assert "installments=true" in page.url
    bought = page.locator(".installments .order-summary__row dd")
    expect(bought).to_have_count(3)
    assert [text.split() for text in bought.all_inner_texts()] == [part[-1].split() for part in plan]
    snap(page, f"installments-paid-{language}-{width}")
    assert violations(page) == []

    third = payments(shop, email)[1][1]
    assert payments(shop, email) == [
        (1, total - 2 * third, "paid"),
        (2, third, "scheduled"),
        (3, third, "scheduled"),
    ]
    page.locator("main").get_by_role("link", name=visitor.words["result"]["track"]).click()
    page.wait_for_url(ORDER_PAGE)
    expect(page.locator(".installments .order-summary__row")).to_have_count(3)
    snap(page, f"installments-order-{language}-{width}")
    assert violations(page) == []

    page.locator("a[href*='/paiement/'], a[href*='/zahlung/']").click()
    page.wait_for_url(PAYMENT_PAGE)
    snap(page, f"installments-pay-{language}-{width}")
    assert violations(page) == []
    page.get_by_role("button", name=CHANGE[language]).click()
    page.wait_for_url("**/c/pay/**")
    snap(page, f"installments-card-{language}-{width}")
    assert violations(page) == []
    visitor.press("pay")
    page.wait_for_url(BACK_FROM_PAYMENT)
    expect(page.locator("main .alert--success")).to_contain_text(KEPT[language])
    snap(page, f"installments-kept-{language}-{width}")
    assert violations(page) == []
    assert [state for _position, _amount, state in payments(shop, email)] == [
        "paid",
        "scheduled",
        "scheduled",
    ]
    page.get_by_role("button", name=EVERYTHING[language]).click()
    page.wait_for_url("**/c/pay/**")
    visitor.press("pay")
    page.wait_for_url(BACK_FROM_PAYMENT)
    expect(page.locator("main .alert--success")).to_contain_text(PAID[language])
    snap(page, f"installments-done-{language}-{width}")
    assert violations(page) == []
    assert payments(shop, email) == [
        (1, total - 2 * third, "paid"),
        (2, 2 * third, "paid"),
        (3, third, "void"),
    ]
    assert shop.wait_for(MAILS, email, rows=3) == [
        ("installment_card_kept",),
        ("installment_received",),
        ("order_confirmation",),
    ]


def test_the_payment_page_works_without_javascript(new_context, new_page, shop):
    email = f"lea-{uuid4().hex[:10]}@example.com"
    visitor = Visitor(new_page())
    visitor.add(visitor.products()[-1], times=2)
    visitor.open_checkout()
    visitor.fill_guest(email)
    visitor.page.locator("input[name=payment_mode][value=installments]").check()
    visitor.place()
    visitor.press("pay")
    visitor.expect_paid()
    visitor.page.locator("main").get_by_role("link", name=visitor.words["result"]["track"]).click()
    address = visitor.page.locator("a[href*='/paiement/']").get_attribute("href")

    page = new_context(javascript=False).new_page()
    page.goto(address)
    page.locator("button[name=card][value=change]").click()
    page.wait_for_url("**/c/pay/**")
    page.locator("button[name=action][value=pay]").click()
    page.wait_for_url("**/paiement/**session_id=**")
    expect(page.locator("main .alert--success")).to_contain_text(KEPT["fr"])
    page.locator("button[name=pay][value=next]").click()
    page.wait_for_url("**/c/pay/**")
    page.locator("button[name=action][value=pay]").click()
    page.wait_for_url("**/paiement/**session_id=**")
    assert [state for _position, _amount, state in payments(shop, email)] == ["paid", "paid", "scheduled"]
