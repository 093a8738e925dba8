"""A withdrawal from a part of an order that leaves in several parcels: what is still here is not asked back, and the
rest may leave."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.people import make_admin
from orders.access import access_token
from orders.models import Order, PieceStage, Refund, WithdrawalCase, WorkPiece
from orders.models.states import ActorKind
from orders.packing.documents import slip_view
from orders.selectors.admin_orders import count_orders, find_orders
from orders.selectors.board import read_board, ready_orders
from orders.selectors.order_sheet import order_sheet
from orders.selectors.shipments import units_to_send
from orders.selectors.withdrawals import Urgency, units_that_follow, units_to_return, urgency_of
from orders.services.fulfilment.board import move_piece
from orders.services.fulfilment.delivery_address import (
    DeliveryAddress,
    correct_delivery_address,
    may_correct_address,
)
from orders.services.fulfilment.delivery_promises import report_overdue_orders
from orders.services.fulfilment.dispatch import Dispatch, dispatch_orders
from orders.services.fulfilment.shipments import undo_shipment
from orders.services.refunds.decisions import ReturnedLine, request_refund
from orders.services.refunds.sending import sync_refunds
from orders.services.withdrawals.cases import allow_shipping
from orders.tests.refunding import mails
from orders.tests.shipments.parcels import WHY, last_mail, refused, send, state
from orders.tests.withdrawing import declare, kinds, refund
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.tests.reading import text

pytestmark = pytest.mark.django_db

PARIS = DeliveryAddress(address="14 rue Neuve", postal_code="75011", city="Paris", country="FR")
ACKNOWLEDGED = ["withdrawal_received", "withdrawal_workshop"]


def withdraw_from_hibou(order: Order) -> WithdrawalCase:
    return declare(order, order=order, lines=(ReturnedLine(order.items.last().pk, 1),))


def after_a_fortnight(case: WithdrawalCase) -> tuple[str, Urgency]:
    case.refresh_from_db()
    return case.state, urgency_of(case, timezone.localdate() + timedelta(days=14))


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(make_admin())
    return client


def steps(staff: Client, case: WithdrawalCase) -> list[bool]:
    shown = text(staff.get(reverse("staff-withdrawal", args=[case.pk])))
    return [label in shown for label in ("Demander le renvoi", "Permettre l'expédition du reste")]


def test_a_piece_that_is_still_here_is_not_asked_back(order, client):
    send(order, 2, 0)
    case = withdraw_from_hibou(order)
    assert kinds() == ACKNOWLEDGED
    told = render(OutgoingMail.objects.get(kind="withdrawal_workshop")).text
    assert "Les pièces rendues ne sont pas parties\u00a0: la commande ne peut plus" in told
    # Nothing comes back that the refund could wait for (L221-24).
    assert after_a_fortnight(case) == ("declared", Urgency.RED)
    shown = text(client.get(f"/commande/{order.pk}?acces={access_token(order)}"))
    assert ("en cours de traitement" in shown, "nous attendons votre renvoi" in shown) == (True, False)


def test_a_piece_that_left_is_asked_back(order):
    send(order, 0, 1)
    case = withdraw_from_hibou(order)
    assert kinds() == ["withdrawal_received", "withdrawal_return", "withdrawal_workshop"]
    assert after_a_fortnight(case) == ("goods_awaited", Urgency.WAITING)


def test_one_of_several_pieces_that_left_is_asked_back(order):
    send(order, 1, 0)
    case = declare(order, order=order, lines=(ReturnedLine(order.items.first().pk, 1),))
    assert case.state == "goods_awaited"


@pytest.mark.parametrize(
    ("sent", "declared", "asked"),
    [
        ((1, 0), (2, 1), "- 1 × Golem\n"),
        ((2, 1), (0, 1), "- 1 × Hibou\n"),
        ((2, 1), (), "- 2 × Golem\n- 1 × Hibou\n"),
    ],
)
def test_the_mail_names_the_pieces_that_are_to_be_sent_back(order, sent, declared, asked):
    send(order, *sent)
    lines = [ReturnedLine(item.pk, units) for item, units in zip(order.items.all(), declared, strict=False)]
    declare(order, order=order, lines=tuple(line for line in lines if line.quantity))
    mail = render(OutgoingMail.objects.get(kind="withdrawal_return"))
    assert mail.subject == f"Comment renvoyer vos pièces (commande {order.reference})"
    assert f"À renvoyer, de votre commande {order.reference}\u00a0:\n{asked}\n" in mail.text
    assert mail.html.count("<li>") == asked.count("- ")


@pytest.mark.parametrize("units", [(1, 0), (2, 0)])
def test_a_piece_whose_parcel_had_not_left_is_no_longer_awaited(order, units):
    send(order, *units)
    parcel = send(order, 0, 1)
    case = withdraw_from_hibou(order)
    assert case.state == "goods_awaited"
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    assert after_a_fortnight(case) == ("declared", Urgency.RED)


@pytest.mark.parametrize("is_decided", [False, True])
def test_a_piece_that_left_is_awaited_whatever_parcel_is_taken_back(order, provider, is_decided):
    send(order, 0, 1)
    case = withdraw_from_hibou(order)
    allow_shipping(case_id=case.pk, actor=None)
    if is_decided:
        lines = [ReturnedLine(order.items.last().pk, 1)]
        request_refund(order_id=order.pk, key="hibou", lines=lines, withdrawal=case.withdrawal)
    undo_shipment(shipment_id=send(order, 2, 0).pk, reason=WHY, actor=None)
    assert after_a_fortnight(case) == ("goods_awaited", Urgency.WAITING)


@pytest.mark.parametrize(("line", "sent"), [(1, [2, 0]), (0, [1, 1])])
def test_money_that_came_back_waits_for_no_piece_that_never_left(order, provider, line, sent):
    lines = (ReturnedLine(order.items.all()[line].pk, 1),)
    case = declare(order, order=order, lines=lines)
    refund(case, lines=lines)
    send(order, *sent, is_last=True)
    assert (case.state, state(order)) == ("refunded", ("shipped", sent, True))
    returned = Refund.objects.get()
    provider.settle_refund(str(returned.provider_id), "failed")
    sync_refunds(str(returned.attempt.intent_id))
    assert after_a_fortnight(case) == ("declared", Urgency.RED)


def test_the_rest_may_leave_while_a_piece_that_left_is_awaited(order, staff):
    send(order, 0, 1)
    case = withdraw_from_hibou(order)
    assert steps(staff, case) == [False, True]
    staff.post(reverse("staff-withdrawal-step", args=[case.pk, "expedition"]))
    assert steps(staff, case) == [False, False]
    send(order, 2, 0)
    assert state(order) == ("shipped", [2, 1], True)


def test_a_piece_is_asked_back_once_it_left(order, staff):
    send(order, 1, 0)
    case = withdraw_from_hibou(order)
    assert steps(staff, case) == [False, True]
    staff.post(reverse("staff-withdrawal-step", args=[case.pk, "expedition"]))
    send(order, 0, 1)
    assert steps(staff, case) == [True, False]
    staff.post(reverse("staff-withdrawal-step", args=[case.pk, "renvoi"]))
    assert after_a_fortnight(case) == ("goods_awaited", Urgency.WAITING)


def said_of_the_rest(order: Order, client: Client) -> list[bool]:
    """By the mail of a parcel, its day and that of its slip, and the order's page."""
    said = last_mail(order)[1]
    page = text(client.get(f"/commande/{order.pk}?acces={access_token(order)}"))
    slip = slip_view(order, order.shipments.get())["rest"]
    return [
        "Il a quitté l'atelier le" in said and "Livraison au plus tard le" in said,
        "Le reste de votre commande suit" in said,
        slip == "Le reste de votre commande suit dans un autre colis.",
        "Le reste est encore à l'atelier et suivra dans un autre colis." in page,
    ]


@pytest.mark.parametrize(("sent", "follows"), [((2, 0), False), ((1, 0), True), ((1, 1), True)])
def test_a_piece_that_was_withdrawn_from_is_not_said_to_follow(order, client, sent, follows):
    case = withdraw_from_hibou(order)
    allow_shipping(case_id=case.pk, actor=None)
    send(order, *sent)
    assert said_of_the_rest(order, client) == [True, follows, follows, follows]


def test_one_of_two_pieces_follows_where_the_other_left_and_comes_back(order, client):
    send(order, 1, 1)
    case = declare(order, order=order, lines=(ReturnedLine(order.items.first().pk, 1),))
    allow_shipping(case_id=case.pk, actor=None)
    assert said_of_the_rest(order, client) == [True, True, True, True]


def test_nothing_is_said_to_follow_while_pieces_named_in_words_are_not_known(order, client):
    send(order, 1, 1)
    assert said_of_the_rest(order, client)[2:] == [True, True]
    case = declare(order, order=order, goods="Le petit golem")
    assert said_of_the_rest(order, client)[2:] == [False, False]
    allow_shipping(case_id=case.pk, actor=None)
    assert said_of_the_rest(order, client)[2:] == [True, True]


@pytest.mark.parametrize(("is_withdrawn", "is_to_come"), [(True, False), (False, True)])
def test_who_withdrew_reads_of_no_dispatch_to_come_when_one_had_not_left(order, is_withdrawn, is_to_come):
    parcel = send(order, 2, 1)
    last_mail(order)
    if is_withdrawn:
        declare(order)
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    subject, said = last_mail(order)
    assert subject == f"Votre commande {order.reference} n'est pas encore partie"
    assert [words in said for words in ("Prochaine étape", "Livraison au plus tard le")] == [is_to_come] * 2


@pytest.mark.parametrize("is_withdrawn", [True, False])
def test_who_withdrew_and_heard_of_no_dispatch_reads_of_no_preparation(order, is_withdrawn):
    parcel = send(order, 2, 1)
    if is_withdrawn:
        declare(order)
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    told = OutgoingMail.objects.filter(kind="order_status")
    assert [render(mail).subject for mail in told] == (
        [] if is_withdrawn else [f"Nous préparons votre commande {order.reference}"]
    )


def test_the_piece_of_a_line_that_was_withdrawn_from_stays_here_when_the_other_leaves(order, client, staff):
    case = declare(order, order=order, lines=(ReturnedLine(order.items.first().pk, 1),))
    allow_shipping(case_id=case.pk, actor=None)
    send(order, 1, 1)
    assert said_of_the_rest(order, client) == [True, False, False, False]
    assert units_that_follow(order) == {item.pk: 0 for item in order.items.all()}
    assert steps(staff, case) == [False, False]
    # By mistake.
    send(order, 1, 0)
    assert steps(staff, case) == [True, False]
    assert units_to_return(order, case.withdrawal) == {order.items.first().pk: 1}


def test_a_refund_counts_as_sent_what_of_its_declaration_had_left(order, provider):
    golem, hibou = order.items.all()
    send(order, 0, 1)
    lines = (ReturnedLine(golem.pk, 1), ReturnedLine(hibou.pk, 1))
    case = declare(order, order=order, lines=lines)
    allow_shipping(case_id=case.pk, actor=None)
    send(order, 1, 0)
    refund(case, lines=lines)
    order.refresh_from_db()
    assert units_to_send(order) == {golem.pk: 0, hibou.pk: 0}
    assert state(order) == ("shipped", [1, 1], True)


@pytest.mark.both_engines
def test_of_two_declarations_about_a_line_that_of_what_had_left_is_asked_back(order, client):
    golem = order.items.first().pk
    first = declare(order, order=order, lines=(ReturnedLine(golem, 1),))
    allow_shipping(case_id=first.pk, actor=None)
    send(order, 1, 1)
    second = declare(order, order=order, lines=(ReturnedLine(golem, 1),), reason="L'autre aussi.")
    assert [case.state for case in (first, second)] == ["declared", "goods_awaited"]
    assert [units_to_return(order, case.withdrawal) for case in (first, second)] == [{golem: 0}, {golem: 1}]
    assert units_that_follow(order) == {golem: 0, order.items.last().pk: 0}


def test_what_was_withdrawn_from_leaves_by_nobodys_oversight(order, provider):
    case = withdraw_from_hibou(order)
    allow_shipping(case_id=case.pk, actor=None)
    WorkPiece.objects.update(stage=PieceStage.TO_PACK)
    [result] = dispatch_orders([Dispatch(order.pk, "", "6A1")], actor=None)
    assert (result.outcome, result.code, result.detail) == (
        "refused",
        "pieces_withdrawn",
        "Le client s'est rétracté d'une partie\u00a0: choisissez sur la commande les pièces qui partent.",
    )
    assert state(order) == ("confirmed", [0, 0], False)
    lines = [ReturnedLine(order.items.last().pk, 1)]
    request_refund(order_id=order.pk, key="hibou", lines=lines, withdrawal=case.withdrawal)
    [result] = dispatch_orders([Dispatch(order.pk, "", "6A1")], actor=None)
    assert (result.outcome, state(order)) == ("shipped", ("shipped", [2, 0], True))


@pytest.mark.both_engines
def test_what_stays_is_ready_to_leave_while_nobody_makes_what_was_withdrawn_from(order):
    case = withdraw_from_hibou(order)
    golem, hibou = order.items.all()

    def listed() -> list[list[int]]:
        return [[len(item.ready) for item in ready.items.all()] for ready in ready_orders("")]

    def sent(number: str) -> tuple[str, str]:
        [result] = dispatch_orders([Dispatch(order.pk, "dpd", number)], actor=None)
        return result.outcome, result.code

    WorkPiece.objects.filter(item=golem, number=1).update(stage=PieceStage.TO_PACK)
    assert (listed(), sent("6A1")) == ([], ("refused", "withdrawal_open"))
    allow_shipping(case_id=case.pk, actor=None)
    assert (listed(), sent("6A1")) == ([], ("refused", "pieces_not_ready"))
    WorkPiece.objects.filter(item=golem).update(stage=PieceStage.TO_PACK)
    assert (listed(), sent("6A1")) == ([[2, 0]], ("shipped", ""))
    # All that is wanted of it has left; the piece that stays waits for its refund.
    assert (state(order), listed()) == (("confirmed", [2, 0], False), [])
    assert (sent("6A1"), sent("6A2")) == (("already", ""), ("refused", "already_shipped"))
    WorkPiece.objects.filter(item=hibou).update(stage=PieceStage.TO_PACK)
    assert (listed(), sent("6A1")) == ([], ("already", ""))


@pytest.mark.parametrize(("is_all", "is_awaited"), [(True, False), (False, True)])
def test_an_order_that_was_withdrawn_from_in_parts_is_awaited_as_long_as_a_piece_stays(
    order, client, is_all, is_awaited
):
    withdraw_from_hibou(order)
    golem = order.items.first()
    declare(order, order=order, lines=(ReturnedLine(golem.pk, 2 if is_all else 1),))
    page = text(client.get(f"/commande/{order.pk}?acces={access_token(order)}"))
    said = ("Livraison au plus tard le", "Vous avez renoncé à cette commande")
    assert [words in page for words in said] == [is_awaited, is_all]
    first = WorkPiece.objects.earliest("pk")
    move_piece(piece_id=first.pk, stage=PieceStage.TO_PACK, version=first.version, actor=None)
    assert (state(order)[0], mails(order)) == (
        ("processing", ["order_status"]) if is_awaited else ("confirmed", [])
    )
    late = timezone.localtime() + timedelta(days=1)
    Order.objects.filter(pk=order.pk).update(promised_by=timezone.localdate())
    assert report_overdue_orders(late) == int(is_awaited)


@pytest.mark.both_engines
@pytest.mark.parametrize("is_allowed", [False, True])
@pytest.mark.parametrize(("golems", "stays"), [(2, 0), (1, 1)])
def test_lists_of_staff_hold_an_order_withdrawn_from_in_parts_as_long_as_a_piece_stays(
    order, golems, stays, is_allowed
):
    for case in (
        withdraw_from_hibou(order),
        declare(order, order=order, lines=(ReturnedLine(order.items.first().pk, golems),)),
    ):
        if is_allowed:
            allow_shipping(case_id=case.pk, actor=None)
    WorkPiece.objects.update(stage=PieceStage.TO_PACK)
    today = timezone.localdate()

    def lists(promised_by):
        Order.objects.filter(pk=order.pk).update(promised_by=promised_by)
        return [
            len(find_orders(waits="to_make").rows),
            len(find_orders(waits="at_risk").rows),
            len(find_orders(late=True).rows),
            count_orders().late,
            sum(ready.is_late for ready in ready_orders("")),
            sum(card.is_late for card in read_board().cards) // 3,
        ]

    assert lists(today + timedelta(days=60)) == [stays, 0, 0, 0, 0, 0]
    assert lists(today) == [stays, stays, 0, 0, 0, 0]
    assert lists(today - timedelta(days=1)) == [0, 0, stays, stays, stays, stays]


@pytest.mark.parametrize(
    ("declarations", "stays"), [([()], False), ([(2, 0), (0, 1)], False), ([(2, 0)], True)]
)
def test_an_order_that_was_withdrawn_from_goes_nowhere_else(order, client, declarations, stays):
    for units in declarations:
        lines = [ReturnedLine(item.pk, count) for item, count in zip(order.items.all(), units, strict=False)]
        declare(order, order=order, lines=tuple(line for line in lines if line.quantity))
    page = text(client.get(f"/commande/{order.pk}?acces={access_token(order)}"))
    sheet = order_sheet(Order.objects.get(pk=order.pk), make_admin())
    assert ["Corriger l'adresse" in page, sheet.may_correct_address, sheet.may_ship] == [stays] * 3
    for by in (ActorKind.CUSTOMER, ActorKind.STAFF):
        assert may_correct_address(order, by) is stays
        if not stays:
            assert refused(
                lambda by=by: correct_delivery_address(order_id=order.pk, address=PARIS, by=by, actor=None)
            ) == ("address_final", "Il ne reste rien à expédier de cette commande.")


def test_what_stays_is_said_to_be_sent_where_a_dispatch_had_not_left(order):
    parcel = send(order, 2, 1)
    withdraw_from_hibou(order)
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    said = last_mail(order)[1]
    assert [words in said for words in ("Prochaine étape", "Livraison au plus tard le")] == [True, True]


@pytest.mark.parametrize(("golems", "to_send"), [(0, [2, 0]), (1, [1, 0]), (2, [0, 0])])
def test_a_parcel_and_its_slip_are_proposed_without_what_was_withdrawn_from(order, golems, to_send):
    withdraw_from_hibou(order)
    if golems:
        declare(order, order=order, lines=(ReturnedLine(order.items.first().pk, golems),))
    sheet = order_sheet(Order.objects.get(pk=order.pk), make_admin())
    assert ([line.to_send for line in sheet.lines], sheet.may_ship) == (to_send, any(to_send))
    assert [line.withdrawn for line in sheet.lines] == [golems, 1]
    slip = [(line["name"], line["quantity"]) for line in slip_view(order)["lines"]]
    assert slip == ([("Golem", str(to_send[0]))] if to_send[0] else [("Golem", "2"), ("Hibou", "1")])
