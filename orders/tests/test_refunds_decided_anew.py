"""Refunds that failed before their decision had any effect, and whose charge others gave back since."""

from __future__ import annotations

import pytest

from orders.models import Order, OrderStatus, Refund
from orders.selectors.money import waiting_refunds, with_undecided_money
from orders.selectors.refunds import refunds_for_page
from orders.services.refunds.sending import sync_refunds
from orders.tests.refunding import EUROS, in_installments, paid_again, refund, send_all

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def never_arrived(provider, order: Order, amount: str) -> Refund:
    """A refund whose decision credits nothing."""
    provider.begins = "pending"
    sent = refund(order, amount=EUROS(amount)).refunds.get()
    send_all()
    sent.refresh_from_db()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    provider.begins = "succeeded"
    return sent


def test_a_refund_that_failed_waits_for_nobody_once_others_gave_all_of_its_charge_back(order, provider):
    failed = never_arrived(provider, order, "10.00")
    assert list(waiting_refunds()) == [failed]
    assert [(shown.money, shown.owed) for shown in refunds_for_page(order)] == [(EUROS("10.00"),) * 2]

    everything = refund(order)
    # Not for those that are on their way, either: they may fail, and it waits again.
    assert list(waiting_refunds()) == []
    send_all()

    order.refresh_from_db()
    assert (everything.amount, order.status) == (EUROS("49.99"), OrderStatus.REFUNDED)
    assert list(waiting_refunds()) == []
    assert [(shown.money, shown.owed, shown.taken) for shown in refunds_for_page(order)] == [
        (EUROS("49.99"), 0, 0)
    ]


def test_a_refund_that_failed_waits_while_a_cent_of_its_charge_is_left(order, provider):
    failed = never_arrived(provider, order, "10.00")
    refund(order, amount=EUROS("49.98"))
    assert list(waiting_refunds()) == [failed]


def test_money_that_is_kept_is_decided_about_beside_a_refund_that_others_replaced(provider):
    order = in_installments()
    paid_again(order, "60.00")
    order.payments.filter(state="scheduled").update(state="written_off")
    never_arrived(provider, order, "60.00")
    refund(order, amount=EUROS("60.00"))
    Order.objects.filter(pk=order.pk).update(status="cancelled")
    assert list(with_undecided_money()) == [order]
