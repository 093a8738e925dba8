"""Case 12: the session id in the address of the return page is a hint and proves nothing."""

from __future__ import annotations

import pytest

from orders.tests.factories import CUSTOMER
from orders.tests.fake_stripe import session_of
from tests.payment_faults.outcomes import confirmed_once, rows, still_waits
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

INVENTED = [
    "", "cs_test_invented", "x" * 300, "\x00", "' OR 1=1", "é", "../../orders", "cs_test_a1%00", "{ID}",
]  # fmt: skip


def test_case_12_an_invented_session_confirms_nothing_and_leaks_nothing(fake_stripe, buyer, order):
    """`session_id` invented, of another customer or missing: confirms nothing, leaks nothing."""
    before, true = rows(), session_of(order)
    near = [true[:-1], f"{true}x", true.upper(), f" {true}", f"{true}\n", order.reference, str(order.pk)]
    for session_id in INVENTED + near:
        answer = buyer.verify(session_id)
        assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
            404, "unknown_session", "Aucun paiement à vérifier.",
        ), session_id  # fmt: skip
        page = buyer.client.get("/payment-success", {"session_id": session_id})
        assert page.status_code == 200, session_id
        assert rows() == before, session_id
    assert fake_stripe.requests("/v1/checkout/sessions/", "GET") == []


def test_case_12_a_missing_session_confirms_nothing(fake_stripe, buyer, order):
    """`session_id` invented, of another customer or missing: confirms nothing, leaks nothing."""
    before = rows()
    answer = buyer.client.get("/api/checkout/verify")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_session")
    assert buyer.client.get("/payment-success").status_code == 200
    assert rows() == before


def test_case_12_another_customers_open_page_confirms_nothing(fake_stripe, order):
    """`session_id` invented, of another customer or missing: confirms nothing, leaks nothing."""
    before = rows()
    stranger = Buyer(1)
    assert stranger.verify(session_of(order)).json() == {"payment_status": "pending"}
    leaks_nothing(stranger, order)
    assert rows() == before
    still_waits(order)


def test_case_12_another_customers_payment_is_nobodys_elses_order(fake_stripe, order):
    """`session_id` invented, of another customer or missing: confirms nothing, leaks nothing.

    That it is paid is Stripe's word, whoever asks; whose it is and what it is for stays untold.
    """
    fake_stripe.pay(order)
    stranger = Buyer(1)
    assert stranger.verify(session_of(order)).json() == {"payment_status": "paid"}
    confirmed_once(order)
    leaks_nothing(stranger, order)
    assert stranger.client.get(f"/commande/{order.pk}").status_code == 404
    assert stranger.client.get("/api/orders").status_code == 401


def leaks_nothing(stranger: Buyer, order) -> None:
    page = stranger.client.get("/payment-success", {"session_id": session_of(order)})
    assert page.status_code == 200
    text = page.content.decode()
    for secret in (
        order.reference,
        str(order.pk),
        *(CUSTOMER[name] for name in ("email", "lastName", "address")),
    ):
        assert secret not in text
