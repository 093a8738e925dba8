"""What is watched of orders and payments (`shop.core.readings`)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Min, Sum

from orders.models import Order, OrderStatus, StockHold, StockHoldState, StripeEvent
from shop.core.readings import Age, Figure, register_age, register_figure

EVENTS_LIMIT = timedelta(minutes=30)


def register() -> None:
    """Register the age of Stripe's events, and the figures of sales."""
    register_age(
        Age(
            "provider-events",
            "Évènements Stripe non traités",
            EVENTS_LIMIT,
            "Un paiement ou un remboursement attend d'être noté. Si Stripe est en panne, attendez\u00a0; sinon "
            "prévenez la personne qui s'occupe du serveur, qui lit l'erreur dans «\u00a0Évènements Stripe\u00a0».",
            oldest_unprocessed_event,
        )
    )
    register_figure(
        Figure("shop_unprocessed_events", "Events of the payment provider that wait", _unprocessed_events)
    )
    register_figure(Figure("shop_orders_paid_last_hour", "Orders paid within the last hour", _paid_last_hour))
    register_figure(
        Figure("shop_stock_held_units", "Units held for orders that are not paid yet", _held_units)
    )


def oldest_unprocessed_event(now: datetime) -> datetime | None:
    """Return when the oldest event came that has not been processed. One query."""
    found: datetime | None = StripeEvent.objects.filter(processed_at=None).aggregate(at=Min("received_at"))[
        "at"
    ]
    return found


def _unprocessed_events(now: datetime) -> dict[str, float]:
    return {"": StripeEvent.objects.filter(processed_at=None).count()}


def _paid_last_hour(now: datetime) -> dict[str, float]:
    # By the day it was placed first, which has an index: who pays later than that pays by a link, and is not counted.
    placed = Order.objects.filter(archived_at=None, created_at__gte=now - timedelta(days=1))
    return {"": placed.filter(paid_at__gte=now - timedelta(hours=1)).count()}


def _held_units(now: datetime) -> dict[str, float]:
    held = StockHold.objects.filter(order__status=OrderStatus.PENDING, state=StockHoldState.HELD)
    return {"": held.aggregate(units=Sum("quantity"))["units"] or 0}
