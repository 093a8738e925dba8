"""What the migration of the states makes of orders that were written before it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from orders.models import Order
from orders.tests.factories import make_order, pay_order

migration = import_module("orders.migrations.0017_order_states")
pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def changed(
    order: Order, before: str, after: str, name: str = "order.status_changed", hours: int = 0
) -> None:
    order.events.create(
        name=name, data={"before": before, "after": after}, created_at=NOON + timedelta(hours=hours)
    )


def paid(**values) -> Order:
    order = pay_order(make_order())
    order.events.all().delete()
    Order.objects.filter(pk=order.pk).update(**values)
    return order


def migrate(*orders: Order) -> None:
    migration.fill_columns(apps, None)
    for order in orders:
        order.refresh_from_db()


def test_closed_orders_learn_where_they_came_from():
    cancelled = paid(status="cancelled")
    changed(cancelled, "processing", "cancelled")
    given_back = paid(status="refunded", shipped_at=NOON)
    given_back.events.create(name="order.refunded", data={"before": "shipped"}, created_at=NOON)
    both = paid(status="refunded")
    changed(both, "delivered", "cancelled")
    both.events.create(
        name="order.refunded", data={"before": "cancelled"}, created_at=NOON + timedelta(hours=1)
    )
    untold = paid(status="refunded", shipped_at=NOON, delivered_at=NOON)
    unpaid = make_order()
    Order.objects.filter(pk=unpaid.pk).update(status="cancelled")

    migrate(cancelled, given_back, both, untold, unpaid)

    assert (cancelled.status_before_closing, cancelled.cancelled_at) == ("processing", NOON)
    assert (given_back.status_before_closing, given_back.cancelled_at) == ("shipped", None)
    assert (both.status_before_closing, both.cancelled_at) == ("delivered", NOON)
    assert (untold.status_before_closing, untold.cancelled_at) == ("delivered", None)
    assert (unpaid.status_before_closing, unpaid.cancelled_at is not None) == ("", True)


def test_orders_archived_before_they_were_done_are_in_the_lists_again():
    underway, done = paid(archived_at=NOON), paid(status="delivered", delivered_at=NOON, archived_at=NOON)
    owing = paid(status="delivered", delivered_at=NOON, archived_at=NOON)
    owing.payments.create(position=2, count=3, amount=10, due_on=NOON.date(), state="overdue")

    migrate(underway, done, owing)

    assert (underway.archived_at, done.archived_at, owing.archived_at) == (None, NOON, None)


@pytest.mark.postgres
def test_a_paid_order_that_stood_as_pending_is_where_it_was():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE orders_order DROP CONSTRAINT order_pending_is_unpaid")
    told, untold, sent = (
        paid(status="pending"),
        paid(status="pending"),
        paid(status="pending", shipped_at=NOON),
    )
    changed(told, "processing", "pending")
    changed(told, "pending", "pending", hours=1)

    migrate(told, untold, sent)

    assert (told.status, untold.status, sent.status) == ("processing", "confirmed", "shipped")
