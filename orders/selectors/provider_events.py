"""What of an order Stripe can be asked about."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from orders.models import Attempt, AttemptState, Order


def askable_attempts(order: Order) -> QuerySet[Attempt]:
    """Return the attempts that have a payment page at the provider, and those kept for review. One query."""
    known = Q(checkout_session_id__isnull=False) | Q(state=AttemptState.REVIEW)
    return Attempt.objects.filter(known, payment__order=order)
