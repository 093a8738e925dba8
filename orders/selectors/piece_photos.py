"""Photographs of finished pieces: those of an order, of a piece, or the one of a signed address."""

import uuid
from collections import defaultdict
from collections.abc import Collection

from django.db.models import Count, Prefetch, Q, QuerySet

from orders.access import photo_of_token
from orders.models import Order, PiecePhoto, WorkPiece


def sent_photos(order: Order) -> list[PiecePhoto]:
    """Return what the order's customer was sent, oldest first, with the lines of the pieces. One query."""
    photos = PiecePhoto.objects.filter(piece__item__order=order, sent_at__isnull=False)
    return list(photos.select_related("piece__item").order_by("sent_at", "pk"))


def photos_of_orders(orders: QuerySet[Order]) -> dict[uuid.UUID, list[PiecePhoto]]:
    """Return what customers were sent, by order. One query."""
    photos: dict[uuid.UUID, list[PiecePhoto]] = defaultdict(list)
    rows = PiecePhoto.objects.filter(piece__item__order__in=orders.order_by(), sent_at__isnull=False)
    for photo in rows.select_related("piece__item").order_by("sent_at", "pk"):
        photos[photo.piece.item.order_id].append(photo)
    return photos


def photographed_piece(piece_id: int) -> WorkPiece:
    """Return a piece with its line, order and photographs. Two queries. Raises WorkPiece.DoesNotExist."""
    pieces = WorkPiece.objects.select_related("item__order").prefetch_related(_photos())
    return pieces.get(pk=piece_id)


def order_pieces(order: Order) -> list[WorkPiece]:
    """Return the pieces of an order's units with their photographs, in the order of its lines. Two queries."""
    pieces = WorkPiece.objects.filter(item__order=order).select_related("item")
    return list(
        pieces.filter(Q(is_cancelled=False) | Q(photos__isnull=False))
        .distinct()
        .order_by("item__position", "item", "number")
        .prefetch_related(_photos())
    )


def count_photos(piece_ids: Collection[int]) -> dict[int, int]:
    """Return how many photographs pieces have, by piece; those without are left out. One query."""
    rows = PiecePhoto.objects.filter(piece__in=piece_ids).order_by().values("piece")
    return {row["piece"]: row["number"] for row in rows.annotate(number=Count("pk"))}


def photo_at(token: str) -> PiecePhoto:
    """Return the photograph of a signed address. One query. Raises BadSignature, PiecePhoto.DoesNotExist."""
    return PiecePhoto.objects.get(pk=photo_of_token(token))


def _photos() -> Prefetch[str]:
    return Prefetch("photos", PiecePhoto.objects.select_related("author"))
