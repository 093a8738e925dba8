"""The later thirds of an order: voided, moved, received."""

from decimal import Decimal

from django.utils import timezone

from orders.models import Attempt, AttemptState, Order, Payment, PaymentState
from orders.models.payment import LIVE_ATTEMPTS
from orders.selectors.instalments import OPEN_PAYMENTS
from orders.services.journal import record_event
from shop.core.money import ZERO
from shop.core.wake import wake


def void_scheduled(*, order: Order, reason: str) -> Decimal:
    """Nothing more is collected for this order; returns the euros that will not be.

    Call it with the order's row locked, in the transaction that records why (`reason` is the journal's dotted name).
    Every payment not yet paid becomes `void`. A try that the provider was not told of is dropped here; an open payment
    page is closed once the transaction is committed; a charge that is under way and succeeds goes back by itself.
    Repeating it changes nothing and returns 0.
    """
    payments = list(
        Payment.objects.select_for_update().filter(order=order, state__in=OPEN_PAYMENTS).order_by("position")
    )
    if not payments:
        return ZERO
    voided = sum((payment.amount for payment in payments), ZERO)
    ids = [payment.pk for payment in payments]
    Attempt.objects.filter(payment__in=ids, state=AttemptState.PREPARED).update(
        state=AttemptState.CANCELED, settled_at=timezone.now()
    )
    Payment.objects.filter(pk__in=ids).update(state=PaymentState.VOID, next_try_on=None)
    record_event(
        order,
        "instalments.voided",
        reason=reason,
        amount=str(voided),
        positions=[p.position for p in payments],
    )
    if Attempt.objects.filter(payment__in=ids, state__in=LIVE_ATTEMPTS).exists():
        wake("orders.tasks.close_void_attempts", str(order.pk))
    return voided
