"""The figures of a bar chart: where each bar stands, as an SVG without styles or scripts draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.dates import MONTHS, MONTHS_3
from django.utils.functional import Promise

from orders.books.turnover import MonthTurnover

HEIGHT = 220
"""Of the drawing, in pixels; positions across are percent, so that it is readable on any width."""
_STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
_GRID_LINES = 4


@dataclass(frozen=True, slots=True)
class Bar:
    """One month: both bars begin at the foot. Places across are percent, heights and places from above pixels."""

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
class GridLine:
    """A line across, and the whole euros that it stands for."""

    y: int
    euros: int


@dataclass(frozen=True, slots=True)
class Chart:
    bars: list[Bar]
    grid: list[GridLine]
    height: int = HEIGHT


BAR_WIDTH = "2.6%"


def draw_year(months: Sequence[MonthTurnover]) -> Chart:
    """Two bars a month, what came in and what went back, under a scale of round numbers."""
    most = max((max(month.received, month.returned) for month in months), default=Decimal(0))
    step = _round_step(most)
    top = step * _GRID_LINES
    share = Decimal(100) / max(1, len(months))
    bars = []
    for index, month in enumerate(months):
        received, returned = _pixels(month.received, top), _pixels(month.returned, top)
        centre = share * index + share / 2
        bars.append(
            Bar(
                month=MONTHS[month.number],
                short_month=MONTHS_3[month.number],
                turnover=month,
                centre=_percent(centre),
                received_x=_percent(centre - Decimal("2.8")),
                value_x=_percent(centre - Decimal("1.5")),
                received_y=HEIGHT - received,
                received_height=received,
                returned_x=_percent(centre + Decimal("0.2")),
                returned_y=HEIGHT - returned,
                returned_height=returned,
            )
        )
    grid = [
        GridLine(y=HEIGHT - HEIGHT * line // _GRID_LINES, euros=int(step * line))
        for line in range(_GRID_LINES + 1)
    ]
    return Chart(bars, grid)


def _round_step(most: Decimal) -> Decimal:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten of which four reach the highest bar; 10 at least."""
    wanted = max(most / _GRID_LINES, Decimal(10))
    power = Decimal(10) ** (len(str(int(wanted))) - 1)
    return next(step * power for step in _STEPS if step * power >= wanted)


def _pixels(amount: Decimal, top: Decimal) -> int:
    # What is not nothing is seen.
    return max(2, int(amount * HEIGHT / top)) if amount > 0 else 0


def _percent(value: Decimal) -> str:
    return f"{value:.2f}%"
