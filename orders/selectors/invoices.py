"""Invoices for pages and calls."""

import uuid
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from orders.models import ContractDocument, Invoice, InvoiceDocument, InvoiceDraft, InvoiceKind, Order
from orders.pricing.vat import Treatment
from orders.selectors.addresses import billing_address
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.models import ShopSettings
from shop.core.money import ZERO


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document of an order as its pages list it: an invoice, a credit note, or its contract, which has no number and
    no total. `is_ready` once its PDF has been made."""

    id: int
    number: str
    is_credit_note: bool
    is_replaced: bool
    issued_at: datetime
    total: Decimal
    is_ready: bool
    is_contract: bool = False


def documents_of(order: Order) -> list[DocumentEntry]:
    """Return every document of an order, oldest first. One query, which reads no PDF."""
    return documents_of_orders([order.pk]).get(order.pk, [])


def documents_of_orders(order_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[DocumentEntry]]:
    """Return the documents of those orders that have any, by the order's key, oldest first. One query."""
    rows = (
        Invoice.objects.filter(order_id__in=order_ids)
        .annotate(
            ready=Exists(InvoiceDocument.objects.filter(invoice=OuterRef("pk"))),
            contract_ready=Exists(ContractDocument.objects.filter(contract__order=OuterRef("order"))),
        )
        .order_by("year", "sequence")
        .values_list(
            *("order_id", "pk", "number", "kind", "version", "issued_at", "total", "ready"),
            *("order__contract", "contract_ready"),
        )
    )
    found: defaultdict[uuid.UUID, list[tuple[Any, ...]]] = defaultdict(list)
    for order_id, *row in rows:
        if order_id is not None:
            found[order_id].append(tuple(row))
    return {order_id: _entries(of_order) for order_id, of_order in found.items()}


def _entries(rows: list[tuple[Any, ...]]) -> list[DocumentEntry]:
    latest = max((row[3] for row in rows if row[2] == InvoiceKind.INVOICE), default=1)
    *_columns, issued, _total, _ready, contract, is_contract_ready = rows[0]
    own = DocumentEntry(contract or 0, "", False, False, issued, ZERO, is_contract_ready, is_contract=True)
    return ([own] if contract is not None else []) + [
        DocumentEntry(
            id=pk,
            number=number,
            is_credit_note=kind == InvoiceKind.CREDIT_NOTE,
            is_replaced=kind == InvoiceKind.INVOICE and version < latest,
            issued_at=issued_at,
            total=total,
            is_ready=ready,
        )
        for pk, number, kind, version, issued_at, total, ready, _contract, _contract_ready in rows
    ]


def document_path(order: Order, entry: DocumentEntry, token: str = "") -> str:
    """Return the address of a document's PDF, with the order's `token` for who came by its signed link."""
    if entry.is_contract:
        address = reverse("api-order-contract", args=[order.pk])
        return f"{address}?{urlencode({'acces': token})}" if token else address
    query = {"number": entry.number, **({"acces": token} if token else {})}
    return f"{reverse('api-order-invoice', args=[order.pk])}?{urlencode(query)}"


def first_invoice(path: str = "") -> Q:
    """The invoice by which an order was sold; one that was issued anew is the same sale. `path` leads from the filtered
    rows to it."""
    return Q(**{f"{path}kind": InvoiceKind.INVOICE, f"{path}version": 1})


def first_invoices() -> QuerySet[Invoice]:
    """For a subquery by `order`: the invoice by which an order was sold."""
    return Invoice.objects.filter(first_invoice(), order=OuterRef("order"))


def find_document(order_id: uuid.UUID, number: str = "") -> Invoice | None:
    """Return a document of this order by its number; without one the latest version of its invoice. One query."""
    rows = Invoice.objects.filter(order_id=order_id).select_related("order")
    if number:
        return rows.filter(number=number).first()
    return rows.filter(kind=InvoiceKind.INVOICE).order_by("-version").first()


def tax_notice(order: Order, language: str) -> str:
    """Return what is said of VAT about an order: as its invoice says it, else the shop's own notice. One query."""
    invoice = Invoice.objects.filter(order=order, kind=InvoiceKind.INVOICE).order_by("-version").first()
    return tax_notice_of(invoice, language)


def tax_notice_of(invoice: Invoice | None, language: str) -> str:
    """Return what an invoice says of VAT; the shop's own notice for an order that has none."""
    if invoice is None:
        with translation.override(language):
            return ShopSettings.load().vat_notice_text
    mention = invoice.data["mentions"][0]
    french, text = str(mention["fr"]), str(mention["text"])
    is_franchise = mention["name"] == "franchise"
    if language != invoice.language:
        # The shop's own words are French; those of the law it has in every language.
        with translation.override(language):
            text = _("TVA non applicable, art. 293 B du CGI") if is_franchise else french
    if text == french or language == SOURCE_LANGUAGE:
        return french
    return f"{french} ({text})" if is_franchise else text


@dataclass(frozen=True, slots=True)
class SheetItem:
    name: str
    quantity: int
    price: Decimal


@dataclass(frozen=True, slots=True)
class InvoiceSheet:
    """An order's invoice as staff edit it: issued, or still a draft (no number, no date, no address of a PDF)."""

    number: str | None
    version: int
    invoice_reference: str
    issued_on: str | None
    due_on: str | None
    customer_name: str
    customer_email: str
    customer_address: str
    customer_number: str
    items: list[SheetItem]
    subtotal: Decimal
    shipping: Decimal
    total: Decimal
    notes: str
    url: str | None


def invoice_sheet(order_id: uuid.UUID) -> InvoiceSheet | None:
    """Return the sheet of an order; None when there is no such order. Four queries."""
    order = Order.objects.filter(pk=order_id).first()
    if order is None:
        return None
    invoice = find_document(order_id)
    draft = InvoiceDraft.objects.filter(order=order).first() or InvoiceDraft()
    issued = invoice.data if invoice is not None else None
    calendar = issued["payment"]["calendar"] if issued else []
    customer: dict[str, Any] = (
        issued["customer"] if issued else {"name": "", "address_lines": _address_of(order, draft)}
    )
    return InvoiceSheet(
        number=invoice.number if invoice is not None else None,
        version=invoice.version if invoice is not None else 1,
        invoice_reference=f"INV-{order.reference}",
        issued_on=issued["issued_on"] if issued else None,
        due_on=calendar[-1]["due_on"] if calendar else None,
        customer_name=customer["name"] or draft.customer_name or billing_address(order).name,
        customer_email=order.email,
        customer_address="\n".join(customer["address_lines"]),
        customer_number=_number_of(customer)
        if issued
        else draft.customer_number or order.billing_company_number,
        items=[SheetItem(item.product_name, item.quantity, item.unit_price) for item in order.items.all()],
        subtotal=order.subtotal,
        shipping=order.shipping_cost,
        total=order.total,
        notes=issued["notes"] if issued else draft.notes,
        url=reverse("api-admin-order-invoice-pdf", args=[order.pk]) if invoice is not None else None,
    )


def _number_of(customer: dict[str, Any]) -> str:
    """Documents from before companies' numbers have none."""
    return str(customer.get("vat_id") or customer.get("siret") or customer.get("siren") or "")


def _address_of(order: Order, draft: InvoiceDraft) -> list[str]:
    return draft.customer_address.splitlines() or billing_address(order).lines


def is_taxed_at_destination(order: Order) -> bool:
    """Return whether an invoice of the order bears the VAT of the country it goes to. One query."""
    return Invoice.objects.filter(order=order, data__tax__treatment=Treatment.DESTINATION.value).exists()
