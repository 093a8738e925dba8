"""The paid copy of an invoice, asked for again by its customer. It is typeset, so a worker sends it by mail."""

from typing import Literal

from django.db import transaction
from django.utils import timezone

from orders.invoices.documents import paid_copy_attachment
from orders.invoices.issuing import current_invoice
from orders.models import Order
from orders.selectors.installments import Calendar, calendar
from orders.services.invoicing.sending import INVOICE_MAIL, mail_documents
from shop.core.models import OutgoingMail

PaidCopyState = Literal["", "offer", "asked"]


def paid_copy_state(order: Order, plan: Calendar | None) -> PaidCopyState:
    """Return what an order's page says of its paid copy: nothing, offers it, or that it was asked for today. One query,
    none before all is paid."""
    if plan is None or not plan.is_settled:
        return ""
    asked = OutgoingMail.objects.filter(dedupe_key=f"{INVOICE_MAIL}:{_once(order)}").exists()
    return "asked" if asked else "offer"


@transaction.atomic
def request_paid_copy(order: Order) -> None:
    """Mail the paid copy to the order's address, once a day; nothing before all is paid."""
    invoice, plan = current_invoice(order), calendar(order)
    if invoice is not None and plan is not None and plan.is_settled:
        mail_documents([invoice], once=_once(order), attachments=[paid_copy_attachment(order.pk)])


def _once(order: Order) -> str:
    return f"paid-copy:{order.pk}:{timezone.localdate()}"
