"""What is reported of sales to consumers (art. 290 CGI): collected amounts by period, country and VAT rate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from orders.books.csv_files import Cell
from orders.books.days import Period
from orders.books.receipts import Receipt, receipts
from orders.pricing.vat import Treatment, split_vat
from shop.core.money import ZERO

HEADER = (
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
    Treatment.DESTINATION: "Destination (art. 258 A du CGI)",
    Treatment.EXPORT: "Exportation (art. 262 I du CGI)",
}


class Step(StrEnum):
    """What one line of the report covers."""

    DAY = "jour"
    MONTH = "mois"
    QUARTER = "trimestre"


@dataclass(slots=True)
class ReportLine:
    """Movements of one step, country and rate, counted by `charges` and `returns`; euros, net of returns."""

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
    def cells(self) -> tuple[Cell, ...]:
        return (
            self.step,
            self.country,
            _TREATMENTS.get(Treatment(self.treatment), self.treatment),
            self.percent,
            self.charges,
            self.returns,
            self.net,
            self.vat,
            self.total,
        )


def report(period: Period, step: Step) -> list[ReportLine]:
    """The lines of a period in the order of time, country and rate. Queries as many as `receipts` makes."""
    return summarise(receipts(period), step)


def summarise(movements: Iterable[Receipt], step: Step) -> list[ReportLine]:
    """Adds movements up. VAT is taken out of each movement, so that parts of a period add up to the whole."""
    lines: dict[tuple[str, str, str, Decimal], ReportLine] = {}
    for movement in movements:
        key = (step_name(movement.day, step), movement.country, movement.treatment, movement.percent)
        line = lines.setdefault(key, ReportLine(*key))
        if movement.percent:
            tax = split_vat(movement.amount, movement.percent)
            line.net += tax.net
            line.vat += tax.vat
        else:
            line.net += movement.amount
        if movement.is_charge:
            line.charges += 1
        else:
            line.returns += 1
    return [lines[key] for key in sorted(lines)]


def step_name(day: date, step: Step) -> str:
    """`2026-11-21`, `2026-11` or `2026-T4`."""
    if step is Step.DAY:
        return day.isoformat()
    if step is Step.MONTH:
        return f"{day:%Y-%m}"
    return f"{day.year}-T{(day.month + 2) // 3}"
