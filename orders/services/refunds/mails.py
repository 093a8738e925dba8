"""Mails about money that goes back, each once: to the customer when it is done, to the workshop when it is not."""

from datetime import date, datetime
from decimal import Decimal

from django.utils import timezone, translation

from orders.invoices.documents import credit_note_attachment
from orders.mails import mail_customer, mail_workshop, order_admin_url
from orders.models import (
    Order,
    Refund,
    RefundMethod,
    RefundRequest,
    RefundState,
    TransferReturn,
)
from orders.selectors.installments import is_disputed
from orders.selectors.refund_debts import taken_instead
from orders.selectors.refund_rules import paid_amounts
from orders.selectors.refund_words import promotion_share_text
from orders.services.installments.mails import open_context
from shop.core.money import ZERO, amount_string


def mail_refund_done(order: Order, request: RefundRequest) -> None:
    """To the customer: everything that was decided is on its way back, and what is no longer collected."""
    paid = paid_amounts(order)
    with translation.override(order.language):
        lines = [
            {
                "name": line.item.product_name,
                "detail": line.item.detail,
                "quantity": line.quantity,
                "amount": amount_string(line.amount),
                "explanation": promotion_share_text(
                    line.item, quantity=line.quantity, amount=line.amount, paid=paid
                ),
            }
            for line in request.lines.select_related("item").order_by("item__position")
        ]
    made_again = list(
        request.refunds.filter(state=RefundState.SUCCEEDED).exclude(replaces=None).order_by("created_at")
    )
    transfers = [refund for refund in made_again if refund.method == RefundMethod.TRANSFER]
    taken = taken_instead(order)[request.pk]
    # Of a refund made outside the shop, what counts for this decision: it is told once.
    money = request.amount - request.voided - taken
    by_card = money - sum((refund.amount for refund in transfers), ZERO)
    told = open_context(order)
    if is_disputed(order):
        # No mail names a day during a dispute.
        told["installments"] = []
    mail_customer(
        order,
        "refund_done",
        {
            **told,
            "amount": amount_string(money) if money else "",
            "by_card": amount_string(by_card) if by_card else "",
            "transfers": [_transfer(refund) for refund in transfers],
            "taken_back": amount_string(taken) if taken else "",
            "voided": amount_string(request.voided) if request.voided else "",
            "shipping": amount_string(request.shipping) if request.shipping else "",
            "reason": request.reason,
            "lines": lines,
        },
        # A decision whose money came back is notified again once it was made again.
        once=":".join((str(request.pk), *(str(refund.pk) for refund in made_again))),
        attachments=[credit_note_attachment(request.pk)],
    )


def mail_refund_transferred(order: Order, transfer: Refund) -> None:
    """To the customer: what their card could not take was sent from the shop's bank. Where it is the last of its
    decision, `mail_refund_done` has said it."""
    if transfer.request_id is not None and transfer.request is not None:
        transfer.request.refresh_from_db()
        if transfer.request.settled_at is not None:
            return
    mail_customer(order, "refund_transferred", {"transfer": _transfer(transfer)}, once=transfer.pk)


def mail_transfer_returned(order: Order, transfer: Refund, *, sent_on: date) -> None:
    """To the customer, who got a mail about the transfer: it came back, or never left."""
    context = {
        "transfer": _transfer(transfer, sent_on),
        "mistaken": transfer.error == TransferReturn.MISTAKEN,
    }
    mail_customer(order, "refund_transfer_returned", context, once=transfer.pk)


def _transfer(refund: Refund, sent_on: date | None = None) -> dict[str, str]:
    return {
        "amount": amount_string(refund.amount),
        "on": (sent_on or timezone.localdate(refund.settled_at or refund.created_at)).isoformat(),
        "reference": refund.transfer_reference,
    }


def mail_refund_failed(order: Order, refund: Refund, *, came_back: bool) -> None:
    """To the workshop, once each: money that should go back did not; it was booked, and came back."""
    context = {
        "amount": amount_string(refund.amount),
        "error": refund.error,
        "admin_url": order_admin_url(order),
    }
    once = f"{refund.pk}:booked" if came_back else refund.pk
    mail_workshop("refund_failed_alert", context, once=once, order=order)


def mail_dispute(
    order: Order,
    *,
    provider_id: str,
    amount: Decimal,
    state: str,
    reason: str,
    answer_by: datetime | None,
) -> None:
    """To the workshop: a bank takes a payment back, looks at it, or has decided. `state` is a dispute's, or inquiry."""
    context = {
        "amount": amount_string(amount),
        "state": state,
        "reason": reason,
        "answer_by": answer_by.isoformat() if answer_by else "",
        "admin_url": order_admin_url(order),
    }
    # A bank may ask once more, until another day.
    mail_workshop("dispute_alert", context, once=f"{provider_id}:{state}:{context['answer_by']}", order=order)
