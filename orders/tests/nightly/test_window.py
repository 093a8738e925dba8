"""How far back a night looks: a payment that says « paid » without money is found for three days."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from orders.models import Attempt, Discrepancy, Dispute, Order, OrderStatus
from orders.services.reconciliation.nightly import reconcile_days
from orders.services.refunds.disputes import sync_disputes
from orders.tests.factories import make_order

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    ("ago", "found"),
    [
        (timedelta(minutes=14), 0),  # its charge may be booked any moment now
        (timedelta(minutes=16), 1),
        (timedelta(days=2, hours=23), 1),
        (timedelta(days=3, hours=1), 0),
    ],
    ids=["just now", "a while ago", "nearly three days ago", "more than three days ago"],
)
def test_an_order_without_money_is_found_for_three_days(fake_stripe, ago, found):
    order = make_order()
    now = timezone.now()
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.CONFIRMED, paid_at=now - ago)
    reconcile_days(now)
    assert [row.order for row in Discrepancy.objects.all()] == [order] * found


@pytest.mark.parametrize("end", ["won", "lost"])
def test_the_end_of_a_dispute_that_no_message_told_is_learnt_however_long_ago_it_was_opened(
    fake_stripe, paid_order, end
):
    intent_id = Attempt.objects.get().intent_id
    opened = fake_stripe.control("disputes", payment_intent=intent_id)["dispute"]
    sync_disputes(intent_id)
    assert Dispute.objects.get().state == "needs_response"
    fake_stripe.control(f"disputes/{opened['id']}/close", status=end)

    # So much later that no list of those days names it.
    reconcile_days(timezone.now() + timedelta(days=60))

    assert Dispute.objects.get().state == end
    paid_order.refresh_from_db()
    assert paid_order.review_reason == ("" if end == "won" else "dispute: lost")
    assert not Discrepancy.objects.exists()
