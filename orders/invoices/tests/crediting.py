"""Money that went back, and the credit note for it."""

from __future__ import annotations

from decimal import Decimal

from django.utils import timezone

from orders.invoices.issuing import issue_credit_note
from orders.models import Invoice, RefundRequest
from orders.tests.factories import new_key


def give_back(invoice: Invoice, amount: str, *, piece: str = "", shipping: str = "0.00") -> Invoice:
    """The credit note of a decision whose money is back: `amount` euros, of which `shipping` for delivery and, where a
    `piece` is named, the rest for one unit of it."""
    request = RefundRequest.objects.create(
        order=invoice.order,
        key=new_key(),
        amount=Decimal(amount),
        shipping=Decimal(shipping),
        settled_at=timezone.now(),
        reason="Retour",
    )
    if piece:
        item = invoice.order.items.get(product_name=piece)
        request.lines.create(item=item, quantity=1, amount=request.amount - request.shipping)
    note = issue_credit_note(request=request)
    assert note is not None
    return note
