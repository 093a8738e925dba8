"""Parcels and refunds: what was given back is neither waited for nor sent, what came back had left."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_admin
from orders.access import access_token
from orders.models import Order, OrderStatus, Refund
from orders.models.states import ActorKind
from orders.packing.documents import slip_view
from orders.selectors.board import read_board
from orders.selectors.order_cards import order_cards
from orders.selectors.order_sheet import order_sheet
from orders.selectors.refund_rules import held_amount
from orders.selectors.shipments import parcels_for_page, units_to_send
from orders.selectors.workshop import load_workshop, orders_at_risk, paid_units_to_make, queued_units
from orders.services.fulfilment.delivery_address import may_correct_address
from orders.services.fulfilment.delivery_promises import report_overdue_orders, set_promised_date
from orders.services.fulfilment.shipments import undo_shipment
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.decisions import ReturnedLine, request_refund, retry_refund
from orders.services.refunds.outcomes import record_refusal
from orders.services.status.transitions import status_offers
from orders.services.withdrawals.cases import allow_shipping, record_return
from orders.tests.disputes import dispute
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import mails, send_all
from orders.tests.shipments.parcels import WHY, refused, send, state
from orders.tests.withdrawing import declare, refund
from shop.core.dates import day_in_words, shop_day, unbroken
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db

NOTHING_TO_SEND = (
    "Toutes ses pièces ont été remboursées\u00a0: il ne reste rien à expédier. "
    "Passez-la à «\u00a0Annulée\u00a0» ou «\u00a0Remboursée\u00a0»."
)

WITHDRAWN = (
    "Le client s'est rétracté de pièces qui sont encore à l'atelier\u00a0: expédiez les autres par "
    "«\u00a0Expédier\u00a0», ou remboursez d'abord celles-ci."
)


def test_what_was_refunded_is_not_waited_for(order, provider):
    golem, hibou = order.items.all()
    send(order, 2, 0)
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(hibou.pk, 1)])
    assert units_to_send(Order.objects.get(pk=order.pk)) == {golem.pk: 0, hibou.pk: 0}
    change_status(order_id=order.pk, status="shipped", actor=None)
    assert state(order) == ("shipped", [2, 0], True)
    assert order.shipments.count() == 1


def test_the_order_is_shipped_once_the_rest_of_it_is_refunded(order, provider, client):
    _golem, hibou = order.items.all()
    parcel = send(order, 2, 0)
    undo_shipment(shipment_id=send(order, 0, 1).pk, reason=WHY, actor=None)
    with time_machine.travel(parcel.sent_at + timedelta(days=3)):
        request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(hibou.pk, 1)])
        assert state(order) == ("processing", [2, 0], False)
        send_all()
    assert state(order) == ("shipped", [2, 0], True)
    assert Order.objects.get(pk=order.pk).shipped_at == parcel.sent_at
    # The page still says which pieces came.
    assert parcels_for_page(Order.objects.get(pk=order.pk)) == [parcel]
    # Nobody heard of the other parcel, and the refund has a mail of its own.
    assert mails(order) == ["order_status", "refund_done"]
    # Its customer reads the day of the parcel, not that of the refund.
    day = shop_day(parcel.sent_at)
    page = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
    assert page.count(f'<time datetime="{day.isoformat()}">{unbroken(day_in_words(day))}</time>') == 1
    assert order_cards([Order.objects.get(pk=order.pk)], user_id=0)[0].latest_step.sent_on == day


REST_TO_COME = "Le reste est encore à l'atelier et suivra dans un autre colis."


def says_the_rest_comes(client: Client, order: Order) -> bool:
    """By the order's page and the slip of its parcel, which say the same."""
    text = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
    assert "Colis 1, parti le" in text
    assert bool(slip_view(order, order.shipments.get())["rest"]) is (REST_TO_COME in text)
    return REST_TO_COME in text


def test_a_rest_that_is_refunded_is_not_said_to_come(order, provider, client):
    send(order, 2, 0)
    assert says_the_rest_comes(client, order)
    request_refund(order_id=order.pk, key="rest", lines=[ReturnedLine(order.items.last().pk, 1)])
    assert state(order) == ("confirmed", [2, 0], False)
    assert not says_the_rest_comes(client, order)


def test_a_rest_that_was_withdrawn_from_is_not_said_to_come_unless_it_may(order, client):
    send(order, 2, 0)
    case = declare(order)
    assert not says_the_rest_comes(client, order)
    allow_shipping(case_id=case.pk, actor=None)
    assert says_the_rest_comes(client, order)


@pytest.mark.parametrize(("status", "is_refunded"), [("cancelled", False), ("refunded", True)])
def test_the_rest_of_a_closed_order_is_not_said_to_come(order, provider, client, status, is_refunded):
    send(order, 2, 0)
    change_status(order_id=order.pk, status=status, actor=None, refund=is_refunded, reason=WHY)
    assert state(order) == (status, [2, 0], False)
    assert not says_the_rest_comes(client, order)


@pytest.mark.parametrize("outcome", ["needs_response", "lost"])
def test_a_rest_that_a_bank_keeps_here_is_not_said_to_come(order, provider, client, outcome):
    send(order, 2, 0)
    dispute(provider, outcome)
    assert not says_the_rest_comes(client, order)


@pytest.mark.parametrize(("units", "is_left"), [((2, 1), 0), ((2, 0), 1)])
def test_an_order_of_which_every_unit_was_refunded_promises_and_offers_nothing(
    order, provider, client, units, is_left
):
    lines = [
        ReturnedLine(item.pk, count) for item, count in zip(order.items.all(), units, strict=True) if count
    ]
    # For less than was paid: something is held, and the order is not closed.
    request_refund(order_id=order.pk, key="all", lines=lines, amount=Decimal("70.00"))
    send_all()
    order = Order.objects.get(pk=order.pk)
    assert (order.status, held_amount(order)) == ("confirmed", order.total - 70)
    text = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
    words = (
        "Livraison au plus tard",
        "Vous pouvez vous rétracter",
        "Rien ne sera expédié.",
        "/adresse?acces=",
    )
    assert [text.count(said) for said in words] == [is_left, is_left, 1 - is_left, is_left]
    sheet = order_sheet(order, make_admin())
    assert [sheet.may_correct_address, sheet.may_ship] == [bool(is_left)] * 2
    assert [may_correct_address(order, by) for by in (ActorKind.CUSTOMER, ActorKind.STAFF)] == [
        bool(is_left)
    ] * 2
    assert order_cards([order], user_id=0)[0].withdrawal.offered is bool(is_left)
    offers = {offer.status: offer.reason for offer in status_offers(order)}
    nothing = "" if is_left else NOTHING_TO_SEND
    onward = ("processing", "shipped", "delivered", "cancelled")
    assert [offers[status] for status in onward] == [nothing, nothing, nothing, ""]
    if not is_left:
        for act in (
            *(
                partial(change_status, order_id=order.pk, status=status, actor=None)
                for status in (OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED)
            ),
            lambda: send(order, 2, 1),
        ):
            assert refused(act) == ("nothing_to_send", NOTHING_TO_SEND)
        later = order.promised_by + timedelta(days=9)
        code, _words = refused(
            lambda: set_promised_date(order_id=order.pk, promised_by=later, reason="Four", actor=None)
        )
        assert code == "order_left"
        assert state(order) == ("confirmed", [0, 0], False)
        assert mails(order) == ["refund_done"]
    Order.objects.filter(pk=order.pk).update(promised_by=shop_day(order.created_at) - timedelta(days=1))
    assert report_overdue_orders(timezone.now()) == is_left
    Order.objects.filter(pk=order.pk).update(promised_by=shop_day(order.created_at))
    assert orders_at_risk(shop_day(order.created_at)).count() == is_left


def test_a_refund_that_leaves_pieces_to_send_ships_nothing(order, provider):
    golem, _hibou = order.items.all()
    send(order, 1, 0)
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(golem.pk, 1)])
    send_all()
    assert state(order) == ("confirmed", [1, 0], False)


@pytest.mark.parametrize("is_back", [True, False])
def test_a_piece_that_came_back_is_not_one_that_is_still_to_be_sent(order, provider, is_back):
    golem, hibou = order.items.all()
    send(order, 1, 1)
    case = declare(order)
    if is_back:
        record_return(case_id=case.pk, goods_received=True, moment=timezone.now(), actor=None)
    refund(case, lines=[ReturnedLine(golem.pk, 1), ReturnedLine(hibou.pk, 1)])
    assert state(order) == ("confirmed", [1, 1], False)
    assert units_to_send(Order.objects.get(pk=order.pk)) == {golem.pk: 1, hibou.pk: 0}
    assert not golem.pieces.filter(is_cancelled=True).exists()
    send(order, 1, 0)
    assert state(order) == ("shipped", [2, 1], True)


def test_a_piece_withdrawn_from_before_any_left_stays_here(order, provider):
    golem, hibou = order.items.all()
    case = declare(order)
    allow_shipping(case_id=case.pk, actor=None)
    send(order, 1, 1)
    refund(case, lines=[ReturnedLine(golem.pk, 1)])
    assert units_to_send(Order.objects.get(pk=order.pk)) == {golem.pk: 0, hibou.pk: 0}
    assert state(order) == ("shipped", [1, 1], True)


def test_a_piece_refunded_after_it_was_sent_leaves_the_other_to_be_sent(order, provider):
    golem, hibou = order.items.all()
    parcel = send(order, 1, 1)
    request_refund(order_id=order.pk, key="broken", lines=[ReturnedLine(golem.pk, 1, was_sent=True)])
    send_all()
    assert state(order) == ("confirmed", [1, 1], False)
    assert units_to_send(Order.objects.get(pk=order.pk)) == {golem.pk: 1, hibou.pk: 0}
    assert not golem.pieces.filter(is_cancelled=True).exists()
    # Of a parcel that had not left, it is one that stays.
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    assert units_to_send(Order.objects.get(pk=order.pk)) == {golem.pk: 1, hibou.pk: 1}


@pytest.mark.parametrize("status", [OrderStatus.SHIPPED, OrderStatus.DELIVERED])
def test_no_status_set_by_hand_sends_what_was_withdrawn_from(order, provider, status):
    returned = (ReturnedLine(order.items.last().pk, 1),)
    case = declare(order, order=order, lines=returned)
    allow_shipping(case_id=case.pk, actor=None)
    act = partial(change_status, order_id=order.pk, status=status, actor=None)
    assert (refused(act), state(order)) == (("pieces_withdrawn", WITHDRAWN), ("confirmed", [0, 0], False))
    send(order, 2, 0)
    offers = {offer.status: offer.reason for offer in status_offers(Order.objects.get(pk=order.pk))}
    assert (refused(act), offers["delivered"]) == (("pieces_withdrawn", WITHDRAWN), WITHDRAWN)
    refund(case, lines=returned)
    assert state(order) == ("shipped", [2, 0], True)


def test_the_last_parcel_may_leave_a_refunded_piece_behind(order, provider):
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(order.items.last().pk, 1)])
    send(order, 1, 0)
    parcel = send(order, 1, 0)
    # Whether the refunded piece goes with them is said by who packs.
    assert state(order) == ("confirmed", [2, 0], False)
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    send(order, 1, 0, is_last=True)
    assert state(order) == ("shipped", [2, 0], True)


def test_is_last_does_not_forget_a_piece_that_was_paid(order):
    send(order, 2, 0, is_last=True)
    assert state(order) == ("confirmed", [2, 0], False)


def test_pieces_that_left_or_were_refunded_are_no_longer_in_the_queue(provider):
    save_shop_settings(ShopSettings(weekly_capacity=10))
    made = pay_order(make_order((make_product("Golem"), 5)))
    [item] = made.items.all()
    assert (queued_units(load_workshop()), paid_units_to_make()) == (5, 5)
    send(made, 2)
    assert (queued_units(load_workshop()), paid_units_to_make()) == (3, 3)
    request_refund(order_id=made.pk, key="two", lines=[ReturnedLine(item.pk, 2)])
    assert (queued_units(load_workshop()), paid_units_to_make()) == (1, 1)


@pytest.mark.parametrize("status", ["shipped", "delivered"])
def test_a_piece_whose_refund_is_refused_once_the_rest_has_left_is_neither_made_nor_sent(
    order, provider, status
):
    _golem, hibou = order.items.all()
    refused_one = request_refund(
        order_id=order.pk, key="one", lines=[ReturnedLine(hibou.pk, 1)]
    ).refunds.get()
    change_status(order_id=order.pk, status=status, actor=None)
    Refund.objects.update(state="sent")
    record_refusal(refused_one.pk, "insufficient_funds")
    order = Order.objects.get(pk=order.pk)
    assert (state(order)[:2], list(units_to_send(order).values())) == ((status, [2, 0]), [0, 0])
    assert [card.piece.item.product_name for card in read_board().cards] == ["Golem", "Golem"]
    # Should the dispatch be taken back, it is to be sent as long as nobody tries its refund again.
    if status == "delivered":
        change_status(order_id=order.pk, status="shipped", actor=None)
    change_status(order_id=order.pk, status="processing", actor=None, reason=WHY)
    assert list(units_to_send(Order.objects.get(pk=order.pk)).values()) == [2, 1]
    retry_refund(refund_id=refused_one.pk)
    assert list(units_to_send(Order.objects.get(pk=order.pk)).values()) == [2, 0]
