"""Who may write a review: members with a paid order of the product that was not undone."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.demo import load_people
from catalog.selectors.purchases import find_purchase
from catalog.tests.factories import make_product
from orders.demo import load_orders
from orders.models import Order
from orders.tests.factories import make_zones

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_paid_orders_count_and_others_do_not(django_assert_num_queries):
    make_zones()
    pieces = [make_product(f"Pièce {number}") for number in range(9)]
    load_people()
    load_orders()
    buyer = Order.objects.values_list("user_id", flat=True).first()
    statuses = {
        piece.name: Order.objects.filter(items__product_id=piece.pk).values_list("status", flat=True).first()
        for piece in pieces
    }

    found = {
        statuses[piece.name]: find_purchase(user_id=buyer, product_id=piece.pk) is not None
        for piece in pieces
    }

    assert found == {
        "confirmed": True,
        "processing": True,
        "shipped": True,
        "delivered": True,
        "cancelled": False,
        "refunded": False,
        "pending": False,
        None: False,
    }
    with django_assert_num_queries(1):
        assert find_purchase(user_id=buyer + 1_000, product_id=pieces[0].pk) is None


def test_the_experience_begins_with_the_delivery_or_the_payment():
    make_zones()
    pieces = [make_product(f"Pièce {number}") for number in range(9)]
    load_people()
    load_orders()
    for status, moment in (("delivered", "delivered_at"), ("confirmed", "paid_at")):
        order = Order.objects.get(status=status)
        [item] = order.items.all()
        purchase = find_purchase(user_id=order.user_id, product_id=item.product_id)
        assert purchase is not None
        assert purchase.order_reference == order.reference
        assert purchase.experience_date == timezone.localdate(getattr(order, moment))
    assert len(pieces) == 9
    # Ordered again: what was received is what they speak of.
    received, later = (Order.objects.get(status=status) for status in ("delivered", "confirmed"))
    [item] = received.items.all()
    later.items.update(product_id=item.product_id)
    Order.objects.filter(pk=later.pk).update(paid_at=timezone.now())
    purchase = find_purchase(user_id=received.user_id, product_id=item.product_id)
    assert purchase is not None
    assert (purchase.order_reference, purchase.experience_date) == (
        received.reference,
        timezone.localdate(received.delivered_at),
    )
