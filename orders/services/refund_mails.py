"""Mails about money that goes back, each once: to the customer when it is done, to the workshop when it is not."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import translation

from orders.invoices.attachments import credit_note_of
from orders.models import Order, Refund, RefundRequest, RefundState
from orders.selectors.instalments import OPEN_PAYMENTS
from orders.services.mails import item_detail, order_context, seller_context
from shop.core.mail import queue_mail
from shop.core.models import ShopSettings
from shop.core.money import ZERO, amount_string


def mail_refund_done(order: Order, request: RefundRequest) -> None:
    """To the customer: everything that was decided is on its way back, and what is no longer collected."""
    with translation.override(order.language):
        lines = [
            {
                "name": line.item.product_name,
                "detail": item_detail(line.item),
                "quantity": line.quantity,
                "amount": amount_string(line.amount),
            }
            for line in request.lines.select_related("item").order_by("item__position")
        ]
    back = request.refunds.filter(state=RefundState.SUCCEEDED).values_list("amount", flat=True)
    due = order.payments.filter(state__in=OPEN_PAYMENTS).order_by("position")
    queue_mail(
        kind="refund_done",
        to=order.email,
        language=order.language,
        context={
            "order": order_context(order, order.language),
            "amount": amount_string(sum(back, ZERO)) if back else "",
            "voided": amount_string(request.voided) if request.voided else "",
            "shipping": amount_string(request.shipping) if request.shipping else "",
            "reason": request.reason,
            "lines": lines,
            "due": [
                {"on": payment.due_on.isoformat(), "amount": amount_string(payment.amount)} for payment in due
            ],
            "seller": seller_context(),
        },
        dedupe_key=f"refund_done:{request.pk}",
        reference=order.reference,
        attachments=[credit_note_of(request.pk)],
    )


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
