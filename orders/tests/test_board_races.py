"""Two people at the board at one moment, on a database that really runs them side by side."""

from __future__ import annotations

import pytest
from django.db import transaction

from orders.models import Order, PieceStage, WorkPiece
from orders.services.fulfilment.board import move_piece
from orders.tests.factories import make_order, pay_order
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def moved(piece: WorkPiece, stage: PieceStage) -> str:
    try:
        move_piece(piece_id=piece.pk, stage=stage, version=piece.version, actor=None)
    except Problem as refused:
        return refused.code
    return "moved"


def test_of_two_moves_of_one_piece_the_second_is_told():
    order = pay_order(make_order())
    piece = WorkPiece.objects.get()
    with transaction.atomic():
        assert moved(piece, PieceStage.TO_PREPARE) == "moved"
        second = Started(lambda: moved(piece, PieceStage.TO_PACK))
        wait_until_blocked()
    assert second.value() == "conflict"
    piece.refresh_from_db()
    assert (piece.stage, piece.version) == ("to_prepare", 2)
    assert Order.objects.get().status == "processing"
    assert OutgoingMail.objects.filter(reference=order.reference, kind="order_status").count() == 1


def test_moves_of_two_pieces_both_happen():
    pay_order(make_order())
    pay_order(make_order())
    first, second = WorkPiece.objects.order_by("pk")
    with transaction.atomic():
        assert moved(first, PieceStage.TO_PREPARE) == "moved"
        assert Started(lambda: moved(second, PieceStage.TO_PACK)).value() == "moved"
    assert set(WorkPiece.objects.values_list("stage", "version")) == {("to_prepare", 2), ("to_pack", 2)}
