"""The pieces of an order on the workshop's board, kept as its lines, parcels and refunds say.

Every function here runs in its caller's transaction, with the order's row locked.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from django.utils import timezone

from orders.models import (
    CLOSED_STATUSES,
    IN_WORKSHOP,
    Order,
    OrderItem,
    PieceStage,
    ShipmentLine,
    WorkPiece,
)
from orders.selectors.shipments import units_kept_here

if TYPE_CHECKING:
    from accounts.models import User

_RANK = {stage: rank for rank, stage in enumerate(PieceStage)}


def plan_pieces(order: Order, *, actor: "User | None" = None, is_first: bool = False) -> None:
    """Give every unit of an order at the workshop its piece, and bring pieces in line with parcels and refunds.

    Of a line, those that a parcel took are shipped, the most advanced first; those of a parcel that was undone are
    to be packed again; those that are refunded or whose order is closed leave the board, the least advanced first, and
    come back with them. It changes nothing where all is so. At most seven queries, two for an order that has left.
    `is_first` says that the order was just paid, and nothing of it can have been sent or refunded: two queries then.
    The order's row must be locked by the caller.
    """
    items = list(OrderItem.objects.filter(order=order).order_by("pk"))
    if order.status in IN_WORKSHOP:
        WorkPiece.objects.bulk_create(_first_pieces(items), ignore_conflicts=True)
    if is_first:
        return
    pieces = list(
        WorkPiece.objects.filter(item__order=order).select_related("shipment").order_by("item", "number")
    )
    if not pieces:
        return
    before = {piece.pk: _state(piece) for piece in pieces}
    by_item = {item: list(found) for item, found in groupby(pieces, key=lambda piece: piece.item_id)}
    _bring_back(pieces)
    _send(order, by_item)
    _cancel(order, items, by_item)
    changed = [piece for piece in pieces if _state(piece) != before[piece.pk]]
    for piece in changed:
        touch(piece, actor)
    WorkPiece.objects.bulk_update(
        changed, ("stage", "shipment", "is_cancelled", "version", "moved_at", "moved_by")
    )


def touch(piece: WorkPiece, actor: "User | None") -> None:
    """Set on a changed piece, before it is saved, that it changed now, and by whom."""
    piece.version += 1
    piece.moved_at, piece.moved_by = timezone.now(), actor


def _first_pieces(items: Iterable[OrderItem]) -> Iterator[WorkPiece]:
    """What is in stock is finished: it is only packed."""
    for item in items:
        in_stock = item.quantity - item.made_quantity
        for number in range(1, item.quantity + 1):
            stage = PieceStage.TO_PACK if number <= in_stock else PieceStage.TO_PRINT
            yield WorkPiece(item=item, number=number, stage=stage)


def _bring_back(pieces: Iterable[WorkPiece]) -> None:
    for piece in pieces:
        if piece.shipment is not None and piece.shipment.undone_at is not None:
            piece.stage, piece.shipment = PieceStage.TO_PACK, None


def _send(order: Order, by_item: dict[int, list[WorkPiece]]) -> None:
    rows = ShipmentLine.objects.filter(shipment__order=order, shipment__undone_at=None).select_related(
        "shipment"
    )
    for row in rows:
        pieces = by_item.get(row.item_id, [])
        inside = sum(piece.shipment_id == row.shipment_id for piece in pieces)
        here = [piece for piece in pieces if piece.stage != PieceStage.SHIPPED]
        here.sort(key=lambda piece: (piece.is_cancelled, -_RANK[PieceStage(piece.stage)], piece.number))
        for piece in here[: max(row.quantity - inside, 0)]:
            piece.stage, piece.shipment, piece.is_cancelled = PieceStage.SHIPPED, row.shipment, False


def _cancel(order: Order, items: Sequence[OrderItem], by_item: dict[int, list[WorkPiece]]) -> None:
    kept = units_kept_here(order, items)
    for item in items:
        here = [piece for piece in by_item.get(item.pk, []) if piece.stage != PieceStage.SHIPPED]
        sent = item.quantity - len(here)
        is_closed = order.status in CLOSED_STATUSES
        wanted = 0 if is_closed else max(item.quantity - sent - kept[item.pk], 0)
        here.sort(key=lambda piece: (not piece.is_cancelled, _RANK[PieceStage(piece.stage)], -piece.number))
        gone = max(len(here) - wanted, 0)
        for place, piece in enumerate(here):
            piece.is_cancelled = place < gone


def _state(piece: WorkPiece) -> tuple[object, ...]:
    return piece.stage, piece.shipment_id, piece.is_cancelled
