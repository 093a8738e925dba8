"""What returned units are worth: each its share of what was really paid.

The rule. A unit in a promotion is worth its price less its share of what the promotion took off: the price that its
pool was paid for is spread over all units of the pool, offered ones too, in proportion to their prices. So

* everything together is worth exactly what was paid, to the cent; * no unit is worth more than its price, and no
returned units more than was paid for them; * returning in several goes gives the same as returning at once, in whatever
order; * what a unit is worth does not depend on what else the customer keeps. Keeping the offered unit and returning
the others is not charged afterwards: withdrawing costs the consumer nothing but the way back (L221-23, L221-24), and
the shop refunds no more than it received for a unit.

Standard delivery goes back with the unit that completes the return (L221-24).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from orders.pricing.promotions import Promotion
from orders.pricing.shares import share_out
from shop.core.money import from_cents, to_cents


@dataclass(frozen=True, slots=True)
class PaidLine:
    """A line as it was sold: `quantity` units at `unit_price`; `returned` of them were credited before."""

    key: str
    unit_price: Decimal
    quantity: int
    promotion: Promotion | None
    free_quantity: int
    returned: int = 0


@dataclass(frozen=True, slots=True)
class ReturnValue:
    """What a return is worth: by line key, and the delivery that comes with it."""

    lines: Mapping[str, Decimal]
    shipping: Decimal

    @property
    def total(self) -> Decimal:
        return from_cents(sum(to_cents(amount) for amount in self.lines.values()) + to_cents(self.shipping))


def line_shares(lines: Sequence[PaidLine]) -> dict[str, int]:
    """Return what was paid for all units of each line, in cents: its share of its pool's price.

    Cents that don't divide go to the largest remainders, between equal ones to the smaller key. The shares add up to
    what was paid for the lines, and none is above the line's price without promotion.
    """
    shares: dict[str, int] = {}
    pools: dict[Promotion, list[PaidLine]] = {}
    for line in lines:
        shares[line.key] = _gross(line)
        if line.promotion is not None:
            pools.setdefault(line.promotion, []).append(line)
    for pool in pools.values():
        paid = sum(_gross(line) - to_cents(line.unit_price) * line.free_quantity for line in pool)
        pool.sort(key=lambda line: line.key)
        shared = share_out(paid, [_gross(line) for line in pool])
        shares.update({line.key: share for line, share in zip(pool, shared, strict=True)})
    return shares


def value_of_return(
    lines: Sequence[PaidLine], returned: Mapping[str, int], *, shipping: Decimal
) -> ReturnValue:
    """Return what so many more units of each line are worth, after those credited before.

    Of a line's share the first k of n units are worth k/n, rounded down, so that what came back is never worth more
    than its part and the last unit brings the remaining cents. `shipping` is the delivery that was paid.

    Raises `ValueError` for an unknown key, a quantity below 1 and more units than are left.
    """
    shares = line_shares(lines)
    unknown = returned.keys() - shares.keys()
    if unknown:
        raise ValueError(f"No line {sorted(unknown)[0]} was sold.")
    worth: dict[str, Decimal] = {}
    left = 0
    for line in lines:
        more = returned.get(line.key, 0)
        if line.key in returned and not 1 <= more <= line.quantity - line.returned:
            raise ValueError(
                f"Line {line.key}: {more} of {line.quantity - line.returned} units can't come back."
            )
        left += line.quantity - line.returned - more
        if more:
            share = shares[line.key]
            before = share * line.returned // line.quantity
            after = share * (line.returned + more) // line.quantity
            worth[line.key] = from_cents(after - before)
    return ReturnValue(lines=worth, shipping=from_cents(0) if left else shipping)


def prorate(amount: Decimal, parts: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Divide `amount` over parts in proportion to them, none above its own; the odd cents go to the largest remainders.

    Raises `ValueError` when the parts together are less.
    """
    keys = sorted(parts)
    cents = [to_cents(parts[key]) for key in keys]
    wanted = to_cents(amount)
    if not 0 <= wanted <= sum(cents):
        raise ValueError(f"{amount} does not fit into {from_cents(sum(cents))}.")
    shares = dict(zip(keys, share_out(wanted, cents), strict=True))
    return {key: from_cents(shares[key]) for key in parts}


def _gross(line: PaidLine) -> int:
    return to_cents(line.unit_price) * line.quantity
