"""Case 33: what the payment page asks is what the order says, offered units and delivery included."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from orders.models import Attempt, AttemptState, Order
from orders.services.payments.checkout_page import page_lines
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_finished_product, make_product
from orders.tests.fake_stripe import session_of
from shop.core.money import to_cents
from tests.payment_faults.outcomes import charges, still_waits

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

SESSIONS = "/v1/checkout/sessions"


def asked_rows(call: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Name, cents of one unit and quantity of every row of the payment page."""
    rows = call["params"]["line_items"]
    return [
        (
            row["price_data"]["product_data"]["name"],
            int(row["price_data"]["unit_amount"]),
            int(row["quantity"]),
        )
        for row in (rows.values() if isinstance(rows, dict) else rows)
    ]


def test_case_33_free_units_are_a_row_at_nothing_and_the_page_asks_the_orders_total(fake_stripe, shopper):
    """Promotion with free units: the session's total equals the order's total."""
    promotion = {"promotion_active": True, "promotion_type": "buy_2_get_1"}
    product = make_product("Orbe", "10.00", **promotion)
    assert shopper.checkout(checkout_body([line(product, 3)], "29.99")).status_code == 201
    (call,) = fake_stripe.requests(SESSIONS)
    assert asked_rows(call) == [("Orbe", 1000, 2), ("Orbe (OFFERT)", 0, 1), ("Livraison", 999, 1)]
    attempt, order = Attempt.objects.get(), Order.objects.get()
    params = call["params"]
    assert call["idempotency_key"] == f"att-{attempt.pk}"
    assert params["client_reference_id"] == str(order.pk)
    assert params["metadata"] == {
        "shop": settings.SITE_URL,
        "order": str(order.pk),
        "attempt": str(attempt.pk),
    }
    assert params["payment_intent_data"]["metadata"] == params["metadata"]
    assert params["success_url"] == f"{settings.SITE_URL}/payment-success?session_id={{CHECKOUT_SESSION_ID}}"
    assert params["cancel_url"] == f"{settings.SITE_URL}/panier?payment=left"
    assert gateway.fetch_checkout_session(session_of(order)).amount_cents == to_cents(order.total) == 2999
    order.language = "de"
    assert [row.name for row in page_lines(order)] == ["Orbe", "Orbe (GRATIS)", "Versand"]


POSTCODES = {"FR": "69003", "JP": "100-0001"}
PROMOTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "2 + 1": {"promotion_active": True, "promotion_type": "buy_2_get_1"},
    "4 for 3": {"promotion_active": True, "promotion_type": "buy_4_get_3"},
    "3 + 2": {
        "promotion_active": True, "promotion_type": "buy_n_get_m",
        "promotion_buy_quantity": 3, "promotion_get_quantity": 2,
    },
}  # fmt: skip


@pytest.mark.parametrize("promotion", list(PROMOTIONS))
@pytest.mark.parametrize("country", list(POSTCODES))
def test_case_33_every_promotion_adds_up_to_the_cent(fake_stripe, shopper, promotion, country):
    """Promotion with free units: the session's total equals the order's total, and so does what is charged."""
    terms = PROMOTIONS[promotion]
    odd = make_product("Orbe", "3.33", **terms)
    finished = make_finished_product("Hibou", painted="19.99", unpainted="0.05", **terms)
    lines = [
        line(odd, 7),
        line(finished, 4, finish="painted"),
        line(finished, 5, finish="unpainted"),
    ]
    quote = shopper.client.post(
        "/api/cart/quote", {"lines": lines, "country": country}, content_type="application/json"
    ).json()
    answer = shopper.checkout(
        checkout_body(lines, quote["total"], customer={"country": country, "postalCode": POSTCODES[country]})
    )
    assert answer.status_code == 201
    order = Order.objects.get()
    (call,) = fake_stripe.requests(SESSIONS)
    rows = asked_rows(call)
    assert sum(cents * quantity for _, cents, quantity in rows) == to_cents(order.total)
    units = sum(quantity for name, _, quantity in rows if name != "Livraison")
    offered = sum(quantity for _, cents, quantity in rows if cents == 0)
    assert units == 16
    assert offered == sum(item.free_quantity for item in order.items.all())
    assert (offered > 0) == (promotion != "none")
    fake_stripe.pay(order)
    assert shopper.verify(session_of(order)).json()["payment_status"] == "paid"
    assert charges(fake_stripe) == [(to_cents(order.total), True)]


def test_case_33_a_page_that_asks_another_total_is_closed_before_anybody_sees_it(
    fake_stripe, buyer, monkeypatch
):
    """Promotion with free units: the session's total equals the order's total, or there is no session."""
    original = gateway.create_checkout_session
    made: list[str] = []

    def forget_the_delivery(**call: Any):
        facts = original(**{**call, "lines": call["lines"][:-1]})
        made.append(facts.checkout_session_id)
        return facts

    monkeypatch.setattr(gateway, "create_checkout_session", forget_the_delivery)
    answer = buyer.checkout(checkout_body([line(make_product(price="40.00", stock_quantity=1))], "49.99"))
    assert (answer.status_code, answer.json()["code"]) == (503, "payment_refused")
    assert "url" not in answer.json()
    assert fake_stripe.control(f"sessions/{made[0]}/pay")["result"] == "closed"
    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.checkout_session_id, attempt.checkout_session_url) == (
        AttemptState.SENT,
        None,
        "",
    )
    still_waits(Order.objects.get())
