"""Buy N, get M: which units of a cart are free."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol


@dataclass(frozen=True, slots=True, order=True)
class Promotion:
    """`get` units are free in every group of `buy + get` units.

    Raises `ValueError` unless both are at least 1.
    """

    buy: int
    get: int

    def __post_init__(self) -> None:
        if self.buy < 1 or self.get < 1:
            raise ValueError(f"A promotion buys and gives at least 1 unit, not {self.buy} and {self.get}.")

    @property
    def group_size(self) -> int:
        return self.buy + self.get


class PromotableLine(Protocol):
    """What the promotions need to know about a line of a cart."""

    @property
    def key(self) -> str: ...
    @property
    def unit_price(self) -> Decimal: ...
    @property
    def quantity(self) -> int: ...
    @property
    def promotion(self) -> Promotion | None: ...


@dataclass(frozen=True, slots=True)
class NextFree:
    """What one pool of lines lacks to complete its next group and so get `get` more units free.

    `missing` is between 1 and `buy + get`; it is `buy + get` right after a completed group. A pool at
    `missing <= get` has paid for enough units: all that is still to be added is free. `keys` are the pool's
    lines, sorted.
    """

    buy: int
    get: int
    missing: int
    keys: tuple[str, ...]


def free_units(lines: Iterable[PromotableLine]) -> dict[str, int]:
    """Return how many units of each line are free, by line key; 0 for a line that gets none.

    All lines with the same (buy, get) form one pool, whatever the products: a pool of n units gives
    floor(n / (buy + get)) x get free units, the cheapest ones. Between units of one price the line with the
    smaller key gives first, so the order of the lines never matters. Keys must be unique and quantities at
    least 1.
    """
    free: dict[str, int] = {}
    pools: dict[Promotion, list[PromotableLine]] = {}
    for line in lines:
        free[line.key] = 0
        if line.promotion is not None:
            pools.setdefault(line.promotion, []).append(line)
    for promotion, pool in pools.items():
        left = sum(line.quantity for line in pool) // promotion.group_size * promotion.get
        for line in sorted(pool, key=lambda line: (line.unit_price, line.key)):
            free[line.key] = min(left, line.quantity)
            left -= free[line.key]
    return free


def units_missing_for_next(lines: Iterable[PromotableLine]) -> tuple[NextFree, ...]:
    """Return for each pool how many more units make the next ones free; pools sorted by (buy, get)."""
    units: dict[Promotion, int] = {}
    keys: dict[Promotion, list[str]] = {}
    for line in lines:
        if line.promotion is not None:
            units[line.promotion] = units.get(line.promotion, 0) + line.quantity
            keys.setdefault(line.promotion, []).append(line.key)
    return tuple(
        NextFree(
            buy=promotion.buy,
            get=promotion.get,
            missing=promotion.group_size - units[promotion] % promotion.group_size,
            keys=tuple(sorted(keys[promotion])),
        )
        for promotion in sorted(units)
    )
