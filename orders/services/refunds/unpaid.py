"""What becomes of the payments still due when an order is closed, or its money was taken back by a bank.

Whoever has the goods decides. While they have not left, the sale is undone as far as it was not paid: the unpaid part
is credited, and the invoice gets its credit note. Once they have left, the unpaid part is a debt that nobody collects:
written off, without credit note, because the sale remains. If they come back, a refund credits what was paid for them.
"""

import uuid
from decimal import Decimal
from typing import TYPE_CHECKING

from django.utils import translation

from orders.journal import record_event
from orders.models import Order, RefundRequest
from orders.selectors.installments import outstanding
from orders.selectors.refund_words import default_reason
from orders.services.installments.scheduled_payments import lock_open_payments, void_scheduled, write_off
from orders.services.refunds.outcomes import settle_request
from shop.core.money import amount_string

if TYPE_CHECKING:
    from accounts.models import User


def close_outstanding(*, order: Order, actor: "User | None" = None, reason: str) -> None:
    """Stop collecting the order's open payments: credited while its goods are here, else written off.

    Call it with the order's row locked; it moves no money, so an open dispute does not prevent it. `reason` is
    shown to the customer with the credit note. Repeating it changes nothing.
    """
    due = outstanding(order)
    if not due:
        return
    if order.goods_have_left:
        for payment in lock_open_payments(order):
            write_off(order=order, payment=payment, actor=actor, reason=reason)
    else:
        _credit(order, due, actor=actor, reason=reason)


def _credit(order: Order, due: Decimal, *, actor: "User | None", reason: str) -> None:
    with translation.override(order.language):
        shown_reason = reason.strip()[:500] or default_reason(None)
    request = RefundRequest.objects.create(
        order=order, key=f"closed-{uuid.uuid4()}", amount=due, voided=due, reason=shown_reason, actor=actor
    )
    record_event(
        order,
        "refund.decided",
        actor=actor,
        request=str(request.pk),
        amount=amount_string(due),
        voided=amount_string(due),
    )
    void_scheduled(order=order, reason="refund.decided")
    settle_request(order, request)
