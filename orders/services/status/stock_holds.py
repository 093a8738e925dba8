"""Units of counted stock that orders hold.

A hold is made by guarded updates of the catalogue's stock, released exactly once (`held` → `released`, under the lock
of its order), and turned into a sale by the payment.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence

from catalog.selectors.availability import Level
from catalog.services.stock import StockUnit, hold_stock, lock_products, release_stock
from orders.models import Order, OrderItem, OrderStatus, StockHold, StockHoldState


def hold_for_order(order: Order, items: Sequence[OrderItem], *, network: str, mailbox: str) -> bool:
    """Hold every unit of the order's lines, counted ones signed with who holds them; whether there are such.

    Raises catalog's OutOfStock; call it in the placing transaction, last, so that the rows of a sought-after piece are
    locked as short as possible.
    """
    units = [StockUnit(item.variant_id, item.quantity) for item in items if item.variant_id is not None]
    products = {item.variant_id: item.product_id for item in items}
    holds = StockHold.objects.bulk_create(
        StockHold(
            order=order,
            product_id=products[unit.variant_id],
            variant_id=unit.variant_id,
            quantity=unit.quantity,
            level=unit.level[0] if unit.level else "",
            network=network if unit.level else "",
            mailbox=mailbox if unit.level else "",
        )
        for unit in hold_stock(units=units, savepoint=False)
    )
    return any(hold.level for hold in holds)


def release_for_order(order: Order) -> bool:
    """Release the order's units, once; True when this call did it.

    The order's row must be locked by the caller.
    """
    given = _holds_in(order, StockHoldState.HELD)
    order.stock_holds.filter(state=StockHoldState.HELD).update(
        state=StockHoldState.RELEASED, network="", mailbox=""
    )
    release_stock(units=map(_unit, given))
    return bool(given)


def take_for_order(order: Order) -> None:
    """Turn the held units into a sale. Raises catalog's OutOfStock when they were released before and are gone by now.

    The order's row must be locked by the caller.
    """
    if gone := _holds_in(order, StockHoldState.RELEASED):
        taken = hold_stock(units=map(_unit, gone))
        for hold, unit in zip(gone, taken, strict=True):
            hold.level = unit.level[0] if unit.level else ""
        StockHold.objects.bulk_update(gone, ("level",))
    order.stock_holds.update(state=StockHoldState.TAKEN, network="", mailbox="")


def hold_of(item: OrderItem) -> StockHold | None:
    """Return the hold of a line; None for lines of orders that held nothing. Two queries, with its product locked.

    Both are written in one order and lose a deleted variant together, so that they have the same place among the
    lines and holds of one variant.
    """
    same = {"order": item.order_id, "product": item.product_id, "variant": item.variant_id}
    place = OrderItem.objects.filter(**same, position__lt=item.position).count()
    return StockHold.objects.filter(**same).order_by("pk")[place:].first()


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
        level = level_of(hold)
        if level is not None:
            units[level] += hold.quantity
    return units


def level_of(hold: StockHold) -> Level | None:
    """Return the number of units that a hold was taken from; None for made to order, or when its row is gone."""
    pk = {"product": hold.product_id, "variant": hold.variant_id}.get(hold.level)
    return None if pk is None else (hold.level, pk)


def _holds_in(order: Order, state: StockHoldState) -> list[StockHold]:
    """The order's holds in this state, with their products locked. Who locks the order locks its holds."""
    holds = order.stock_holds.filter(state=state)
    lock_products(product_ids=holds.order_by().values("product"))
    return list(holds)


def _unit(hold: StockHold) -> StockUnit:
    return StockUnit(hold.variant_id, hold.quantity, level_of(hold))
