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

from django.db.models import Min

from orders.books.days import Period, month, quarter
from orders.books.oss import due_on, quarter_name
from orders.books.receipts import Cell
from orders.books.turnover import months_until
from orders.models import LedgerEntry
from shop.core.dates import shop_day
from shop.core.models import ShopSettings
from shop.core.money import ZERO, quantize


@dataclass(frozen=True, slots=True)
class Declaration:
    """One period (`2026-11`, `2026-T4`); euros. `carried` is what earlier periods gave back beyond their receipts, as a
    positive amount. `contributions` is what the rate of the settings makes of it, for information."""

    period: str
    received: Decimal
    returned: Decimal
    carried: Decimal
    contributions: Decimal
    due_on: date

    @property
    def goods(self) -> Decimal:
        """What is declared as sales of goods, in whole euros as the form wants them."""
        net = max(ZERO, self.received - self.returned - self.carried)
        return net.quantize(Decimal(1), ROUND_HALF_UP)

    @property
    def services(self) -> Decimal:
        return ZERO


@dataclass(frozen=True, slots=True)
class EndedPeriod:
    """A period of declarations. `age` counts the months from the period in which money first moved to the end of this
    one: 0 when that was later."""

    name: str
    days: Period
    age: int

    @property
    def due_on(self) -> date:
        return due_on(self.days)

    @property
    def may_be_joined(self) -> bool:
        """Whether a business that began with its first receipt declares this period with a later one: its first
        declaration covers 90 days at least, and the shop doesn't know since when it exists."""
        return self.age <= 3


def declarations(of_year: int) -> list[Declaration]:
    """Return the year's periods, as the settings cut it. One query."""
    months, rate, size = months_until(of_year), ShopSettings.load().urssaf_rate, _months_of_period()
    found: list[Declaration] = []
    carried, first_year = ZERO, of_year + 1 - len(months) // 12
    for index in range(0, len(months), size):
        part = months[index : index + size]
        received = sum((row.received for row in part), ZERO)
        returned = sum((row.returned for row in part), ZERO)
        period = _period(part[-1].number, first_year + index // 12)
        net = received - returned - carried
        due = quantize(max(ZERO, net) * rate / 100)
        found.append(Declaration(_name(period), received, returned, carried, due, due_on(period)))
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


def last_period(today: date) -> EndedPeriod:
    """Return the period which ended last. One query, of the first movement alone."""
    size = _months_of_period()
    ended = today.month - 1 - (today.month - 1) % size
    period = _period(ended, today.year) if ended else _period(12, today.year - 1)
    moved_at = LedgerEntry.objects.aggregate(first=Min("occurred_at"))["first"]
    age = 0
    if moved_at is not None:
        first = shop_day(moved_at)
        months = 12 * (period.last.year - first.year) + period.last.month - first.month
        age = max(0, months - months % size + size)
    return EndedPeriod(_name(period), period, age)


def _months_of_period() -> int:
    return 1 if ShopSettings.load().urssaf_period == MONTHLY else 3


def _period(last_month: int, of_year: int) -> Period:
    is_month = _months_of_period() == 1
    return month(last_month, of_year) if is_month else quarter(last_month // 3, of_year)


def _name(period: Period) -> str:
    return f"{period.first:%Y-%m}" if _months_of_period() == 1 else quarter_name(period.first)
