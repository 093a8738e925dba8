"""What becomes of the payments still due when an order is closed, or its money was taken back by a bank.

Whoever has the goods decides, piece by piece. Of what has not left, the sale is undone as far as it was not paid: that
part is credited, and the invoice gets its credit note (art. 272 CGI). What remains unpaid of pieces that have left is a
debt that nobody collects: written off, without credit note, because their sale remains. If they come back, a refund
credits what was paid for them.
"""

import uuid
from decimal import Decimal
from typing import TYPE_CHECKING

from django.utils import translation

from orders.journal import record_event
from orders.models import Order, RefundRequest
from orders.pricing.refunds import value_of_return
from orders.selectors.installments import outstanding
from orders.selectors.refund_debts import uncredited_delivery
from orders.selectors.refund_rules import paid_lines, units_returned
from orders.selectors.refund_words import default_reason
from orders.selectors.withdrawals import units_that_follow
from orders.services.installments.scheduled_payments import lock_open_payments, void_scheduled, write_off
from orders.services.refunds.outcomes import settle_request
from shop.core.money import amount_string

if TYPE_CHECKING:
    from accounts.models import User


def close_outstanding(*, order: Order, actor: "User | None" = None, reason: str) -> None:
    """Stop collecting the order's open payments: credited as far as its goods are here, else written off.

    Call it with the order's row locked; it moves no money, so an open dispute does not prevent it. `reason` is
    shown to the customer with the credit note. Repeating it changes nothing.
    """
    due = outstanding(order)
    if not due:
        return
    undone = min(_never_sent(order), due) if order.goods_have_left else due
    lost = due - undone
    # The earliest first: one that is being collected at this moment keeps its amount where as much is lost, and is
    # received if it succeeds.
    for payment in lock_open_payments(order):
        if lost:
            payment.amount = min(payment.amount, lost)
            lost -= payment.amount
            write_off(order=order, payment=payment, actor=actor, reason=reason)
    if undone:
        _credit(order, undone, actor=actor, reason=reason)


def _never_sent(order: Order) -> Decimal:
    """What was to be paid for pieces that never left: not those that a declaration names, which took them off the
    payments itself."""
    stay = {str(item): units for item, units in units_that_follow(order).items() if units}
    sold = paid_lines(list(order.items.all()), units_returned(order))
    value = value_of_return(sold, stay, shipping=uncredited_delivery(order))
    return sum(value.lines.values(), value.shipping)


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
