"""A customer's bank takes a payment back: staff must look before anything more is sent."""

from django.db import transaction

from orders.models import Attempt, Order
from orders.services.journal import record_event
from orders.services.mails import mail_review_alert


def note_dispute(*, attempt: Attempt, status: str) -> None:
    """Marks the order and alerts the workshop, once per state of the dispute."""
    with transaction.atomic():
        order = Order.objects.select_for_update().get(payments=attempt.payment)
        reason = f"dispute: {status}"[:200]
        if order.review_reason == reason:
            return
        order.review_reason = reason
        order.save(update_fields=["review_reason", "updated_at"])
        record_event(order, "payment.disputed", status=status)
        mail_review_alert(order, reason)
