"""Units of counted stock that unpaid orders keep."""

import uuid
from collections import Counter
from collections.abc import Iterable

from catalog.services.stock import Level
from orders.models import OrderStatus, StockHold, StockHoldState


def held_by_orders(order_ids: Iterable[uuid.UUID]) -> Counter[Level]:
    """The counted units that these orders hold without being paid. One query."""
    return held_units(
        StockHold.objects.filter(
            order__in=list(order_ids), order__status=OrderStatus.PENDING, state=StockHoldState.HELD
        )
    )


def held_units(holds: Iterable[StockHold]) -> Counter[Level]:
    """The counted units of holds, by the level of stock they were taken from."""
    units: Counter[Level] = Counter()
    for hold in holds:
        for level in counted_levels(hold):
            units[level] += hold.quantity
    return units


def counted_levels(hold: StockHold) -> list[Level]:
    """The levels that a hold took its units from."""
    levels: list[Level] = []
    if hold.product_counted and hold.product_id is not None:
        levels.append(("product", hold.product_id))
    if hold.variation_counted and hold.variation_id is not None:
        levels.append(("variation", hold.variation_id))
    return levels
