"""The status of an order, as staff change it."""

from __future__ import annotations

from typing import Any

from orders.models import Order
from orders.services.fulfilment.status_changes import change_status


def set_status(order: Order, status: str, **said: Any) -> Order:
    return change_status(order_id=order.pk, status=status, actor=None, **said)
