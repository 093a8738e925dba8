"""Orders placed by a guest that become a member's."""

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from orders.journal import record_event
from orders.models import Order

if TYPE_CHECKING:
    from accounts.models import User


def join_orders(user: "User", order_ids: Sequence[uuid.UUID]) -> None:
    """Give guests' orders to the member whose address they were placed with.

    An order of somebody else, or with another address, is left alone. Runs in the caller's transaction; locks the
    orders, oldest key first.
    """
    orders = Order.objects.select_for_update().filter(pk__in=order_ids, user=None, email=user.email)
    for order in orders.order_by("pk"):
        order.user = user
        order.save(update_fields=["user", "updated_at"])
        record_event(order, "order.joined_account", actor=user)
