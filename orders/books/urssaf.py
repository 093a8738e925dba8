"""What a micro-enterprise declares to the URSSAF: turnover collected by month or quarter (R613-8 Code de la sécurité
sociale, art. 50-0 CGI).

Receipts count on the day on which the money came, without the VAT that is inside them; what was refunded in a period is
deducted from it. Below zero nothing is declared: the rest is deducted from the next period, whatever its year. The
shop sells goods only: services are a line of their own on the form, and nil.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import F
from django.db.models.functions import TruncMonth
from django.utils import timezone

from orders.books.days import Period, month, quarter
from orders.books.oss import due_on, quarter_name, unfiled_of
from orders.books.receipts import Cell
from orders.books.turnover import first_day, months_until
from orders.models import FiledReturn, LedgerEntry, ReturnKind
from shop.core.dates import SHOP_ZONE, shop_day
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


@dataclass(frozen=True, slots=True)
class ChangedReturn:
    """A period noted as filed, what was declared for it then, and what would be now: movements that the shop learned of
    since belong to it, or to one before that it is carried from. Whole euros."""

    period: str
    filed: Decimal
    found: Decimal

    @property
    def difference(self) -> Decimal:
        return self.found - self.filed


def changed_returns() -> list[ChangedReturn]:
    """Return the filed periods that are changed, oldest first. One query where the shop never learned of a movement in
    a later month; else two, and two for each period that such a movement may change."""
    late = list(
        LedgerEntry.objects.annotate(
            moved_in=TruncMonth("occurred_at", tzinfo=SHOP_ZONE),
            learned_in=TruncMonth("created_at", tzinfo=SHOP_ZONE),
        )
        .filter(learned_in__gt=F("moved_in"))
        .values_list("occurred_at", "created_at")
    )
    if not late:
        return []
    years = range(shop_day(min(late)[0]).year, timezone.localdate().year + 1)
    periods = {_name(period): period for of_year in years for period in _periods(of_year)}
    changed = []
    for row in FiledReturn.objects.filter(kind=ReturnKind.URSSAF, period__in=periods).order_by("period"):
        period = periods[row.period]
        if not any(moved < period.end and row.filed_at < learned for moved, learned in late):
            continue
        filed, found = (_declared(period, known_at) for known_at in (row.filed_at, None))
        if filed != found:
            changed.append(ChangedReturn(row.period, filed, found))
    return changed


def _declared(period: Period, known_at: datetime | None) -> Decimal:
    rows = declarations(period.last.year, known_at)
    return next(row.goods for row in rows if row.period == _name(period))


def declarations(of_year: int, known_at: datetime | None = None) -> list[Declaration]:
    """Return the year's periods, as the settings cut it; with `known_at` by what the shop knew then. One query."""
    months, rate, size = months_until(of_year, known_at), ShopSettings.load().urssaf_rate, _months_of_period()
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


def ended_periods(today: date) -> list[EndedPeriod]:
    """Return the periods that ended, oldest first, from the one in which money first moved; the last one whatever
    moved. One query."""
    size = _months_of_period()
    last, first = today.replace(day=1) - timedelta(days=1), first_day()
    last_month = 12 * last.year + last.month - last.month % size
    begun = last_month if first is None else 12 * first.year + first.month - 1 - (first.month - 1) % size
    found = []
    for month_number in range(min(begun + size, last_month), last_month + 1, size):
        of_year, before = divmod(month_number - 1, 12)
        period = _period(before + 1, of_year)
        found.append(EndedPeriod(_name(period), period, max(0, month_number - begun)))
    return found


def to_declare(ended: Sequence[EndedPeriod]) -> list[EndedPeriod]:
    """Return those of `ended_periods` that nobody noted as filed. What a first declaration may join waits only while it
    is the last. One query."""
    waiting = [row for row in ended if row.age and (row is ended[-1] or not row.may_be_joined)]
    unfiled = unfiled_of(ReturnKind.URSSAF, [row.days for row in waiting])
    return [row for row in waiting if row.days in unfiled]


def _months_of_period() -> int:
    return 1 if ShopSettings.load().urssaf_period == MONTHLY else 3


def _period(last_month: int, of_year: int) -> Period:
    is_month = _months_of_period() == 1
    return month(last_month, of_year) if is_month else quarter(last_month // 3, of_year)


def _periods(of_year: int) -> list[Period]:
    size = _months_of_period()
    return [_period(last_month, of_year) for last_month in range(size, 13, size)]


def _name(period: Period) -> str:
    return f"{period.first:%Y-%m}" if _months_of_period() == 1 else quarter_name(period.first)
