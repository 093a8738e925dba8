"""The receipts book (livre des recettes, art. 50-0 CGI), and how accounts are written as CSV.

The book is money in the order in which it came and went: each installment, refund and dispute is a line, on the civil
day where the shop is on which the money moved. It is a French document, in French whatever the language of the
operator. A movement that the shop learnt of after the end of its month is a line of that month all the same, and says
when it was written: a copy made before does not have it.

Files open in French spreadsheets: UTF-8 with its mark,
semicolons, decimal commas, days as 31/12/2026.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from uuid import UUID

from django.db.models import Prefetch, Q, QuerySet
from django.http import StreamingHttpResponse

from orders.books.days import Period
from orders.invoices.tax import share_by_rate, tax_rates
from orders.models import (
    Invoice,
    InvoiceKind,
    LedgerEntry,
    LedgerKind,
    Order,
    Refund,
    RefundReason,
    RefundState,
)
from orders.models.payment import TRANSFER_MOVEMENT
from orders.pricing.territories import Place, Territory, VatPosition
from orders.pricing.vat import RateShare, Treatment, split_vat
from orders.selectors.company_numbers import is_business
from orders.selectors.destinations import place_of
from orders.selectors.territories import load_territories
from shop.core.dates import shop_day
from shop.core.money import ZERO, quantize

BYTE_ORDER_MARK = "\ufeff"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")

Cell = str | Decimal | int | date | None


class _Line:
    """A file of one line, for the csv writer to write into."""

    def write(self, text: str) -> str:
        return text


def csv_lines(header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Iterator[bytes]:
    """Yield the file line by line. Text that a spreadsheet would take for a formula is led by an apostrophe."""
    writer = csv.writer(_Line(), delimiter=";", lineterminator="\r\n")
    yield (BYTE_ORDER_MARK + str(writer.writerow([_text(cell) for cell in header]))).encode()
    for row in rows:
        yield str(writer.writerow([_text(cell) for cell in row])).encode()


def csv_response(name: str, header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> StreamingHttpResponse:
    """Return a download that is written while it is read."""
    response = StreamingHttpResponse(csv_lines(header, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response["Cache-Control"] = "no-store"
    return response


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return f"{quantize(cell):f}".replace(".", ",")
    if isinstance(cell, date):
        return f"{cell:%d/%m/%Y}"
    if isinstance(cell, int):
        return str(cell)
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


CHUNK = 500
CARD = "Carte bancaire (Stripe)"
TRANSFER = "Virement"
_NATURES = {
    LedgerKind.CHARGE: "Vente de marchandises",
    LedgerKind.REFUND: "Remboursement",
    LedgerKind.REFUND_FAILED: "Remboursement rejeté",
    LedgerKind.DISPUTE: "Reprise par la banque (litige)",
    LedgerKind.DISPUTE_WON: "Litige gagné",
}
RECEIPTS_HEADER = (
    "Date",
    "Pièce justificative",
    "Commande",
    "Client",
    "Nature",
    "Pays",
    "Mode de règlement",
    "Montant (€)",
    "Mouvement",
    "Inscrit après la fin du mois, le",
)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A line of the book. `amount` is signed, in euros; `document` is empty while none was issued.

    `treatment` and `rates` say how it is taxed: as its credit note or else its invoice is, no VAT without one.
    `is_business`: the customer is a business. `written_on` is the day on which the line was written, for one that was
    written after the end of its month.
    """

    day: date
    document: str
    order_id: UUID
    order_reference: str
    client: str
    nature: str
    country: str
    method: str
    amount: Decimal
    movement: str
    is_charge: bool
    treatment: str
    rates: tuple[RateShare, ...]
    is_business: bool = False
    written_on: date | None = None

    @property
    def shares(self) -> tuple[RateShare, ...]:
        """The amount by rate, with the VAT in it."""
        amounts = share_by_rate(self.amount, self.rates)
        return tuple(
            split_vat(amount, rate.percent) for amount, rate in zip(amounts, self.rates, strict=True)
        )

    @property
    def cells(self) -> tuple[Cell, ...]:
        return (
            self.day,
            self.document,
            self.order_reference,
            self.client,
            self.nature,
            self.country,
            self.method,
            self.amount,
            self.movement,
            self.written_on,
        )


def receipts(period: Period) -> Iterator[Receipt]:
    """Yield the lines of some days, in their order. One query, and three for each 500 lines."""
    yield from receipts_of(_between(period))


def receipts_of(movements: QuerySet[LedgerEntry], known_at: datetime | None = None) -> Iterator[Receipt]:
    """Yield the lines of some movements; with `known_at` by the documents of then. As many queries as `receipts`."""
    territories = load_territories()
    for entry in _with_documents(movements, known_at).iterator(chunk_size=CHUNK):
        yield _receipt(entry, territories)


def receipts_page(period: Period, *, offset: int, limit: int) -> list[Receipt]:
    """Return a part of those lines. Four queries."""
    territories = load_territories()
    return [
        _receipt(entry, territories) for entry in _with_documents(_between(period))[offset : offset + limit]
    ]


def count_receipts(period: Period) -> int:
    """Return how many lines there are. One query."""
    return _between(period).count()


def _between(period: Period) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(period.holds("occurred_at"))


def _with_documents(
    movements: QuerySet[LedgerEntry], known_at: datetime | None = None
) -> QuerySet[LedgerEntry]:
    known = Q() if known_at is None else Q(issued_at__lte=known_at)
    invoices = (
        Invoice.objects.filter(known)
        .only("order_id", "kind", "number", "version", "country", "refund_request_id", "data")
        .order_by("version")
    )
    refunds = Refund.objects.only(
        "order_id", "attempt_id", "provider_id", "request_id", "method", "reason", "state"
    )
    return (
        movements.select_related("order", "payment")
        .prefetch_related(
            Prefetch("order__invoices", invoices),
            Prefetch("order__refunds", refunds),
        )
        .order_by("occurred_at", "pk")
    )


def _receipt(entry: LedgerEntry, territories: tuple[Territory, ...]) -> Receipt:
    order = entry.order
    place = place_of(order, territories)
    kind = LedgerKind(entry.kind)
    # The first version: the book must read the same after an invoice was rectified.
    invoice = next((row for row in order.invoices.all() if row.kind == InvoiceKind.INVOICE), None)
    document = _credit_note(order, entry) if kind in (LedgerKind.REFUND, LedgerKind.REFUND_FAILED) else None
    nature = _NATURES[kind]
    if entry.payment.count > 1 and kind == LedgerKind.CHARGE:
        nature += f" – échéance {entry.payment.position}/{entry.payment.count}"
    document = document or invoice
    tax = document.data.get("tax", {}) if document is not None else {}
    return Receipt(
        day=shop_day(entry.occurred_at),
        document=document.number if document is not None else "",
        order_id=order.pk,
        order_reference=order.reference,
        client=order.customer_name,
        nature=nature,
        country=invoice.country if invoice is not None else place.country,
        method=TRANSFER if entry.provider_id.startswith(TRANSFER_MOVEMENT) else CARD,
        amount=entry.amount,
        movement=entry.provider_id,
        is_charge=kind == LedgerKind.CHARGE,
        treatment=str(tax.get("treatment") or _treatment_without_invoice(place)),
        rates=tuple(tax_rates(tax)) if tax else (NO_VAT,),
        is_business=invoice is not None and is_business(invoice.data["customer"]),
        written_on=_written_late(entry),
    )


NO_VAT = RateShare(ZERO, ZERO, ZERO)


def _written_late(entry: LedgerEntry) -> date | None:
    moved, written = shop_day(entry.occurred_at), shop_day(entry.created_at)
    return written if (written.year, written.month) > (moved.year, moved.month) else None


def _treatment_without_invoice(place: Place) -> Treatment:
    return Treatment.EXPORT if place.vat == VatPosition.OUTSIDE else Treatment.FRANCHISE


def _credit_note(order: Order, entry: LedgerEntry) -> Invoice | None:
    """The credit note of the decision that a refund belongs to; there is none until all its money is back. One made
    outside the shop that has no decision counts for those whose own refund of that charge failed: the first note."""
    refunds = order.refunds.all()
    moved = next((refund for refund in refunds if refund.movement == entry.provider_id), None)
    if moved is None:
        return None
    decided = {moved.request_id}
    if moved.request_id is None and moved.reason == RefundReason.EXTERNAL:
        decided = {
            refund.request_id
            for refund in refunds
            if refund.attempt_id == moved.attempt_id and refund.state == RefundState.FAILED
        }
    notes = (row for row in order.invoices.all() if row.refund_request_id in decided - {None})
    return min(notes, key=attrgetter("pk"), default=None)
