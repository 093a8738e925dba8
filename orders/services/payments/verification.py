"""What the return page may say about a payment."""

from dataclasses import dataclass

from orders.models import CLOSED_STATUSES, Attempt, AttemptState, Order, Refund
from orders.services.payments.settlement import settle
from orders.stripe import gateway


@dataclass(frozen=True, slots=True)
class VerifiedPayment:
    """`status` is paid, pending, failed or expired; `refunded` when a payment came too late and goes back."""

    order: Order
    status: str
    refunded: bool


def verify_payment(checkout_session_id: str) -> VerifiedPayment | None:
    """Ask the provider about a payment page of ours; None for a page that is not ours.

    When the provider can't be asked the answer is what is known: `pending` unless it was settled before.
    """
    attempt = Attempt.objects.filter(checkout_session_id=checkout_session_id).first()
    if attempt is None:
        return None
    try:
        status = settle(attempt.pk).status
    except gateway.GatewayError:
        status = "paid" if attempt.state == AttemptState.SUCCEEDED else "pending"
    order = Order.objects.get(payments=attempt.payment_id)
    refunded = order.status in CLOSED_STATUSES and Refund.objects.filter(attempt=attempt).exists()
    return VerifiedPayment(order=order, status=status, refunded=refunded)
