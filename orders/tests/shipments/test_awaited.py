"""Whether anything of one order is awaited, as its row says now."""

from __future__ import annotations

import pytest

from orders.models import Order, OrderStatus
from orders.selectors.workshop import is_awaited
from orders.services.refunds.decisions import ReturnedLine
from orders.tests.withdrawing import declare

pytestmark = pytest.mark.django_db


def test_what_was_sent_since_the_order_was_read_is_awaited_by_nobody(order):
    assert is_awaited(order) is True
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.SHIPPED)
    assert order.status == OrderStatus.CONFIRMED
    assert is_awaited(order) is False


def test_nothing_of_an_order_without_a_row_is_awaited():
    assert is_awaited(Order(status=OrderStatus.CONFIRMED)) is False


def test_it_takes_one_query_and_another_after_a_declaration(order, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert is_awaited(order) is True
    declare(order, order=order, lines=(ReturnedLine(order.items.last().pk, 1),))
    with django_assert_num_queries(2):
        assert is_awaited(order) is True
    order.status = OrderStatus.SHIPPED
    with django_assert_num_queries(0):
        assert is_awaited(order) is False
