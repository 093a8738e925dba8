"""The quarterly VAT return of the Union's one-stop shop (OSS), by country and rate, from issued documents.

A document counts in the quarter of its issue. A credit note of a sale of the same quarter lowers it; one of an earlier
quarter is no sale: it stands in the section of corrections, with the country and the quarter that it corrects
(Regulation (EU) 282/2011, art. 61; Implementing Regulation (EU) 2020/194, annex III). An invoice that was issued anew
is the same sale: neither it nor the credit note that took the first one back is counted, and what is credited later
corrects the quarter of the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from django.db.models import Q, Subquery

from orders.books.days import Period, month, quarter
from orders.books.turnover import first_day
from orders.invoices.tax import tax_rates
from orders.models import FiledReturn, Invoice, InvoiceKind, ReturnKind
from orders.pricing.vat import Treatment
from orders.selectors.invoices import first_invoices
from shop.core.dates import shop_day
from shop.core.models import ShopSettings
from shop.core.money import ZERO

_FORM_CODES = {"GR": "EL", "GB": "XI"}
"""Where the form's code of a country is not that of ISO 3166-1: Greece, and Northern Ireland."""


@dataclass(slots=True)
class OssLine:
    """Sales to a country at a rate, less what was credited of them in the same quarter; euros."""

    country: str
    percent: Decimal
    net: Decimal = ZERO
    vat: Decimal = ZERO

    @property
    def form_country(self) -> str:
        return _FORM_CODES.get(self.country, self.country)


@dataclass(slots=True)
class OssCorrection:
    """VAT of an earlier quarter (`2026-T3`) that credit notes of this one take back: a negative amount."""

    period: str
    country: str
    vat: Decimal = ZERO

    @property
    def form_country(self) -> str:
        return _FORM_CODES.get(self.country, self.country)


@dataclass(slots=True)
class OssReturn:
    """What is declared for a quarter, and the last day to do so."""

    period: str
    due_on: date
    lines: list[OssLine] = field(default_factory=list)
    corrections: list[OssCorrection] = field(default_factory=list)

    @property
    def net(self) -> Decimal:
        return sum((line.net for line in self.lines), ZERO)

    @property
    def vat(self) -> Decimal:
        """VAT of the quarter's own sales."""
        return sum((line.vat for line in self.lines), ZERO)

    @property
    def corrected(self) -> Decimal:
        return sum((line.vat for line in self.corrections), ZERO)

    @property
    def to_pay(self) -> Decimal:
        """What is paid with the return; what is below zero is given back by the countries."""
        return self.vat + self.corrected


def oss_return(number: int, of_year: int) -> OssReturn:
    """Return the return of quarter `number` (1 to 4). One query."""
    period = quarter(number, of_year)
    lines: dict[tuple[str, Decimal], OssLine] = {}
    corrections: dict[tuple[str, str], OssCorrection] = {}
    for document, sold_at in _documents(period):
        if sold_at < period.start:
            key = (quarter_name(shop_day(sold_at)), document.country)
            corrections.setdefault(key, OssCorrection(*key)).vat += document.vat
            continue
        for rate in tax_rates(document.data["tax"]):
            line = lines.setdefault((document.country, rate.percent), OssLine(document.country, rate.percent))
            line.net += document.sign * rate.net
            line.vat += document.sign * rate.vat
    return OssReturn(
        quarter_name(period.first),
        due_on(period),
        [lines[key] for key in sorted(lines)],
        [corrections[key] for key in sorted(corrections)],
    )


def _documents(period: Period) -> Iterator[tuple[Invoice, datetime]]:
    """Yield the quarter's documents, each with the moment of its sale: that of the order's first invoice."""
    own = Q(kind=InvoiceKind.INVOICE, version=1) | Q(
        kind=InvoiceKind.CREDIT_NOTE, refund_request__isnull=False
    )
    rows = (
        Invoice.objects.filter(own, period.holds("issued_at"))
        .filter(data__tax__treatment=Treatment.DESTINATION.value)
        .only("kind", "country", "vat", "data")
        .annotate(sold_at=Subquery(first_invoices().values("issued_at")))
        .order_by("pk")
    )
    return ((row, row.sold_at) for row in rows.iterator(chunk_size=500))


def due_on(period: Period) -> date:
    """Return the last day to declare and pay a month or quarter: the end of the month after it. It does not move with
    Sundays and holidays (Regulation (EU) 282/2011, art. 60a; R613-8 Code de la sécurité sociale)."""
    following = period.end.date()
    return month(following.month, following.year).last


def quarter_name(day: date) -> str:
    """Return `2026-T4`."""
    return f"{day.year}-T{(day.month + 2) // 3}"


def last_quarter(today: date) -> tuple[int, int]:
    """Return the quarter that ended last, (number, year)."""
    number = (today.month + 2) // 3 - 1
    return (number, today.year) if number else (4, today.year - 1)


def quarters_to_declare(today: date) -> list[Period]:
    """Return the quarters that ended, in which the seller was registered and of which nobody noted the return as filed,
    oldest first, from the one in which money first moved; a nil return is due too. No query for who is not registered
    by the settings, else two."""
    shop, last = ShopSettings.load(), quarter(*last_quarter(today))
    if not shop.is_oss_registered(last.last):
        return []
    first = max(min(first_day() or last.first, last.first), shop.oss_from or date.min)
    ended = [
        quarter(number, of_year)
        for of_year in range(first.year, last.last.year + 1)
        for number in range(1, 5)
    ]
    return unfiled_of(ReturnKind.OSS, [period for period in ended if first <= period.last <= last.last])


def unfiled_of(kind: ReturnKind, periods: Sequence[Period]) -> list[Period]:
    """Return those of which nobody noted the return as filed, by month or by quarter: what was filed stays so when the
    settings change from one to the other. One query, none for none."""
    if not periods:
        return []
    filed = set(FiledReturn.objects.filter(kind=kind).values_list("period", flat=True))
    return [row for row in periods if filed.isdisjoint((f"{row.last:%Y-%m}", quarter_name(row.last)))]


def is_filed(kind: ReturnKind, period: str) -> bool:
    """Return whether somebody noted this return as filed. One query."""
    return FiledReturn.objects.filter(kind=kind, period=period).exists()


OSS_HEADER = ("Section", "Période", "Pays de consommation", "Taux (%)", "Base hors TVA (€)", "TVA (€)")


def oss_cells(found: OssReturn) -> Iterator[tuple[str | Decimal, ...]]:
    """Yield the return's rows for a file: sales, corrections, total."""
    for line in found.lines:
        yield ("Ventes", found.period, line.form_country, line.percent, line.net, line.vat)
    for correction in found.corrections:
        yield ("Corrections", correction.period, correction.form_country, "", "", correction.vat)
    yield ("Total", found.period, "", "", found.net, found.to_pay)
