"""How much came in, month by month, and how near the ceilings are that change how the shop is taxed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q, Sum
from django.db.models.functions import ExtractYear, TruncMonth
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from orders.books.days import year
from orders.invoices.tax import union_sales
from orders.models import LedgerEntry, LedgerKind
from shop.core.dates import SHOP_ZONE
from shop.core.models import ShopSettings
from shop.core.money import ZERO, quantize

ALERT_LEVELS = (70, 90, 100)
"""Percent of a ceiling at which the owner is told."""


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
class Gauge:
    """An amount of this year against a ceiling of `ShopSettings`."""

    code: str
    label: str | Promise
    explanation: str | Promise
    amount: Decimal
    ceiling: Decimal

    @property
    def percent(self) -> int:
        """Whole percent, rounded down: 100 is not shown before it is reached."""
        return int(self.amount * 100 // self.ceiling) if self.ceiling > 0 and self.amount > 0 else 0

    @property
    def level(self) -> int:
        """The highest alert level that is reached, 0 below the first."""
        return max((level for level in ALERT_LEVELS if self.percent >= level), default=0)

    @property
    def left(self) -> Decimal:
        return max(ZERO, self.ceiling - self.amount)


def months_of(number: int) -> list[MonthTurnover]:
    """Twelve months of a year, January first. One query."""
    period = year(number)
    received = Q(kind=LedgerKind.CHARGE)
    rows = (
        LedgerEntry.objects.filter(occurred_at__gte=period.start, occurred_at__lt=period.end)
        .order_by()
        .annotate(month=TruncMonth("occurred_at", tzinfo=SHOP_ZONE))
        .values("month")
        .annotate(received=Sum("amount", filter=received), returned=Sum("amount", filter=~received))
    )
    found = {row["month"].month: row for row in rows}
    return [
        MonthTurnover(
            month,
            quantize(found[month]["received"] or ZERO) if month in found else ZERO,
            quantize(-(found[month]["returned"] or ZERO)) if month in found else ZERO,
        )
        for month in range(1, 13)
    ]


def years_with_entries() -> list[int]:
    """Years that the ledger knows, newest first. One query."""
    return sorted(
        LedgerEntry.objects.order_by()
        .annotate(year=ExtractYear("occurred_at", tzinfo=SHOP_ZONE))
        .values_list("year", flat=True)
        .distinct(),
        reverse=True,
    )


def gauges(number: int, *, turnover: Decimal) -> list[Gauge]:
    """The ceilings in a year of so much turnover (`months_of`, added up). One query, the settings are cached."""
    shop = ShopSettings.load()
    return [
        Gauge(
            "franchise",
            _("Franchise de TVA"),
            _("Au-delà, la TVA s'applique à partir du 1er janvier suivant (art. 293 B du CGI)."),
            turnover,
            shop.franchise_ceiling,
        ),
        Gauge(
            "franchise_upper",
            _("Franchise de TVA, plafond majoré"),
            _("Au-delà, la TVA s'applique le jour même du dépassement (art. 293 B du CGI)."),
            turnover,
            shop.franchise_ceiling_upper,
        ),
        Gauge(
            "union",
            _("Ventes aux particuliers des autres pays de l'Union"),
            _(
                "Au-delà, chaque vente porte la TVA du pays du client, l'année suivante aussi (art. 258 A du CGI)."
            ),
            union_sales(number),
            shop.eu_sales_threshold,
        ),
    ]
