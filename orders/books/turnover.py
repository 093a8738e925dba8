"""How much came in, month by month, with its chart, and how near the ceilings are that change how the shop is taxed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.db.models import FilteredRelation, Min, Q, Sum
from django.db.models.functions import ExtractYear, TruncMonth
from django.utils.dates import MONTHS, MONTHS_3
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from orders.books.days import year
from orders.books.receipts import receipts_of
from orders.invoices.tax import LAST_YEAR, THIS_YEAR, against_threshold
from orders.models import LedgerEntry, LedgerKind
from orders.selectors.invoices import first_invoice
from shop.core.charts import HEIGHT, GridLine, Scale, percent
from shop.core.dates import SHOP_ZONE, shop_day
from shop.core.models import ShopSettings
from shop.core.money import ZERO, quantize

ALERT_LEVELS = (70, 90, 100)
"""Percent of a ceiling at which the owner receives a mail; 100 is for one that is passed."""


BY_CREDIT_NOTE = (LedgerKind.REFUND, LedgerKind.REFUND_FAILED)
SEVERAL_RATES = "0.00"
"""What the frozen tax of a document with VAT says as its one rate when there are several."""


@dataclass(frozen=True, slots=True)
class MonthTurnover:
    """A month of the ledger in euros. `returned` is what went back, as a positive amount."""

    number: int
    received: Decimal
    returned: Decimal

    @property
    def net(self) -> Decimal:
        return self.received - self.returned


@dataclass(frozen=True, slots=True)
class TaxCeiling:
    """An amount of this year against a ceiling of `ShopSettings`."""

    code: str
    label: str | Promise
    explanation: str | Promise
    amount: Decimal
    ceiling: Decimal
    was_passed: bool = False
    """Passed for the whole year, whatever `amount` says: what went back since does not undo it."""

    @property
    def percent(self) -> int:
        """Whole percent, rounded down: 100 is not shown before it is reached."""
        return int(self.amount * 100 // self.ceiling) if self.ceiling > 0 and self.amount > 0 else 0

    @property
    def level(self) -> int:
        """The highest alert level that is reached, 0 below the first; the last one beyond the ceiling alone, as art.
        293 B and 258 A CGI have it: an amount that equals it has not passed it."""
        if self.was_passed:
            return ALERT_LEVELS[-1]
        levels = ALERT_LEVELS if self.amount > self.ceiling else ALERT_LEVELS[:-1]
        return max((level for level in levels if self.percent >= level), default=0)

    @property
    def left(self) -> Decimal:
        """What may still come in below the ceiling; 0 beyond it."""
        return ZERO if self.was_passed else max(ZERO, self.ceiling - self.amount)


def months_of(number: int, *, without_vat: bool = False) -> list[MonthTurnover]:
    """Return twelve months of a year, January first; `without_vat` takes out the part of each amount that is VAT by the
    order's first invoice (the later ones are the same sale), of what went back of a sale at several rates by its credit
    note. One query, and four where there is such a refund."""
    return _months(year(number).holds("occurred_at"), number, without_vat=without_vat)


def months_until(number: int, known_at: datetime | None) -> list[MonthTurnover]:
    """Return all months without VAT, from January of the first movement's year to December of a year; with `known_at`
    by what the shop knew then. As many queries as `months_of`."""
    movements = Q(occurred_at__lt=year(number).end)
    if known_at is not None:
        movements &= Q(created_at__lte=known_at)
    return _months(movements, number, without_vat=True, known_at=known_at)


def _months(
    movements: Q, last: int, *, without_vat: bool, known_at: datetime | None = None
) -> list[MonthTurnover]:
    charge = Q(kind=LedgerKind.CHARGE)
    ledger = LedgerEntry.objects.filter(movements).order_by()
    taxed: tuple[str, ...] = ()
    if without_vat:
        # Only where there is VAT: all other sales of a month are one row.
        has_vat = first_invoice("order__invoices__") & Q(order__invoices__vat__gt=0)
        ledger = ledger.annotate(
            sale=FilteredRelation("order__invoices", condition=has_vat),
            by_note=Q(kind__in=BY_CREDIT_NOTE, sale__data__tax__percent=SEVERAL_RATES),
        )
        taxed = ("sale__vat", "sale__total", "by_note")
    rows = (
        ledger.annotate(month=TruncMonth("occurred_at", tzinfo=SHOP_ZONE))
        .values("month", *taxed)
        .annotate(received=Sum("amount", filter=charge), returned=Sum("amount", filter=~charge))
    )
    received: defaultdict[tuple[int, int], Decimal] = defaultdict(lambda: ZERO)
    returned: defaultdict[tuple[int, int], Decimal] = defaultdict(lambda: ZERO)
    first, some_by_note = last, False
    for row in rows:
        first = min(first, row["month"].year)
        if row.get("by_note"):
            some_by_note = True
            continue
        kept = 1 - row["sale__vat"] / row["sale__total"] if row.get("sale__vat") else 1
        key = (row["month"].year, row["month"].month)
        received[key] += (row["received"] or ZERO) * kept
        returned[key] -= (row["returned"] or ZERO) * kept
    if some_by_note:
        of_sale = first_invoice("order__invoices__") & Q(order__invoices__data__tax__percent=SEVERAL_RATES)
        refunds = LedgerEntry.objects.filter(
            movements, of_sale, order__invoices__vat__gt=0, kind__in=BY_CREDIT_NOTE
        )
        for receipt in receipts_of(refunds, known_at):
            net = sum((share.net for share in receipt.shares), ZERO)
            returned[receipt.day.year, receipt.day.month] -= net
    return [
        MonthTurnover(month, quantize(received[number, month]), quantize(returned[number, month]))
        for number in range(first, last + 1)
        for month in range(1, 13)
    ]


def years_with_entries() -> list[int]:
    """Return the years that the ledger knows, in any order. One query."""
    return list(
        LedgerEntry.objects.order_by()
        .annotate(year=ExtractYear("occurred_at", tzinfo=SHOP_ZONE))
        .values_list("year", flat=True)
        .distinct()
    )


def first_day() -> date | None:
    """Return the day on which money first moved; None before. One query."""
    moment = LedgerEntry.objects.aggregate(first=Min("occurred_at"))["first"]
    return None if moment is None else shop_day(moment)


def tax_ceilings(number: int) -> list[TaxCeiling]:
    """Return the ceilings of a year, which count what is sold without its VAT (art. 293 D, 258 A CGI); those of the
    exemption only for a seller who still has it at the year's end. Up to three queries, the settings are cached."""
    shop = ShopSettings.load()
    sold, beyond = against_threshold(number)
    turnover = sum((month.net for month in months_of(number, without_vat=True)), ZERO)
    ceilings = [
        TaxCeiling(
            "franchise",
            _("Franchise de TVA"),
            _("Au-delà, la TVA s'applique à partir du 1er janvier suivant (art. 293 B du CGI)."),
            turnover,
            shop.franchise_ceiling,
        ),
        TaxCeiling(
            "franchise_upper",
            _("Franchise de TVA, plafond majoré"),
            _("Au-delà, la TVA s'applique le jour même du dépassement (art. 293 B du CGI)."),
            turnover,
            shop.franchise_ceiling_upper,
        ),
        TaxCeiling(
            "union",
            _("Ventes aux particuliers des autres pays de l'Union"),
            _(
                "Dépassé l'année précédente\u00a0: chaque vente porte la TVA du pays du client (art. 258 A du CGI)."
            )
            if beyond == LAST_YEAR
            else _(
                "Au-delà, chaque vente porte la TVA du pays du client, l'année suivante aussi (art. 258 A du CGI)."
            ),
            sold,
            shop.eu_sales_threshold,
            beyond == THIS_YEAR,
        ),
    ]
    return ceilings[-1:] if shop.is_vat_liable(date(number, 12, 31)) else ceilings


@dataclass(frozen=True, slots=True)
class Bar:
    """One month: both bars begin at the foot."""

    month: str | Promise
    short_month: str | Promise
    turnover: MonthTurnover
    centre: str
    received_x: str
    value_x: str
    received_y: int
    received_height: int
    returned_x: str
    returned_y: int
    returned_height: int


@dataclass(frozen=True, slots=True)
class Chart:
    """The figures of a bar chart, as an SVG without styles or scripts draws it."""

    bars: list[Bar]
    grid: list[GridLine]
    height: int = HEIGHT


BAR_WIDTH = "2.6%"
_LEAST_STEP = 10


def chart_of(months: Sequence[MonthTurnover]) -> Chart:
    """Return two bars a month, what came in and what went back, under a scale of round numbers."""
    most = max(max(month.received, month.returned) for month in months)
    scale = Scale.reaching(most, least_step=_LEAST_STEP)
    share = Decimal(100) / len(months)
    bars = []
    for index, month in enumerate(months):
        received, returned = scale.height(month.received), scale.height(month.returned)
        centre = share * index + share / 2
        bars.append(
            Bar(
                month=MONTHS[month.number],
                short_month=MONTHS_3[month.number],
                turnover=month,
                centre=percent(centre),
                received_x=percent(centre - Decimal("2.8")),
                value_x=percent(centre - Decimal("1.5")),
                received_y=HEIGHT - received,
                received_height=received,
                returned_x=percent(centre + Decimal("0.2")),
                returned_y=HEIGHT - returned,
                returned_height=returned,
            )
        )
    return Chart(bars, scale.grid)
