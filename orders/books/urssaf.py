"""What a micro-enterprise declares to the URSSAF: turnover collected by month or quarter (R613-8 Code de la sécurité
sociale, art. 50-0 CGI).

Receipts count on the day on which the money came, without the VAT that is inside them; what was refunded in a period is
deducted from it. Below zero nothing is declared: the rest is deducted from the next period, whatever its year. The
shop sells goods only: services are a line of their own on the form, and nil.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from orders.books.days import month, quarter
from orders.books.oss import due_on, quarter_name
from orders.books.receipts import Cell
from orders.books.turnover import months_until
from shop.core.models import ShopSettings
from shop.core.money import ZERO, quantize


@dataclass(frozen=True, slots=True)
class Declaration:
    """One period (`2026-11`, `2026-T4`); euros. `carried` is what earlier periods gave back beyond their receipts, as a
    positive amount. `contributions` is what the rate of the settings makes of it, for information. `age` counts the
    months of periods from the first in which money moved, this one included: 0 before it."""

    period: str
    received: Decimal
    returned: Decimal
    carried: Decimal
    contributions: Decimal
    due_on: date
    age: int

    @property
    def may_be_joined(self) -> bool:
        """Whether a business that began with its first receipt declares this period with a later one: its first
        declaration covers 90 days at least, and the shop doesn't know since when it exists."""
        return self.age <= 3

    @property
    def goods(self) -> Decimal:
        """What is declared as sales of goods, in whole euros as the form wants them."""
        net = max(ZERO, self.received - self.returned - self.carried)
        return net.quantize(Decimal(1), ROUND_HALF_UP)

    @property
    def services(self) -> Decimal:
        return ZERO


def declarations(of_year: int) -> list[Declaration]:
    """Return the year's periods, as the settings cut it. One query."""
    months, shop = months_until(of_year), ShopSettings.load()
    size = 1 if shop.urssaf_period == MONTHLY else 3
    found: list[Declaration] = []
    carried, age, first_year = ZERO, 0, of_year + 1 - len(months) // 12
    for index in range(0, len(months), size):
        part = months[index : index + size]
        received = sum((row.received for row in part), ZERO)
        returned = sum((row.returned for row in part), ZERO)
        number = first_year + index // 12
        period = month(part[0].number, number) if size == 1 else quarter(part[-1].number // 3, number)
        name = f"{period.first:%Y-%m}" if size == 1 else quarter_name(period.first)
        net = received - returned - carried
        due = quantize(max(ZERO, net) * shop.urssaf_rate / 100)
        age += size if age or received or returned else 0
        found.append(Declaration(name, received, returned, carried, due, due_on(period), age))
        carried = max(ZERO, -net)
    return found[-12 // size :]


MONTHLY = "mois"

URSSAF_HEADER = (
    "Période",
    "Encaissé hors TVA (€)",
    "Remboursé hors TVA (€)",
    "Report (€)",
    "Ventes de marchandises (€)",
    "Prestations de services (€)",
    "Cotisations estimées (€)",
    "À déclarer avant le",
)


def urssaf_cells(found: Sequence[Declaration]) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of a file."""
    for row in found:
        amounts = (row.received, -row.returned, -row.carried, row.goods, row.services, row.contributions)
        yield (row.period, *amounts, row.due_on)


def last_declaration(today: date) -> Declaration:
    """Return that of the period which ended last. One query."""
    size = 1 if ShopSettings.load().urssaf_period == MONTHLY else 3
    ended = (today.month - 1) // size
    return declarations(today.year)[ended - 1] if ended else declarations(today.year - 1)[-1]
