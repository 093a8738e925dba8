"""The figures of bar charts that the server draws as SVG, without styles or scripts in them.

Places across are percent, so that a chart is readable on any width; heights and places from above are pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

HEIGHT = 220
GRID_LINES = 4
_STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))


@dataclass(frozen=True, slots=True)
class GridLine:
    """A line across, and the whole number that it stands for."""

    y: int
    value: int


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of round numbers, from 0 at the foot to `top`."""

    top: Decimal

    @classmethod
    def reaching(cls, most: Decimal | int, *, least_step: int) -> Scale:
        """Return the smallest scale that the highest bar fits under: four times 1, 2, 2.5 or 5 times a power of ten,
        in whole numbers."""
        wanted = max(Decimal(most) / GRID_LINES, Decimal(least_step))
        power = Decimal(10) ** (len(str(int(wanted))) - 1)
        steps = (step * power for step in _STEPS)
        return cls(next(step for step in steps if step >= wanted and step % 1 == 0) * GRID_LINES)

    @property
    def grid(self) -> list[GridLine]:
        """The lines from the foot to the top."""
        return [
            GridLine(y=HEIGHT - HEIGHT * line // GRID_LINES, value=int(self.top * line / GRID_LINES))
            for line in range(GRID_LINES + 1)
        ]

    def height(self, amount: Decimal | int) -> int:
        """Return the height of a bar; what is not nothing is seen."""
        return max(2, int(amount * HEIGHT / self.top)) if amount > 0 else 0


def percent(value: Decimal) -> str:
    """Return a place across, `4.17%`."""
    return f"{value:.2f}%"
