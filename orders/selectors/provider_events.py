"""What of an order Stripe can be asked about."""

from __future__ import annotations

from django.db.models import QuerySet

from orders.models import Attempt, Order


def askable_attempts(order: Order) -> QuerySet[Attempt]:
    """Return the attempts that have a payment page at the provider. One query."""
    return Attempt.objects.filter(payment__order=order, checkout_session_id__isnull=False)
