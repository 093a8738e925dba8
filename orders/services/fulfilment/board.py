"""Moving a piece over the workshop's board."""

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from catalog.models import Finish
from orders.models import IN_WORKSHOP, Order, OrderStatus, PieceStage, WorkPiece
from orders.selectors.workshop import is_awaited
from orders.services.fulfilment.status_changes import update_status
from orders.services.status.work_pieces import touch
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def move_piece(*, piece_id: int, stage: PieceStage, version: int, actor: "User | None") -> WorkPiece:
    """Move a piece to another stage of the work. The first that leaves « à imprimer » sets a confirmed order to
    `processing`, with its mail; not one that its customer withdrew from, who would read that it is being prepared.

    `version` is that of the piece that the person saw. Raises Problem 409 `conflict` when it has changed since,
    `piece_left` for one that is no longer at the workshop, `needs_parcel` for `shipped`, `piece_unpainted`, and
    WorkPiece.DoesNotExist; nothing changes then.
    """
    order_id = WorkPiece.objects.values_list("item__order", flat=True).get(pk=piece_id)
    with transaction.atomic():
        # Parcels and refunds lock the order before they change its pieces.
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        piece = WorkPiece.objects.select_related("item").get(pk=piece_id)
        if piece.version != version:
            raise Problem(
                "conflict", _("Quelqu'un a déplacé cette pièce entre-temps. Voici où elle en est."), 409
            )
        refused = _refusal(order, piece, stage)
        if refused is not None:
            raise refused
        if piece.stage == stage:
            return piece
        is_begun = piece.stage == PieceStage.TO_PRINT
        piece.stage = stage
        touch(piece, actor)
        piece.save(update_fields=["stage", "version", "moved_at", "moved_by"])
        if is_begun and order.status == OrderStatus.CONFIRMED and is_awaited(order):
            update_status(order_id=order.pk, status=OrderStatus.PROCESSING, actor=actor)
    return piece


def _refusal(order: Order, piece: WorkPiece, stage: PieceStage) -> Problem | None:
    if order.status not in IN_WORKSHOP or piece.is_cancelled or piece.stage == PieceStage.SHIPPED:
        return Problem("piece_left", _("Cette pièce n'est plus à l'atelier."), 409)
    if stage == PieceStage.SHIPPED:
        return Problem("needs_parcel", _("Une pièce part dans un colis\u00a0: passez par l'expédition."), 409)
    if stage == PieceStage.TO_PAINT and piece.item.finish == Finish.UNPAINTED:
        return Problem("piece_unpainted", _("Cette pièce est commandée non peinte."), 409)
    return None
