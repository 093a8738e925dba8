"""The workshop's board, and the orders of which every piece is ready to leave."""

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Window,
)
from django.db.models.functions import RowNumber
from django.utils import timezone

from orders.models import (
    IN_WORKSHOP,
    OPEN_CASES,
    Order,
    OrderNote,
    PieceStage,
    WithdrawalCase,
    WorkPiece,
)
from orders.selectors.installments import disputes_of
from orders.selectors.piece_photos import count_photos
from orders.selectors.withdrawals import keeping_from_leaving
from orders.selectors.workshop import (
    is_overdue,
    lines_that_follow,
    overdue_among,
    pieces_at_workshop,
)

COLUMN_SIZE = 200
SHIPPED_FOR = timedelta(days=2)
MOST_CHANGES = 200
READY_SIZE = 200
# A transaction that wrote its time before another one's reading may be committed after it.
OVERLAP = timedelta(seconds=10)
OLDEST_SINCE = timedelta(minutes=10)
_RANK = {stage.value: rank for rank, stage in enumerate(PieceStage)}


@dataclass(frozen=True, slots=True)
class Card:
    """A piece with its line and order; `staff_notes`: how many its order has, `photos`: how many photographs
    it has itself, `is_withdrawn`: its customer withdrew from it, or a withdrawal keeps its whole order from leaving,
    `is_disputed`: a bank holds or took back money of it, `is_late`: its order is at the workshop after its promised day
    (`is_overdue`)."""

    piece: WorkPiece
    staff_notes: int
    photos: int
    is_withdrawn: bool
    is_disputed: bool
    is_late: bool


@dataclass(frozen=True, slots=True)
class Board:
    """The whole board, or with `is_whole` False what changed. `gone` are pieces that left it, `more` how many a stage
    has beyond its cards, `since` what to ask with next."""

    is_whole: bool
    cards: list[Card]
    since: datetime
    gone: list[int] = field(default_factory=list)
    more: dict[str, int] = field(default_factory=dict)


def read_board() -> Board:
    """Return each stage's pieces by promised day, `COLUMN_SIZE` at most, and what left lately. Five queries, one more
    where the day of an order has passed, and three where one has an open withdrawal."""
    now = timezone.now()
    here, lately = ~Q(stage=PieceStage.SHIPPED), now - SHIPPED_FOR
    rows = (
        _pieces()
        # The first condition lets indexes find the rows: a parcel is written on the day of its sending or later.
        .filter(here | Q(moved_at__gte=lately), is_cancelled=False)
        .filter(here | Q(shipment__sent_at__gte=lately))
        .annotate(
            place=Window(
                RowNumber(), partition_by="stage", order_by=(F("item__order__promised_by"), F("pk"))
            ),
            in_stage=Window(Count("pk"), partition_by="stage"),
        )
        .filter(place__lte=COLUMN_SIZE)
        .order_by("item__order__promised_by", "pk")
    )
    pieces = list(rows)
    totals = {piece.stage: piece.in_stage for piece in pieces}
    more = {stage: total - COLUMN_SIZE for stage, total in totals.items() if total > COLUMN_SIZE}
    return Board(True, _cards(pieces), now - OVERLAP, more=more)


def board_changes(since: datetime) -> Board:
    """Return what changed since an answer, the whole board when that is long ago or much. One query, five
    when something changed."""
    now = timezone.now()
    if not now - OLDEST_SINCE <= since <= now:
        return read_board()
    pieces = list(
        _pieces().filter(moved_at__gte=since).order_by("item__order__promised_by", "pk")[: MOST_CHANGES + 1]
    )
    if len(pieces) > MOST_CHANGES:
        return read_board()
    gone = [piece.pk for piece in pieces if piece.is_cancelled]
    return Board(False, _cards(piece for piece in pieces if not piece.is_cancelled), now - OVERLAP, gone=gone)


def board_card(piece_id: int) -> Card:
    """Return one piece as the board shows it. The queries of `read_board`. Raises WorkPiece.DoesNotExist."""
    return _cards([_pieces().get(pk=piece_id)])[0]


def ready_orders(reference: str) -> list[Order]:
    """Return the orders of which all pieces that follow are to be packed, by promised day, or the one with this
    reference; their lines have `ready` pieces, and `is_late` as cards of the board. Three queries."""
    lines = lines_that_follow().filter(order=OuterRef("pk"))
    orders = Order.objects.filter(archived_at=None, status__in=IN_WORKSHOP)
    if reference:
        orders = orders.filter(reference=reference.strip().upper())
    ready = WorkPiece.objects.filter(stage=PieceStage.TO_PACK, is_cancelled=False)
    return list(
        orders.filter(Exists(lines.filter(follow__gt=0)), ~Exists(lines.filter(follow__gt=F("packed"))))
        .annotate(is_late=ExpressionWrapper(is_overdue(timezone.localdate()), output_field=BooleanField()))
        .prefetch_related("items", Prefetch("items__pieces", ready, to_attr="ready"))
        .order_by("promised_by", "pk")[:READY_SIZE]
    )


def _pieces() -> QuerySet[WorkPiece]:
    return WorkPiece.objects.select_related("item__order")


def _cards(pieces: Iterable[WorkPiece]) -> list[Card]:
    found = list(pieces)
    if not found:
        return []
    orders = {piece.item.order_id for piece in found}
    notes = OrderNote.objects.filter(order__in=orders, correction=None).order_by().values("order")
    counts = {row["order"]: row["number"] for row in notes.annotate(number=Count("pk"))}
    photos = count_photos([piece.pk for piece in found])
    cases = WithdrawalCase.objects.filter(order__in=orders, state__in=OPEN_CASES)
    withdrawn = _withdrawn_pieces({order for order in cases.values_list("order_id", flat=True) if order})
    disputed = set(disputes_of(orders).values_list("order", flat=True))
    late = overdue_among(piece.item.order for piece in found)
    return [
        Card(
            piece,
            counts.get(piece.item.order_id, 0),
            photos.get(piece.pk, 0),
            piece.pk in withdrawn,
            piece.stage != PieceStage.SHIPPED and piece.item.order_id in disputed,
            piece.stage != PieceStage.SHIPPED and piece.item.order_id in late,
        )
        for piece in found
    ]


def _withdrawn_pieces(order_ids: Collection[uuid.UUID]) -> set[int]:
    """Return the pieces of these orders that leave in no parcel for now: all that a withdrawal keeps here, and where
    the rest may leave those that were withdrawn from, the least advanced first. Three queries, none for no order."""
    if not order_ids:
        return set()
    kept = set(keeping_from_leaving(order_ids).values_list("order", flat=True))
    follow = dict(lines_that_follow().filter(order__in=order_ids).values_list("pk", "follow"))
    here = pieces_at_workshop().filter(item__in=follow).select_related("item")
    by_progress = sorted(here, key=lambda piece: (-_RANK[piece.stage], piece.number))
    withdrawn = set()
    for piece in by_progress:
        follow[piece.item_id] -= 1
        if piece.item.order_id in kept or follow[piece.item_id] < 0:
            withdrawn.add(piece.pk)
    return withdrawn
