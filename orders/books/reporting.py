"""What is reported of sales to consumers to the tax administration (e-reporting), by both readings of the law.

Goods are reported when they are invoiced (données de transaction, art. 290 CGI), services when they are paid (données
de paiement, art. 290 A CGI): a shop that sells goods reports the first, and its accountant says whether the second is
wanted. Sales to businesses are invoiced electronically instead (art. 289 bis CGI): they are a list of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from django.utils.dates import MONTHS

from orders.books.days import Period, month
from orders.books.receipts import Cell, Receipt, receipts
from orders.invoices.tax import tax_rates
from orders.models import Invoice
from orders.pricing.vat import RateShare, Treatment
from orders.selectors.company_numbers import is_business
from shop.core.dates import day_in_words, shop_day
from shop.core.money import ZERO

REPORT_HEADER = (
    "Période",
    "Pays",
    "Régime de TVA",
    "Taux (%)",
    "Ventes",
    "Remboursements",
    "Base hors TVA (€)",
    "TVA (€)",
    "Total (€)",
)
_TREATMENTS = {
    Treatment.FRANCHISE: "Franchise (art. 293 B du CGI)",
    Treatment.DOMESTIC: "TVA française",
    Treatment.DESTINATION: "Destination (art. 258 A du CGI)",
    Treatment.EXPORT: "Exportation (art. 262 I du CGI)",
}


class Reading(StrEnum):
    """Which facts are added up, by the law that names them."""

    TRANSACTIONS = "transactions"
    PAYMENTS = "paiements"

    @property
    def label(self) -> str:
        if self is Reading.TRANSACTIONS:
            return "Données de transaction, à la date de facturation (art. 290 du CGI)"
        return "Données de paiement, à la date d'encaissement (art. 290 A du CGI)"

    @property
    def note(self) -> str:
        """Whom it is for, and who says so."""
        if self is Reading.TRANSACTIONS:
            return "Pour les ventes de biens\u00a0: c'est la lecture de cette boutique."
        return (
            "Pour les prestations de services, dont la TVA est due à l'encaissement\u00a0: à faire confirmer par votre "
            "comptable avant de la transmettre."
        )


class Step(StrEnum):
    """What one line of the report covers."""

    DAY = "jour"
    TEN_DAYS = "decade"
    MONTH = "mois"
    TWO_MONTHS = "bimestre"
    QUARTER = "trimestre"


@dataclass(slots=True)
class ReportLine:
    """Sales of one step, country and rate, counted by `charges` and `returns`; euros, net of returns."""

    step: str
    country: str
    treatment: str
    percent: Decimal
    charges: int = 0
    returns: int = 0
    net: Decimal = ZERO
    vat: Decimal = ZERO

    @property
    def total(self) -> Decimal:
        return self.net + self.vat

    @property
    def step_label(self) -> str:
        """The step, in words where its name is a code: « novembre et décembre 2026 », « du 21 au 30 novembre 2026 »."""
        head, sign, number = self.step.rpartition("-")[0], self.step[-2], int(self.step[-1])
        if sign == "B":
            return f"{MONTHS[2 * number - 1]} et {MONTHS[2 * number]} {head}"
        if sign == "D":
            last = month(int(head[5:]), int(head[:4])).last
            if number < 3:
                last = last.replace(day=10 * number)
            return f"du {('1er', '11', '21')[number - 1]} au {day_in_words(last)}"
        return self.step

    @property
    def treatment_label(self) -> str:
        return _TREATMENTS[Treatment(self.treatment)]

    @property
    def cells(self) -> tuple[Cell, ...]:
        return (
            self.step_label,
            self.country,
            self.treatment_label,
            self.percent,
            self.charges,
            self.returns,
            self.net,
            self.vat,
            self.total,
        )


@dataclass(frozen=True, slots=True)
class Sale:
    """A fact that is added up: a movement of money, or a document. Shares are negative for what was given back.

    It is one of the `charges` or one of the `returns`; of neither where a refund was rejected or a dispute won.
    """

    day: date
    country: str
    treatment: str
    shares: tuple[RateShare, ...]
    charges: int
    returns: int


def report(period: Period, step: Step, reading: Reading = Reading.TRANSACTIONS) -> list[ReportLine]:
    """Return what is reported of consumers, in the order of time, country and rate. One query by documents, as many as
    `receipts` makes by payments."""
    if reading is Reading.PAYMENTS:
        return summarise((_paid(receipt) for receipt in receipts(period) if not receipt.is_business), step)
    documents = (document for document in _documents(period) if not is_business(document.data["customer"]))
    return summarise(map(_issued, documents), step)


def _paid(receipt: Receipt) -> Sale:
    """VAT is taken out of each movement, so that parts of a period add up to the whole."""
    counts = int(receipt.is_charge), int(receipt.amount < 0)
    return Sale(receipt.day, receipt.country, receipt.treatment, receipt.shares, *counts)


def _issued(document: Invoice) -> Sale:
    tax = document.data["tax"]
    sign = document.sign
    shares = tuple(RateShare(rate.percent, sign * rate.net, sign * rate.vat) for rate in tax_rates(tax))
    counts = int(sign > 0), int(sign < 0)
    return Sale(shop_day(document.issued_at), document.country, tax["treatment"], shares, *counts)


def _documents(period: Period) -> Iterator[Invoice]:
    rows = Invoice.objects.filter(period.holds("issued_at"))
    return rows.order_by("issued_at", "pk").iterator(chunk_size=500)


def summarise(sales: Iterable[Sale], step: Step) -> list[ReportLine]:
    """Add sales up. One at several rates counts at each of them."""
    lines: dict[tuple[str, str, str, Decimal], ReportLine] = {}
    for sale in sales:
        for share in sale.shares:
            key = (step_name(sale.day, step), sale.country, sale.treatment, share.percent)
            line = lines.setdefault(key, ReportLine(*key))
            line.net += share.net
            line.vat += share.vat
            line.charges += sale.charges
            line.returns += sale.returns
    return [lines[key] for key in sorted(lines)]


_MONTHS_OF_STEP = {Step.TWO_MONTHS: 2, Step.QUARTER: 3}


def whole_steps(period: Period, step: Step) -> Period:
    """Return the days of every step that one of `period` is in: a line holds all that its name says. Periods are whole
    months."""
    size = _MONTHS_OF_STEP.get(step, 1)
    first, last = period.first, period.last
    return Period(
        month(first.month - (first.month - 1) % size, first.year).first,
        month(last.month + -last.month % size, last.year).last,
    )


def step_name(day: date, step: Step) -> str:
    """Return `2026-11-21`, `2026-11-D3`, `2026-11`, `2026-B6` or `2026-T4`."""
    if step is Step.DAY:
        return day.isoformat()
    if step is Step.TEN_DAYS:
        return f"{day:%Y-%m}-D{min(3, (day.day - 1) // 10 + 1)}"
    if step is Step.MONTH:
        return f"{day:%Y-%m}"
    if step is Step.TWO_MONTHS:
        return f"{day.year}-B{(day.month + 1) // 2}"
    return f"{day.year}-T{(day.month + 2) // 3}"


BUSINESS_HEADER = (
    "Date",
    "Document",
    "Client",
    "SIREN",
    "N° de TVA",
    "Pays",
    "Base hors TVA (€)",
    "TVA (€)",
    "Total (€)",
)


@dataclass(frozen=True, slots=True)
class BusinessSale:
    """A document for a business, which is no part of the report. Negative amounts for a credit note."""

    day: date
    number: str
    client: str
    siren: str
    vat_number: str
    country: str
    total: Decimal
    vat: Decimal

    @property
    def cells(self) -> tuple[Cell, ...]:
        net = self.total - self.vat
        names = (self.client, self.siren, self.vat_number, self.country)
        return (self.day, self.number, *names, net, self.vat, self.total)


def business_sales(period: Period) -> list[BusinessSale]:
    """Return the documents for businesses of some days. One query."""
    return [
        BusinessSale(
            shop_day(document.issued_at),
            document.number,
            document.data["customer"]["name"],
            document.data["customer"].get("siren", ""),
            document.data["customer"].get("vat_id", ""),
            document.country,
            document.total,
            document.vat,
        )
        for document in _documents(period)
        if is_business(document.data["customer"])
    ]
