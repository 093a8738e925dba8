"""The workshop's board: which pieces stand on it, how they move, and what leaves it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.services import grant_role
from accounts.tests.people import make_member
from orders.models import Dispute, Order, Shipment, WorkPiece
from orders.services.fulfilment.notes import write_note
from orders.services.fulfilment.shipments import ship_units, undo_shipment
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.decisions import ReturnedLine, request_refund
from orders.services.status.work_pieces import plan_pieces
from orders.services.withdrawals.cases import allow_shipping
from orders.tests.factories import make_finished_product, make_order, make_product, pay_order
from orders.tests.shipments.parcels import send
from orders.tests.withdrawing import declare
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture
def order() -> Order:
    return pay_order(make_order((make_product("Golem"), 2), (make_product("Hibou"), 1)))


def stages(order: Order, **only: Any) -> list[str]:
    return list(
        WorkPiece.objects.filter(item__order=order, **only)
        .order_by("item__position", "number")
        .values_list("stage", flat=True)
    )


def at_work(order: Order) -> int:
    return WorkPiece.objects.filter(item__order=order, is_cancelled=False).exclude(stage="shipped").count()


def move(client, piece: WorkPiece, stage: str):
    said = {"stage": stage, "version": piece.version}
    return client.post(f"/api/admin/pieces/{piece.pk}/move", said, content_type="application/json")


def status_mails(order: Order) -> int:
    return OutgoingMail.objects.filter(reference=order.reference, kind="order_status").count()


def test_a_paid_order_has_a_piece_a_unit_once():
    unpaid = make_order((make_product(), 2))
    assert stages(unpaid) == []
    order = pay_order(unpaid)
    assert stages(order) == ["to_print", "to_print"]
    plan_pieces(Order.objects.get(pk=order.pk))
    assert set(WorkPiece.objects.values_list("version", flat=True)) == {1}
    assert WorkPiece.objects.count() == 2


def test_what_is_in_stock_begins_to_be_packed():
    order = pay_order(make_order((make_product("Golem", stock_quantity=5), 2), (make_product("Hibou"), 1)))
    assert stages(order) == ["to_pack", "to_pack", "to_print"]


def test_the_first_piece_that_is_begun_sets_its_order_to_processing(staff_client, order):
    first, second, _third = WorkPiece.objects.order_by("pk")
    answer = move(staff_client, first, "to_prepare")
    assert (answer.status_code, answer.json()["stage"], answer.json()["version"]) == (200, "to_prepare", 2)
    first.refresh_from_db()
    assert str(first.moved_by) == "admin@example.com"
    assert Order.objects.get(pk=order.pk).status == "processing"
    assert status_mails(order) == 1
    assert move(staff_client, second, "to_prepare").status_code == 200
    assert status_mails(order) == 1


def test_a_finished_piece_that_is_taken_up_again_begins_no_order(staff_client):
    order = pay_order(make_order((make_product("Golem", stock_quantity=1), 1)))
    assert move(staff_client, WorkPiece.objects.get(), "to_prepare").status_code == 200
    assert (Order.objects.get(pk=order.pk).status, status_mails(order)) == ("confirmed", 0)


def test_a_piece_that_somebody_moved_is_not_moved_again(staff_client, order):
    piece = WorkPiece.objects.first()
    move(staff_client, piece, "to_prepare")
    answer = move(staff_client, piece, "to_paint")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert answer.json()["detail"] == "Quelqu'un a déplacé cette pièce entre-temps. Voici où elle en est."
    assert (answer.json()["current"]["stage"], answer.json()["current"]["version"]) == ("to_prepare", 2)
    piece.refresh_from_db()
    assert (piece.stage, piece.version) == ("to_prepare", 2)


@pytest.mark.parametrize(
    ("stage", "code", "status"),
    [("shipped", "needs_parcel", 409), ("to_paint", "piece_unpainted", 409), ("nowhere", "invalid", 400)],
)
def test_a_stage_that_a_piece_can_not_have_is_refused(staff_client, stage, code, status):
    pay_order(make_order((make_finished_product(), 1), finish="unpainted"))
    piece = WorkPiece.objects.get()
    answer = move(staff_client, piece, stage)
    assert answer.status_code == status
    assert answer.json()["code"] == code
    assert (WorkPiece.objects.get().stage, WorkPiece.objects.get().version) == ("to_print", 1)


def test_an_unknown_piece_is_not_found(staff_client):
    for key in (1, 2**70):
        said = {"stage": "to_pack", "version": 1}
        answer = staff_client.post(f"/api/admin/pieces/{key}/move", said, content_type="application/json")
        assert answer.status_code == 404


def test_a_parcel_takes_the_most_advanced_and_brings_them_back_to_be_packed(staff_client, order):
    first, second, _third = WorkPiece.objects.order_by("pk")
    move(staff_client, second, "to_photograph")
    parcel = send(order, 1, 0)
    assert stages(order) == ["to_print", "shipped", "to_print"]
    assert WorkPiece.objects.get(pk=second.pk).shipment == parcel
    answer = move(staff_client, WorkPiece.objects.get(pk=second.pk), "to_pack")
    assert (answer.status_code, answer.json()["code"]) == (409, "piece_left")
    undo_shipment(shipment_id=parcel.pk, reason="Resté ici.", actor=None)
    assert stages(order) == ["to_print", "to_pack", "to_print"]
    assert WorkPiece.objects.get(pk=second.pk).shipment is None
    assert WorkPiece.objects.get(pk=first.pk).version == 1


def test_a_dispatch_takes_all_pieces_and_its_undoing_brings_them_back(order):
    change_status(order_id=order.pk, status="shipped", actor=None)
    assert stages(order) == ["shipped"] * 3
    change_status(order_id=order.pk, status="processing", actor=None, reason="Resté ici.")
    assert stages(order, is_cancelled=False) == ["to_pack"] * 3


def test_what_is_refunded_leaves_the_board_the_least_advanced_first(staff_client, order, provider):
    first, second, _third = WorkPiece.objects.order_by("pk")
    move(staff_client, first, "to_prepare")
    request_refund(order_id=order.pk, key="a", lines=[ReturnedLine(first.item_id, 1)])
    second.refresh_from_db()
    assert (at_work(order), second.is_cancelled) == (2, True)
    assert move(staff_client, second, "to_pack").json()["code"] == "piece_left"
    send(Order.objects.get(pk=order.pk), 1, 1, is_last=True)
    assert stages(order, is_cancelled=False) == ["shipped", "shipped"]


def test_a_cancelled_order_leaves_the_board_and_returns_when_it_is_reopened(order):
    change_status(order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Attente.")
    assert at_work(order) == 0
    change_status(order_id=order.pk, status="confirmed", actor=None)
    assert at_work(order) == 3


def test_the_board_shows_pieces_by_promised_day(staff_client, order):
    later = pay_order(make_order())
    today = timezone.localdate()
    Order.objects.filter(pk=order.pk).update(promised_by=today - timedelta(days=1))
    Order.objects.filter(pk=later.pk).update(promised_by=today)
    write_note(order_id=order.pk, text="Socle noir.", author=make_member("a@example.com"))
    board = staff_client.get("/api/admin/board").json()
    assert (board["is_whole"], board["more"], board["gone"]) == (True, {}, [])
    cards = [
        (card["name"], card["reference"], card["is_late"], card["staff_notes"]) for card in board["cards"]
    ]
    assert cards == [
        *[("Golem", order.reference, True, 1)] * 2,
        ("Hibou", order.reference, True, 1),
        ("Golem de poche", later.reference, False, 0),
    ]


def test_what_left_stays_for_two_days(staff_client, order):
    send(order, 2, 1)
    shown = [card["stage"] for card in staff_client.get("/api/admin/board").json()["cards"]]
    assert shown == ["shipped"] * 3
    Shipment.objects.update(sent_at=timezone.now() - timedelta(days=3))
    assert staff_client.get("/api/admin/board").json()["cards"] == []


def test_a_column_is_bounded_and_says_what_it_leaves_out(staff_client, order, monkeypatch):
    monkeypatch.setattr("orders.selectors.board.COLUMN_SIZE", 2)
    board = staff_client.get("/api/admin/board").json()
    assert (len(board["cards"]), board["more"]) == (2, {"to_print": 1})


def test_only_what_changed_is_read_again(staff_client, order, django_assert_num_queries):
    WorkPiece.objects.update(moved_at=timezone.now() - timedelta(minutes=5))
    since = staff_client.get("/api/admin/board").json()["since"]
    first, second, _third = WorkPiece.objects.order_by("pk")
    path = "/api/admin/board"
    # The session, its account, and the pieces that changed.
    with django_assert_num_queries(3):
        board = staff_client.get(path, {"since": since}).json()
    assert (board["is_whole"], board["cards"], board["gone"]) == (False, [], [])
    move(staff_client, first, "to_prepare")
    WorkPiece.objects.filter(pk=second.pk).update(is_cancelled=True, moved_at=timezone.now())
    board = staff_client.get(path, {"since": since}).json()
    assert [(card["id"], card["stage"]) for card in board["cards"]] == [(first.pk, "to_prepare")]
    assert board["gone"] == [second.pk]
    old = (timezone.now() - timedelta(hours=1)).isoformat()
    assert staff_client.get(path, {"since": old}).json()["is_whole"] is True
    assert staff_client.get(path, {"since": "hier"}).status_code == 400


def test_the_board_costs_the_same_whatever_stands_on_it(staff_client, order, django_assert_max_num_queries):
    for _count in range(3):
        pay_order(make_order())
    # The session, its account, the pieces, their photographs, the notes, withdrawals and disputes of their orders.
    with django_assert_max_num_queries(7):
        assert len(staff_client.get("/api/admin/board").json()["cards"]) == 6


def test_who_withdrew_hears_of_no_preparation(staff_client, order):
    case = declare(order)
    first, second, _third = WorkPiece.objects.order_by("pk")
    assert move(staff_client, first, "to_prepare").status_code == 200
    assert (Order.objects.get(pk=order.pk).status, status_mails(order)) == ("confirmed", 0)
    allow_shipping(case_id=case.pk, actor=None)
    assert move(staff_client, second, "to_prepare").status_code == 200
    assert (Order.objects.get(pk=order.pk).status, status_mails(order)) == ("processing", 1)


def test_pieces_of_an_order_that_a_withdrawal_keeps_from_leaving_are_marked(staff_client, order):
    other = pay_order(make_order())
    case = declare(order)
    cards = staff_client.get("/api/admin/board").json()["cards"]
    assert {(card["reference"], card["is_withdrawn"]) for card in cards} == {
        (order.reference, True), (other.reference, False),
    }  # fmt: skip
    allow_shipping(case_id=case.pk, actor=None)
    cards = staff_client.get("/api/admin/board").json()["cards"]
    assert not any(card["is_withdrawn"] for card in cards)


def test_the_piece_that_was_withdrawn_from_stays_marked_where_the_rest_may_leave(staff_client):
    order = pay_order(make_order((make_product("Golem"), 3), (make_product("Hibou"), 1)))
    golem, hibou = order.items.all()
    cases = [
        declare(order, order=order, lines=(ReturnedLine(hibou.pk, 1),)),
        declare(order, order=order, lines=(ReturnedLine(golem.pk, 1),)),
    ]
    assert move(staff_client, golem.pieces.get(number=1), "to_pack").status_code == 200

    def marked() -> list[tuple[str, int]]:
        cards = staff_client.get("/api/admin/board").json()["cards"]
        pieces = WorkPiece.objects.filter(pk__in=[card["id"] for card in cards if card["is_withdrawn"]])
        return list(pieces.order_by("pk").values_list("item__product_name", "number"))

    assert marked() == [("Golem", 1), ("Golem", 2), ("Golem", 3), ("Hibou", 1)]
    for case in cases:
        allow_shipping(case_id=case.pk, actor=None)
    # Of the line that stays in part, what is least advanced.
    assert marked() == [("Golem", 3), ("Hibou", 1)]


def test_a_piece_that_left_is_not_marked_for_a_withdrawal(staff_client):
    order = pay_order(make_order((make_product("Hibou"), 2)))
    ship_units(order_id=order.pk, units={order.items.get().pk: 1}, actor=None)
    declare(order)
    cards = staff_client.get("/api/admin/board").json()["cards"]
    assert {(card["stage"] == "shipped", card["is_withdrawn"]) for card in cards} == {
        (True, False), (False, True),
    }  # fmt: skip


@pytest.mark.parametrize(("state", "is_marked"), [("needs_response", True), ("lost", True), ("won", False)])
def test_pieces_of_an_order_whose_payment_is_disputed_are_marked(staff_client, order, state, is_marked):
    other = pay_order(make_order())
    paid = order.payments.get().attempts.get()
    Dispute.objects.create(order=order, attempt=paid, provider_id="du_1", amount=order.total, state=state)
    cards = staff_client.get("/api/admin/board").json()["cards"]
    assert {(card["reference"], card["is_disputed"]) for card in cards} == {
        (order.reference, is_marked), (other.reference, False),
    }  # fmt: skip


def test_who_packs_moves_pieces_and_a_member_does_not(client, order):
    piece = WorkPiece.objects.first()
    packer = make_member("emballage@example.com")
    client.force_login(packer)
    assert move(client, piece, "to_prepare").status_code == 403
    assert client.get("/api/admin/board").status_code == 403
    grant_role(user=packer, role="staff")
    client.force_login(packer)
    assert move(client, piece, "to_prepare").status_code == 200
