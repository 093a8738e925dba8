"""Checks of the documents in the books: their series, their own figures, and that each order has its own."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum
from django.utils.translation import gettext as _

from orders.invoices.series import chain_hash
from orders.invoices.tax import tax_rates
from orders.models import (
    Contract,
    ContractDocument,
    Invoice,
    InvoiceDocument,
    InvoiceGap,
    InvoiceSeries,
    LedgerEntry,
    PurgedYear,
)
from shop.core.clocks import is_misdated
from shop.core.dates import shop_day
from shop.core.money import ZERO, quantize


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it must be. `check` is a stable English word, `subject` a number or reference, `detail`
    a sentence in the active language."""

    check: str
    subject: str
    detail: str


CHUNK = 500
DOCUMENT_WITHIN = timedelta(hours=1)


def check_series() -> Iterator[Fault]:
    """Numbers 1, 2, 3 … of each year in the order of issue, each linked to the one before. Four queries.

    Of a purged year some documents may be left: `check_purged_years` counts them. Numbers that were lost before a
    backup was brought back are recorded as `InvoiceGap`.
    """
    series = {row.year: row for row in InvoiceSeries.objects.all()}
    purged = {row.year: row for row in PurgedYear.objects.all()}
    lost = {(row.year, row.first_number): row.last_number for row in InvoiceGap.objects.all()}
    expected: dict[int, int] = {}
    previous: dict[int, tuple[str, datetime]] = {}
    for invoice in Invoice.objects.order_by("year", "sequence").iterator(chunk_size=CHUNK):
        year = invoice.year
        wanted = _after_lost(lost, year, expected.get(year, 0)) + 1
        follows = invoice.sequence == wanted
        if not follows and year not in purged:
            yield Fault(
                "gap",
                f"F-{year}-{wanted:05d}",
                _("manque, le suivant est %(next)s") % {"next": invoice.number},
            )
        expected[year] = invoice.sequence
        before, issued = previous.get(year, ("", invoice.issued_at))
        if invoice.previous_hash != before and (follows or year not in purged):
            yield Fault("chain", invoice.number, _("n'est pas lié au document précédent"))
        yield from _own_faults(invoice)
        if invoice.issued_at < issued:
            yield Fault("chronology", invoice.number, _("a été émis avant le document du numéro précédent"))
        previous[year] = (invoice.hash, invoice.issued_at)
    for year in sorted({*series, *expected}):
        row, end = series.get(year), purged.get(year)
        last_hash = previous[year][0] if year in previous else ""
        wanted_end = (_after_lost(lost, year, expected.get(year, 0)), last_hash)
        if end is not None and wanted_end[0] != end.last_number:
            wanted_end = (end.last_number, end.last_hash)
        if row is None or (row.last_number, row.last_hash) != wanted_end:
            yield Fault("series", str(year), _("le compteur n'est pas au dernier document"))


def _after_lost(lost: Mapping[tuple[int, int], int], year: int, number: int) -> int:
    """The number after which the series goes on: itself, or the last of those that were lost behind it."""
    while (year, number + 1) in lost:
        number = lost[year, number + 1]
    return number


def check_purged_years() -> Iterator[Fault]:
    """What went with the purged years and what is left of them is all that they held. Three queries, none without such
    years but the first."""
    years = list(PurgedYear.objects.order_by("year"))
    if not years:
        return
    documents = Invoice.objects.filter(year__lte=years[-1].year)
    movements = LedgerEntry.objects.filter(occurred_at__lt=years[-1].ends_at)
    for rows, column, issued, gone in (
        (
            documents,
            "total",
            [(row.last_number, row.total) for row in years],
            [(row.purged_documents, row.purged_total) for row in years],
        ),
        (
            movements,
            "amount",
            [(row.movements, row.moved) for row in years],
            [(row.purged_movements, row.purged_moved) for row in years],
        ),
    ):
        left = rows.order_by().aggregate(count=Count("pk"), sum=Sum(column))
        found = (
            sum(count for count, _amount in gone) + left["count"],
            sum((amount for _count, amount in gone), ZERO) + quantize(left["sum"] or ZERO),
        )
        wanted = (sum(count for count, _amount in issued), sum((amount for _count, amount in issued), ZERO))
        if found != wanted:
            yield Fault(
                "purged year",
                str(years[-1].year),
                _("jusque-là %(found)s (%(amount)s) et non %(wanted)s (%(wanted_amount)s)")
                % {
                    "found": found[0],
                    "amount": found[1],
                    "wanted": wanted[0],
                    "wanted_amount": wanted[1],
                },
            )


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
    if invoice.country != invoice.data["delivery"]["country"]:
        yield Fault(
            "country",
            invoice.number,
            _("la ligne dit %(found)s, le document %(wanted)s")
            % {"found": invoice.country, "wanted": invoice.data["delivery"]["country"]},
        )
    if shop_day(invoice.issued_at).year != invoice.year:
        yield Fault("year", invoice.number, _("a été émis une autre année"))
    yield from _arithmetic(invoice)


def _arithmetic(invoice: Invoice) -> Iterator[Fault]:
    """Lines, delivery, tax and total of the printed content, and the row's own columns."""
    data = invoice.data
    total, tax = Decimal(data["total"]), data["tax"]
    lines = sum((Decimal(line["total"]) for line in data["lines"]), ZERO)
    parts = lines + Decimal(data["shipping"])
    net, vat = Decimal(tax["net"]), Decimal(tax["vat"])
    taxed = net + vat
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
    elif not _fits_rates(tax, net, vat):
        yield Fault("tax", invoice.number, _("ses lignes ou ses taux ne font pas sa base et sa TVA"))
    if (invoice.total, invoice.vat) != (invoice.sign * total, invoice.sign * vat):
        yield Fault(
            "total",
            invoice.number,
            _("la ligne dit %(found)s, le document %(wanted)s")
            % {"found": invoice.total, "wanted": invoice.sign * total},
        )


def _fits_rates(tax: dict[str, Any], net: Decimal, vat: Decimal) -> bool:
    """Whether the rates add up to net and VAT, and the nets of lines and delivery, as entries have them, to the net."""
    rates = tax_rates(tax)
    if (sum(rate.net for rate in rates), sum(rate.vat for rate in rates)) != (net, vat):
        return False
    nets = map(Decimal, tax.get("line_nets", ()))
    return "line_nets" not in tax or sum(nets, Decimal(tax["shipping_net"])) == net


def check_documents(now: datetime) -> Iterator[Fault]:
    """Every PDF is there an hour after the issue, and its bytes are those that were stored. Four queries."""
    invoices = Invoice.objects.filter(_should_have_pdf("issued_at", now), document=None)
    for number in invoices.values_list("number", flat=True):
        yield Fault("document", number, _("n'a pas de PDF"))
    stored = InvoiceDocument.objects.order_by("pk").values_list("invoice__number", "pdf", "sha256")
    agreed = Contract.objects.filter(_should_have_pdf("created_at", now), document=None)
    for reference in agreed.values_list("order__reference", flat=True):
        yield Fault("contract", reference, _("n'a pas de PDF"))
    contracts = ContractDocument.objects.order_by("pk").values_list(
        "contract__order__reference", "pdf", "sha256"
    )
    for reference, pdf, digest in contracts.iterator(chunk_size=20):
        if hashlib.sha256(bytes(pdf)).hexdigest() != digest:
            yield Fault("contract", reference, _("son PDF n'est pas celui qui a été conservé"))
    for number, pdf, digest in stored.iterator(chunk_size=20):
        if hashlib.sha256(bytes(pdf)).hexdigest() != digest:
            yield Fault("document", number, _("son PDF n'est pas celui qui a été conservé"))


def _should_have_pdf(field: str, now: datetime) -> Q:
    """Also what a clock that was ahead dated: it would be missed at that date only."""
    return Q((f"{field}__lt", now - DOCUMENT_WITHIN)) | is_misdated(field, now)
