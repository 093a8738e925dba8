"""Issuing invoices and credit notes: the number, the frozen content and the hash, in the caller's transaction.

Locks: order, payment and attempt are the caller's; the series comes last, so no two transactions wait in a circle.
"""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db import transaction

from orders.invoices import content
from orders.invoices.places import destination_of
from orders.invoices.series import Place, chain_hash, reserve_place, take_place
from orders.invoices.tax import Tax, Treatment, decide_tax, split_vat
from orders.models import Invoice, InvoiceDraft, InvoiceKind, Order, RefundRequest
from orders.services.journal import record_event
from shop.core.enqueue import enqueue_after_commit
from shop.core.money import ZERO


def issue_invoice(*, order: Order) -> Invoice:
    """The invoice of a paid order, frozen as the order stands now. The second call gives the first one back.

    Runs in the caller's transaction with the order locked; the number exists only if that transaction commits.
    """
    known = current_invoice(order)
    if known is not None:
        return known
    draft = InvoiceDraft.objects.filter(order=order).first()
    country = destination_of(order)
    place = reserve_place()
    tax = decide_tax(country=country, total=order.total, year=place.series.year)
    data = content.invoice_data(order, place=place, tax=tax, draft=draft, country=country)
    return _write(
        place,
        kind=InvoiceKind.INVOICE,
        order=order,
        country=country,
        total=order.total,
        vat=tax.vat,
        data=data,
    )


def issue_credit_note(*, request: RefundRequest) -> Invoice | None:
    """The credit note of a refund whose money is back, or None when the order never had an invoice.

    Runs in the caller's transaction with the order locked. The second call gives the first one back.
    """
    known = Invoice.objects.filter(refund_request=request).first()
    if known is not None:
        return known
    order = request.order
    credited = current_invoice(order)
    if credited is None:
        return None
    place = reserve_place()
    tax = _tax_like(credited, request.amount)
    return _write(
        place,
        kind=InvoiceKind.CREDIT_NOTE,
        order=order,
        country=credited.country,
        total=-request.amount,
        vat=-tax.vat,
        data=content.credit_note_data(credited, request, place=place, tax=tax),
        credits=credited,
        version=credited.version,
        refund_request=request,
    )


def reissue_invoice(*, credited: Invoice, draft: InvoiceDraft, reason: str) -> tuple[Invoice, Invoice]:
    """Take an issued invoice back whole and issue it anew with the customer and notes of `draft`.

    Returns the credit note and the new invoice, two consecutive numbers. The tax is that of the first invoice: the
    sale is the same. Runs in the caller's transaction with the order locked.
    """
    order = credited.order
    tax = _tax_like(credited, credited.total)
    place = reserve_place()
    credit_note = _write(
        place,
        kind=InvoiceKind.CREDIT_NOTE,
        order=order,
        country=credited.country,
        total=-credited.total,
        vat=-credited.vat,
        data=content.correction_data(credited, place=place, tax=tax, reason=reason),
        credits=credited,
        version=credited.version,
    )
    place = reserve_place()
    invoice = _write(
        place,
        kind=InvoiceKind.INVOICE,
        order=order,
        country=credited.country,
        total=credited.total,
        vat=credited.vat,
        data=content.reissued_data(
            credited, place=place, draft=draft, credit_note=credit_note.number, reason=reason
        ),
        version=credited.version + 1,
    )
    return credit_note, invoice


def current_invoice(order: Order) -> Invoice | None:
    """The latest version of an order's invoice. One query."""
    return Invoice.objects.filter(order=order, kind=InvoiceKind.INVOICE).order_by("-version").first()


def _tax_like(credited: Invoice, amount: Decimal) -> Tax:
    """What is given back bears the tax that was charged on it, whatever the threshold says today."""
    treatment = Treatment(credited.data["tax"]["treatment"])
    if treatment == Treatment.DESTINATION:
        charged = credited.data["tax"]
        return replace(split_vat(amount, Decimal(charged["percent"])), beyond=charged["beyond"])
    return Tax(treatment, ZERO, amount, ZERO)


def _write(place: Place, *, kind: InvoiceKind, order: Order, data: dict[str, Any], **values: Any) -> Invoice:
    previous = place.series.last_hash
    digest = chain_hash(number=place.number, data=data, previous_hash=previous)
    with transaction.atomic():
        invoice = Invoice.objects.create(
            kind=kind,
            number=place.number,
            year=place.series.year,
            sequence=place.sequence,
            order=order,
            issued_at=place.issued_at,
            language=order.language,
            data=data,
            previous_hash=previous,
            hash=digest,
            **values,
        )
        take_place(place, digest=digest)
    record_event(order, f"{kind}.issued", number=place.number)
    enqueue_after_commit("orders.tasks.make_invoice_document", invoice.pk)
    return invoice
