"""Case 34: a clock that is wrong, the shop's or the sender's, loses no payment."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from orders.models import Order, StripeEvent
from orders.payments import reconcile
from orders.tests.factories import checkout_body, line, make_product, new_key
from orders.tests.fake_stripe import session_of, signature
from shop.core.models import OutgoingMail
from tests.payment_faults.outcomes import (
    confirmed_once,
    new_order,
    rows,
    still_waits,
)
from tests.payment_faults.webhook_posts import post
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("minutes", [-6, 6])
def test_case_34_a_clock_six_minutes_off_refuses_and_alerts_and_nothing_is_lost(
    client, order, paid_event, minutes, settings, caplog
):
    """Clock 10 minutes off: refused, told once, and fetched again with the right time."""
    before = rows()
    for _again in range(3):
        header = signature(paid_event, at=time.time() + 60 * minutes)
        assert post(client, paid_event, header).status_code == 400
    alert = OutgoingMail.objects.get()
    assert (alert.kind, alert.to, alert.context) == (
        "clock_alert", "atelier@example.com", {"where": "webhook", "minutes": 6},
    )  # fmt: skip
    assert "the clock is wrong (webhook)" in caplog.text
    alert.delete()
    assert rows() == before
    assert not StripeEvent.objects.exists()
    reconcile.fetch_missed_events(timezone.now() + timedelta(minutes=3))
    confirmed_once(order)


def test_case_34_only_stripe_can_raise_the_alarm(client, order, paid_event):
    """A foreign signature of another time is a bad signature, and nobody is told."""
    header = signature(paid_event, secret="whsec_other", at=time.time() + 360)
    assert post(client, paid_event, header).status_code == 400
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize(
    ("seconds_off", "status"),
    [(-600, 400), (-310, 400), (-290, 200), (290, 200), (310, 400)],
)
def test_case_34_a_message_is_taken_within_300_seconds(client, order, paid_event, seconds_off, status):
    """Clock 10 min off: tolerance 300 s. What is further off is refused and books nothing; reconciliation finds it."""
    before = rows()
    assert post(client, paid_event, signature(paid_event, at=time.time() + seconds_off)).status_code == status
    if status == 400:
        OutgoingMail.objects.filter(kind="clock_alert").delete()
        assert rows() == before
        assert not StripeEvent.objects.exists()
        reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=3))
    confirmed_once(order)


def test_case_34_an_order_is_paid_while_the_shops_clock_is_ten_minutes_ahead(fake_stripe):
    """Clock 10 min off: tolerance 300 s. A page may live longer than the shop believes."""
    fake_stripe.control("clock", advance=-600)
    buyer = Buyer()
    order = new_order(buyer)
    fake_stripe.pay(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)


def test_case_34_a_shop_ten_minutes_behind_loses_nothing_until_its_clock_is_set(fake_stripe):
    """Clock 10 min off: tolerance 300 s. Stripe makes no page that would close in less than 30 minutes."""
    fake_stripe.control("clock", advance=600)
    buyer, key = Buyer(), new_key()
    body = checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    answer = buyer.checkout(body, key)
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        503, "payment_refused", "Erreur lors de la création du paiement",
    )  # fmt: skip
    still_waits(Order.objects.get())
    fake_stripe.control("clock", reset=True)
    assert buyer.checkout(body, key).status_code == 201
    order = Order.objects.get()
    fake_stripe.pay(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)
