"""The series has no gap, the chain no broken link, and every document is the one that was made."""

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils.translation import gettext as _

from orders.books.audit.faults import Fault
from orders.invoices.series import chain_hash
from orders.models import Invoice, InvoiceDocument, InvoiceKind, InvoiceSeries
from shop.core.dates import shop_day
from shop.core.money import ZERO

CHUNK = 500
DOCUMENT_WITHIN = timedelta(hours=1)


def check_series() -> Iterator[Fault]:
    """Numbers 1, 2, 3 … of each year in the order of issue, each linked to the one before. Two queries."""
    series = {row.year: row for row in InvoiceSeries.objects.all()}
    expected: dict[int, int] = {}
    previous: dict[int, tuple[str, datetime]] = {}
    for invoice in Invoice.objects.order_by("year", "sequence").iterator(chunk_size=CHUNK):
        year, wanted = invoice.year, expected.get(invoice.year, 0) + 1
        if invoice.sequence != wanted:
            yield Fault(
                "gap",
                f"F-{year}-{wanted:05d}",
                _("manque, le suivant est %(next)s") % {"next": invoice.number},
            )
        expected[year] = invoice.sequence
        before, issued = previous.get(year, ("", invoice.issued_at))
        if invoice.previous_hash != before:
            yield Fault("chain", invoice.number, _("n'est pas lié au document précédent"))
        yield from _own_faults(invoice)
        if invoice.issued_at < issued:
            yield Fault("chronology", invoice.number, _("a été émis avant le document du numéro précédent"))
        previous[year] = (invoice.hash, invoice.issued_at)
    for year in sorted({*series, *expected}):
        row = series.get(year)
        last_hash = previous[year][0] if year in previous else ""
        if row is None or (row.last_number, row.last_hash) != (expected.get(year, 0), last_hash):
            yield Fault("series", str(year), _("le compteur n'est pas au dernier document"))


def _own_faults(invoice: Invoice) -> Iterator[Fault]:
    """What a single document says about itself."""
    number = f"F-{invoice.year}-{invoice.sequence:05d}"
    if invoice.number != number or invoice.data["number"] != invoice.number:
        yield Fault("number", invoice.number, _("devrait être %(number)s") % {"number": number})
    if (
        chain_hash(number=invoice.number, data=invoice.data, previous_hash=invoice.previous_hash)
        != invoice.hash
    ):
        yield Fault("hash", invoice.number, _("son contenu n'est pas celui qui a été émis"))
    if shop_day(invoice.issued_at).year != invoice.year:
        yield Fault("year", invoice.number, _("a été émis une autre année"))
    yield from _arithmetic(invoice)


def _arithmetic(invoice: Invoice) -> Iterator[Fault]:
    """Lines, delivery, tax and total of the printed content, and the row's own columns."""
    data = invoice.data
    total, tax = Decimal(data["total"]), data["tax"]
    lines = sum((Decimal(line["total"]) for line in data["lines"]), ZERO)
    sign = -1 if invoice.kind == InvoiceKind.CREDIT_NOTE else 1
    parts = lines + Decimal(data["shipping"])
    taxed = Decimal(tax["net"]) + Decimal(tax["vat"])
    if parts != total:
        yield Fault(
            "lines",
            invoice.number,
            _("lignes et livraison font %(found)s et non %(wanted)s") % {"found": parts, "wanted": total},
        )
    if taxed != total:
        yield Fault(
            "tax",
            invoice.number,
            _("base et TVA font %(found)s et non %(wanted)s") % {"found": taxed, "wanted": total},
        )
    if (invoice.total, invoice.vat) != (sign * total, sign * Decimal(tax["vat"])):
        yield Fault(
            "total",
            invoice.number,
            _("la ligne dit %(found)s, le document %(wanted)s")
            % {"found": invoice.total, "wanted": sign * total},
        )


def check_documents(now: datetime) -> Iterator[Fault]:
    """Every PDF is there an hour after the issue, and its bytes are those that were stored. Two queries."""
    for number in Invoice.objects.filter(document=None, issued_at__lt=now - DOCUMENT_WITHIN).values_list(
        "number", flat=True
    ):
        yield Fault("document", number, _("n'a pas de PDF"))
    stored = InvoiceDocument.objects.order_by("pk").values_list("invoice__number", "pdf", "sha256")
    for number, pdf, digest in stored.iterator(chunk_size=20):
        if hashlib.sha256(bytes(pdf)).hexdigest() != digest:
            yield Fault("document", number, _("son PDF n'est pas celui qui a été conservé"))
