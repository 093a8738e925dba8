"""Units of counted stock that orders hold.

A hold is made by guarded updates of the catalogue's stock, released exactly once (`held` → `released`, decided by
a guarded update), and turned into a sale by the payment.
"""

import uuid
from collections import Counter
from collections.abc import Iterable

from catalog.selectors.availability import Level
from catalog.services.stock import StockUnit, hold_stock, release_stock
from orders.models import Order, OrderStatus, StockHold, StockHoldState


def hold_for_order(order: Order) -> None:
    """Hold every unit of the order's lines. Raises catalog's OutOfStock; call it in the placing transaction, last, so
    that the rows of a sought-after piece are locked as short as possible."""
    units = [
        StockUnit(item.product_id, item.variation_id, item.quantity)
        for item in order.items.all()
        if item.product_id is not None
    ]
    StockHold.objects.bulk_create(
        StockHold(
            order=order,
            product_id=unit.product_id,
            variation_id=unit.variation_id,
            quantity=unit.quantity,
            product_counted=unit.product_counted,
            variation_counted=unit.variation_counted,
        )
        for unit in hold_stock(units=units)
    )


def release_for_order(order: Order) -> bool:
    """Release the order's units, once; True when this call did it.

    The order's row must be locked by the caller.
    """
    held = list(order.stock_holds.select_for_update().filter(state=StockHoldState.HELD))
    given = [hold for hold in held if _release(hold)]
    release_stock(units=[_unit(hold, hold.product_id) for hold in given if hold.product_id is not None])
    return bool(given)


def take_for_order(order: Order) -> None:
    """Turn the held units into a sale. Raises catalog's OutOfStock when they were released before and are gone by now.

    The order's row must be locked by the caller.
    """
    holds = list(order.stock_holds.select_for_update())
    gone = [hold for hold in holds if hold.state == StockHoldState.RELEASED and hold.product_id is not None]
    if gone:
        taken = hold_stock(
            units=[_unit(hold, hold.product_id) for hold in gone if hold.product_id is not None]
        )
        for hold, unit in zip(gone, taken, strict=True):
            hold.product_counted, hold.variation_counted = unit.product_counted, unit.variation_counted
        StockHold.objects.bulk_update(gone, ("product_counted", "variation_counted"))
    order.stock_holds.exclude(state=StockHoldState.TAKEN).update(
        state=StockHoldState.TAKEN, network="", mailbox=""
    )


def held_by_orders(order_ids: Iterable[uuid.UUID]) -> Counter[Level]:
    """Return the counted units that these orders hold without being paid. One query."""
    return held_units(
        StockHold.objects.filter(
            order__in=list(order_ids), order__status=OrderStatus.PENDING, state=StockHoldState.HELD
        )
    )


def held_units(holds: Iterable[StockHold]) -> Counter[Level]:
    """Return the counted units of holds, by the level of stock they were taken from."""
    units: Counter[Level] = Counter()
    for hold in holds:
        for level in counted_levels(hold):
            units[level] += hold.quantity
    return units


def counted_levels(hold: StockHold) -> list[Level]:
    """Return the levels that a hold took its units from."""
    levels: list[Level] = []
    if hold.product_counted and hold.product_id is not None:
        levels.append(("product", hold.product_id))
    if hold.variation_counted and hold.variation_id is not None:
        levels.append(("variation", hold.variation_id))
    return levels


def _release(hold: StockHold) -> bool:
    """`held` → `released`; of two callers who both saw it held one gets True."""
    row = StockHold.objects.filter(pk=hold.pk, state=StockHoldState.HELD)
    return bool(row.update(state=StockHoldState.RELEASED, network="", mailbox=""))


def _unit(hold: StockHold, product_id: int) -> StockUnit:
    return StockUnit(
        product_id, hold.variation_id, hold.quantity, hold.product_counted, hold.variation_counted
    )
