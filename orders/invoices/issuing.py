"""Issuing invoices and credit notes: the number, the frozen content and the hash, in the caller's transaction.

Locks: order, payment and attempt are the caller's; the series comes last, so no two transactions wait in a circle.
"""

import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, prefetch_related_objects

from orders.invoices import content, credit_content
from orders.invoices.series import ReservedNumber, assign_number, chain_hash, reserve_number
from orders.invoices.tax import SoldLine, decide_tax, tax_of_credit
from orders.journal import record_event
from orders.models import Invoice, InvoiceDraft, InvoiceKind, Order, OrderItem, RefundRequest
from orders.pricing.vat import Tax
from orders.search_index import index_order
from orders.selectors.destinations import place_of
from shop.core.content_version import agreed_content_version
from shop.core.dates import shop_day
from shop.core.fragment_cache import fragments_of


def issue_invoice(*, order: Order) -> Invoice:
    """Issue the invoice of a paid order, frozen as the order is now. The second call returns the first one.

    Runs in the caller's transaction with the order locked; the number exists only if that transaction commits.
    """
    known = current_invoice(order)
    if known is not None:
        return known
    draft = InvoiceDraft.objects.filter(order=order).first()
    reserved = reserve_number()
    # They stay with the order: what is written of it next reads the same lines.
    prefetch_related_objects([order], Prefetch("items", OrderItem.objects.select_related("product")))
    items = list(order.items.all())
    # After the last lock: territories and seller are those of the content as it is at this moment.
    with fragments_of(agreed_content_version()):
        place = place_of(order)
        tax = decide_tax(
            place=place,
            lines=[SoldLine(item.line_total, _category(item)) for item in items],
            shipping=order.shipping_cost,
            day=shop_day(reserved.issued_at),
            to_business=bool(content.company_number_of(order, draft)),
        )
        data = content.invoice_data(order, items, reserved=reserved, tax=tax, draft=draft, place=place)
    return _write(
        reserved,
        kind=InvoiceKind.INVOICE,
        order=order,
        country=place.country,
        total=order.total,
        vat=tax.vat,
        data=data,
    )


def issue_credit_note(*, request: RefundRequest) -> Invoice | None:
    """Issue the credit note of a refund whose money is back; None when the order never had an invoice.

    Runs in the caller's transaction with the order locked. The second call returns the first one.
    """
    known = Invoice.objects.filter(refund_request=request).first()
    if known is not None:
        return known
    order = request.order
    credited = current_invoice(order)
    if credited is None:
        return None
    reserved = reserve_number()
    notes = Invoice.objects.filter(credits=credited).values_list("data", flat=True)
    left = credit_content.uncredited_of(credited.data, notes)
    lines, shipping = credit_content.credited_lines(credited, request, left)
    tax = _tax_like(credited, lines, shipping, request.amount, left)
    return _write(
        reserved,
        kind=InvoiceKind.CREDIT_NOTE,
        order=order,
        country=credited.country,
        total=-request.amount,
        vat=-tax.vat,
        data=credit_content.credit_note_data(
            credited, request, reserved=reserved, tax=tax, lines=lines, shipping=shipping
        ),
        credits=credited,
        version=credited.version,
        refund_request=request,
    )


def reissue_invoice(*, credited: Invoice, draft: InvoiceDraft, reason: str) -> tuple[Invoice, Invoice]:
    """Credit an issued invoice in full and issue it anew with the customer and notes of `draft`.

    Returns the credit note and the new invoice, two consecutive numbers. The tax is that of the first invoice: the
    sale is the same. Runs in the caller's transaction with the order locked.
    """
    order = credited.order
    left = credit_content.uncredited_of(credited.data, [])
    shipping = Decimal(credited.data["shipping"])
    tax = _tax_like(credited, credited.data["lines"], shipping, credited.total, left)
    reserved = reserve_number()
    credit_note = _write(
        reserved,
        kind=InvoiceKind.CREDIT_NOTE,
        order=order,
        country=credited.country,
        total=-credited.total,
        vat=-credited.vat,
        data=credit_content.correction_data(credited, reserved=reserved, tax=tax, reason=reason),
        credits=credited,
        version=credited.version,
    )
    reserved = reserve_number()
    invoice = _write(
        reserved,
        kind=InvoiceKind.INVOICE,
        order=order,
        country=credited.country,
        total=credited.total,
        vat=credited.vat,
        data=credit_content.reissued_data(
            credited, reserved=reserved, draft=draft, credit_note=credit_note.number, reason=reason
        ),
        version=credited.version + 1,
    )
    return credit_note, invoice


def current_invoice(order: Order | uuid.UUID) -> Invoice | None:
    """Return the latest version of an order's invoice. One query."""
    return Invoice.objects.filter(order=order, kind=InvoiceKind.INVOICE).order_by("-version").first()


def _category(item: OrderItem) -> int | None:
    return item.product.category_id if item.product is not None else None


def _tax_like(
    credited: Invoice,
    lines: Sequence[dict[str, Any]],
    shipping: Decimal,
    amount: Decimal,
    left: credit_content.Uncredited,
) -> Tax:
    sums = credit_content.with_rates(credited.data, lines)
    return tax_of_credit(
        credited.data["tax"],
        sums,
        shipping=shipping,
        shipped_with=left.share(shipping, sums, is_delivery=True),
        left=left.rates,
        total=amount,
    )


def _write(
    reserved: ReservedNumber, *, kind: InvoiceKind, order: Order, data: dict[str, Any], **values: Any
) -> Invoice:
    previous = reserved.series.last_hash
    digest = chain_hash(number=reserved.number, data=data, previous_hash=previous)
    with transaction.atomic():
        invoice = Invoice.objects.create(
            kind=kind,
            number=reserved.number,
            year=reserved.series.year,
            sequence=reserved.sequence,
            order=order,
            issued_at=reserved.issued_at,
            language=order.language,
            data=data,
            previous_hash=previous,
            hash=digest,
            **values,
        )
        assign_number(reserved, digest=digest)
    record_event(order, f"{kind}.issued", number=reserved.number)
    index_order(order)
    return invoice
