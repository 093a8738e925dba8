"""Mails about money that goes back, each once: to the customer when it is done, to the workshop when it is not."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation

from orders.invoices.documents import credit_note_attachment
from orders.models import Order, Refund, RefundMethod, RefundRequest, RefundState, TransferReturn
from orders.selectors.installments import OPEN_PAYMENTS
from orders.selectors.mail_contexts import order_context, seller_context
from shop.core.mail import queue_mail
from shop.core.models import ShopSettings
from shop.core.money import ZERO, amount_string


def mail_refund_done(order: Order, request: RefundRequest) -> None:
    """To the customer: everything that was decided is on its way back, and what is no longer collected."""
    with translation.override(order.language):
        lines = [
            {
                "name": line.item.product_name,
                "detail": line.item.detail,
                "quantity": line.quantity,
                "amount": amount_string(line.amount),
            }
            for line in request.lines.select_related("item").order_by("item__position")
        ]
    back = list(request.refunds.filter(state=RefundState.SUCCEEDED).order_by("created_at"))
    transfers = [refund for refund in back if refund.method == RefundMethod.TRANSFER]
    money = sum((refund.amount for refund in back), ZERO)
    by_card = sum((refund.amount for refund in back if refund not in transfers), ZERO)
    due = order.payments.filter(state__in=OPEN_PAYMENTS).order_by("position")
    queue_mail(
        kind="refund_done",
        to=order.email,
        language=order.language,
        context={
            "order": order_context(order, order.language),
            "amount": amount_string(money) if back else "",
            "by_card": amount_string(by_card) if by_card else "",
            "transfers": [_transfer(refund) for refund in transfers],
            "voided": amount_string(request.voided) if request.voided else "",
            "shipping": amount_string(request.shipping) if request.shipping else "",
            "reason": request.reason,
            "lines": lines,
            "due": [
                {"on": payment.due_on.isoformat(), "amount": amount_string(payment.amount)} for payment in due
            ],
            "seller": seller_context(),
        },
        # One that was told before its money came back is told again once a transfer has made it good.
        dedupe_key=":".join(("refund_done", str(request.pk), *(str(refund.pk) for refund in transfers))),
        reference=order.reference,
        attachments=[credit_note_attachment(request.pk)],
    )


def mail_refund_transferred(order: Order, transfer: Refund) -> None:
    """To the customer: what their card could not take was sent from the shop's bank. Where it is the last of its
    decision, `mail_refund_done` has told it."""
    if transfer.request_id is not None and transfer.request is not None:
        transfer.request.refresh_from_db()
        if transfer.request.settled_at is not None:
            return
    queue_mail(
        kind="refund_transferred",
        to=order.email,
        language=order.language,
        context={
            "order": order_context(order, order.language),
            "transfer": _transfer(transfer),
            "seller": seller_context(),
        },
        dedupe_key=f"refund_transferred:{transfer.pk}",
        reference=order.reference,
    )


def mail_transfer_returned(order: Order, transfer: Refund, *, sent_on: date) -> None:
    """To the customer, who was told of the transfer: it came back, or never left."""
    queue_mail(
        kind="refund_transfer_returned",
        to=order.email,
        language=order.language,
        context={
            "order": order_context(order, order.language),
            "transfer": _transfer(transfer, sent_on),
            "mistaken": transfer.error == TransferReturn.MISTAKEN,
            "seller": seller_context(),
        },
        dedupe_key=f"refund_transfer_returned:{transfer.pk}",
        reference=order.reference,
    )


def _transfer(refund: Refund, sent_on: date | None = None) -> dict[str, str]:
    return {
        "amount": amount_string(refund.amount),
        "on": (sent_on or timezone.localdate(refund.settled_at or refund.created_at)).isoformat(),
        "reference": refund.transfer_reference,
    }


def mail_refund_failed(order: Order, refund: Refund) -> None:
    """To the workshop: money that should go back did not, or came back."""
    _mail_workshop(
        order,
        kind="refund_failed_alert",
        context={"amount": amount_string(refund.amount), "error": refund.error},
        dedupe_key=f"refund_failed_alert:{refund.pk}",
    )


def mail_dispute(
    order: Order,
    *,
    provider_id: str,
    amount: Decimal,
    state: str,
    reason: str = "",
    answer_by: datetime | None = None,
) -> None:
    """To the workshop: a bank takes a payment back, looks at it, or has decided. `state` is a dispute's, or inquiry."""
    _mail_workshop(
        order,
        kind="dispute_alert",
        context={
            "amount": amount_string(amount),
            "state": state,
            "reason": reason,
            "answer_by": answer_by.isoformat() if answer_by else "",
        },
        dedupe_key=f"dispute_alert:{provider_id}:{state}",
    )


def _mail_workshop(order: Order, *, kind: str, context: dict[str, Any], dedupe_key: str) -> None:
    with translation.override("fr"):
        written = order_context(order, "fr")
    queue_mail(
        kind=kind,
        to=ShopSettings.load().alert_address,
        language="fr",
        context={
            "order": written,
            "admin_url": settings.SITE_URL + reverse("admin:orders_order_change", args=[order.pk]),
            **context,
        },
        dedupe_key=dedupe_key,
        reference=order.reference,
    )
