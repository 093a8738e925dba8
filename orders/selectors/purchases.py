"""Who bought what, for the catalogue's reviews."""

from __future__ import annotations

from django.utils import timezone

from catalog.purchases import Purchase
from orders.models import PAID_STATUSES, Order


def find_purchase(user_id: int, product_id: int) -> Purchase | None:
    """The member's latest paid order of the product that was neither cancelled nor refunded. One query."""
    order = (
        Order.objects.filter(
            user_id=user_id, status__in=PAID_STATUSES, paid_at__isnull=False, items__product_id=product_id
        )
        .order_by("-paid_at")
        .first()
    )
    if order is None or order.paid_at is None:
        return None
    return Purchase(order.reference, timezone.localdate(order.delivered_at or order.paid_at))
