"""An order in several parcels: which pieces left, when it is shipped, what its customer reads, and back again."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from html import unescape
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from django.utils.formats import date_format

from accounts.tests.people import make_admin
from orders.access import access_token
from orders.models import Order, OrderStatus, PausedBy, PauseEnd, Shipment
from orders.models.states import ActorKind
from orders.selectors.installments import outstanding
from orders.selectors.order_cards import order_cards
from orders.selectors.order_sheet import order_sheet
from orders.selectors.refund_rules import held_amount
from orders.selectors.shipments import parcels_for_page, units_to_send
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.workshop import load_workshop, orders_at_risk, paid_units_to_make, queued_units
from orders.services.fulfilment.delivery_address import may_correct_address
from orders.services.fulfilment.delivery_promises import (
    report_overdue_orders,
    set_delivery_day,
    set_promised_date,
)
from orders.services.fulfilment.shipments import ship_units, undo_shipment
from orders.services.fulfilment.status_changes import change_status
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.refunds.decisions import ReturnedLine, request_refund
from orders.services.status.transitions import status_offers
from orders.services.withdrawals.cases import allow_shipping, record_return
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import in_installments, mails, send_all
from orders.tests.withdrawing import declare, refund
from shop.core.dates import shop_day, unbroken
from shop.core.mail_delivery import deliver, render
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.problems import Problem
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db
NOTHING_TO_SEND = (
    "Toutes ses pièces ont été remboursées\u00a0: il ne reste rien à expédier. "
    "Passez-la à «\u00a0Annulée\u00a0» ou «\u00a0Remboursée\u00a0»."
)
WHY = "Le colis est resté sur l'étagère."


@pytest.fixture
def order() -> Order:
    return pay_order(make_order((make_product("Golem"), 2), (make_product("Hibou"), 1)))


def send(order: Order, *units: int, **said: Any) -> Shipment:
    """Send so many units of each line."""
    wanted = {item.pk: count for item, count in zip(order.items.all(), units, strict=True)}
    return ship_units(order_id=order.pk, units=wanted, actor=None, **said)


def state(order: Order) -> tuple[Any, ...]:
    order = Order.objects.get(pk=order.pk)
    return (
        order.status,
        list(order.items.values_list("sent_quantity", flat=True)),
        order.shipped_at is not None,
    )


def last_mail(order: Order) -> tuple[str, str]:
    mail = OutgoingMail.objects.filter(reference=order.reference, kind="order_status").latest("pk")
    OutgoingMail.objects.filter(pk=mail.pk).update(next_attempt_at=mail.created_at)
    deliver(mail.pk)
    mail.refresh_from_db()
    return mail.subject, mail.text


def refused(act: Any) -> tuple[str, str]:
    with pytest.raises(Problem) as caught:
        act()
    return caught.value.code, caught.value.detail


def test_the_order_is_shipped_when_all_its_pieces_have_left(order):
    first = send(order, 1, 0, carrier="colissimo", tracking_number="6A1")
    assert state(order) == ("confirmed", [1, 0], False)
    assert Order.objects.get(pk=order.pk).first_sent_at == first.sent_at
    assert units_to_send(Order.objects.get(pk=order.pk)) == {
        item.pk: left for item, left in zip(order.items.all(), (1, 1), strict=True)
    }
    send(order, 1, 1, tracking_number="6A2")
    assert state(order) == ("shipped", [2, 1], True)
    assert [
        (row.tracking_number, list(row.lines.values_list("quantity", flat=True)))
        for row in order.shipments.all()
    ] == [("6A1", [1]), ("6A2", [1, 1])]


def test_a_dispatch_is_a_parcel_of_all_that_is_here(order):
    send(order, 2, 0)
    change_status(order_id=order.pk, status="shipped", actor=None, tracking_number="6A2", carrier="dpd")
    assert state(order) == ("shipped", [2, 1], True)
    last = order.shipments.last()
    assert (last.carrier, last.tracking_number) == ("dpd", "6A2")
    assert [(line.item.product_name, line.quantity) for line in last.lines.all()] == [("Hibou", 1)]


@pytest.mark.parametrize(
    ("units", "code", "words"),
    [
        ((3, 0), "units_not_here", "Il reste 2 à expédier de «\xa0Golem\xa0»."),
        ((0, 0), "no_units", "Choisissez au moins une pièce."),
    ],
)
def test_only_what_is_here_leaves(order, units, code, words):
    assert refused(lambda: send(order, *units)) == (code, words)
    assert state(order) == ("confirmed", [0, 0], False)
    assert not Shipment.objects.exists()


def test_pieces_of_another_order_are_not_in_it(order):
    other = pay_order(make_order((make_product("Kraken"), 1)))
    units = {other.items.get().pk: 1}
    assert refused(lambda: ship_units(order_id=order.pk, units=units, actor=None)) == (
        "units_not_here", "Cette pièce n'est pas dans la commande.",
    )  # fmt: skip


def test_the_mails_say_which_pieces_are_in_which_parcel(order):
    send(order, 1, 0, carrier="colissimo", tracking_number="6A1", message="Le second suit.")
    subject, text = last_mail(order)
    assert subject == f"Un colis de votre commande {order.reference} est parti"
    assert "Le reste de votre commande suit dans un autre colis" in text
    assert "Dans ce colis\xa0:\n- 1 × Golem\n" in text
    assert "6A1" in text
    send(order, 1, 1)
    subject, text = last_mail(order)
    assert subject == f"Le dernier colis de votre commande {order.reference} est parti"
    assert "Dans ce colis\xa0:\n- 1 × Golem\n- 1 × Hibou\n" in text


def test_l216_6_who_waits_for_the_rest_reads_that_a_part_is_late(order):
    send(order, 1, 0)
    report_overdue_orders(timezone.now() + timedelta(days=90))
    mail = render(OutgoingMail.objects.get(kind="delivery_overdue"))
    for words in (
        "Une partie de votre commande n'est pas partie à temps",
        "au plus tard, et une partie est encore à l'atelier.",
    ):
        assert words in mail.text
        assert words in unescape(mail.html)


def test_the_mail_of_the_only_parcel_is_as_it_was(order):
    change_status(order_id=order.pk, status="shipped", actor=None)
    subject, text = last_mail(order)
    assert subject == f"Votre commande {order.reference} est partie"
    assert "Dans ce colis" not in text


def test_two_parcels_of_one_minute_have_a_mail_each(order):
    send(order, 1, 0)
    send(order, 0, 1)
    mails = OutgoingMail.objects.filter(reference=order.reference, kind="order_status")
    assert mails.count() == 2


def test_the_period_of_withdrawal_waits_for_the_last_parcel(order):
    send(order, 1, 0)
    assert refused(
        lambda: set_delivery_day(order_id=order.pk, delivered_on=timezone.localdate(), actor=None)
    ) == ("order_not_sent", "Cette commande n'est pas encore partie.")
    assert withdrawal_deadline(Order.objects.get(pk=order.pk)) is None


def test_a_parcel_that_had_not_left_is_taken_back(order):
    shipment = send(order, 1, 0, tracking_number="6A1")
    assert refused(lambda: undo_shipment(shipment_id=shipment.pk, reason=" ", actor=None)) == (
        "reason_needed", "Dites pourquoi\xa0: le motif reste au journal.",
    )  # fmt: skip
    undo_shipment(shipment_id=shipment.pk, reason=WHY, actor=None)
    shipment.refresh_from_db()
    assert state(order) == ("confirmed", [0, 0], False)
    assert Order.objects.get(pk=order.pk).first_sent_at is None
    assert (shipment.undone_at is not None, shipment.undo_reason) == (True, WHY)
    assert list(order.tracking.values_list("tracking_number", "undone"))[1] == ("6A1", True)
    # Its mail had not left: nobody is told of something that they never heard of.
    assert not OutgoingMail.objects.filter(reference=order.reference, kind="order_status").exists()
    assert (
        refused(lambda: undo_shipment(shipment_id=shipment.pk, reason=WHY, actor=None))[0]
        == "shipment_undone"
    )


def test_who_was_told_of_a_parcel_is_told_that_it_is_still_here(order):
    shipment = send(order, 1, 0)
    last_mail(order)
    undo_shipment(shipment_id=shipment.pk, reason=WHY, actor=None)
    subject, text = last_mail(order)
    assert subject == f"Un colis de votre commande {order.reference} n'est pas encore parti"
    assert "Toutes nos excuses." in text


def test_undoing_the_last_parcel_leaves_the_others_sent(order):
    first, last = send(order, 1, 0), send(order, 1, 1)
    assert refused(lambda: undo_shipment(shipment_id=first.pk, reason=WHY, actor=None)) == (
        "not_last_shipment", "Annulez d'abord le dernier colis.",
    )  # fmt: skip
    undo_shipment(shipment_id=last.pk, reason=WHY, actor=None)
    assert state(order) == ("processing", [1, 0], False)
    reread = Order.objects.get(pk=order.pk)
    assert (reread.goods_have_left, reread.first_sent_at) == (True, first.sent_at)
    subject, _text = last_mail(order)
    assert subject == f"Un colis de votre commande {order.reference} n'est pas encore parti"


@pytest.mark.parametrize("moment", ["goods_received_at", "shipping_proof_at"])
def test_a_parcel_whose_pieces_came_back_had_left(order, moment):
    parcel = send(order, 1, 0)
    case = declare(order)
    setattr(case, moment, timezone.now())
    case.save()
    assert refused(lambda: undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)) == (
        "goods_returned", "Le client a renvoyé des pièces\xa0: la commande est bien partie.",
    )  # fmt: skip
    assert state(order) == ("confirmed", [1, 0], False)


def test_a_return_is_awaited_until_no_parcel_has_left(order):
    parcels = [send(order, 1, 0), send(order, 1, 0)]
    case = declare(order)
    states = []
    for parcel in parcels:
        undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
        case.refresh_from_db()
        states.append(case.state)
    assert states == ["goods_awaited", "declared"]


def test_no_parcel_of_a_closed_order_is_taken_back(order):
    parcel = send(order, 1, 0)
    change_status(order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Gardé.")
    assert refused(lambda: undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)) == (
        "transition_impossible", "Cette commande n'est plus à l'atelier.",
    )  # fmt: skip
    assert state(order) == ("cancelled", [1, 0], False)


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
    # Both parcels and the refund have mails of their own.
    assert mails(order) == ["order_status", "order_status", "refund_done"]
    # Its customer reads the day of the parcel, not that of the refund.
    day = shop_day(parcel.sent_at)
    page = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
    assert page.count(f'<time datetime="{day.isoformat()}">{unbroken(date_format(day))}</time>') == 1
    assert order_cards([Order.objects.get(pk=order.pk)], user_id=0)[0].latest_step.sent_on == day


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


def test_an_unpaid_and_a_sent_order_have_nothing_to_send(order):
    unpaid = make_order()
    item = unpaid.items.get()
    assert (
        refused(lambda: ship_units(order_id=unpaid.pk, units={item.pk: 1}, actor=None))[0] == "order_not_paid"
    )
    change_status(order_id=order.pk, status="shipped", actor=None)
    assert refused(lambda: send(order, 1, 0))[0] == "status_unchanged"


def test_pieces_that_left_or_were_refunded_are_no_longer_in_the_queue(provider):
    save_shop_settings(ShopSettings(weekly_capacity=10))
    made = pay_order(make_order((make_product("Golem"), 5)))
    [item] = made.items.all()
    assert (queued_units(load_workshop()), paid_units_to_make()) == (5, 5)
    send(made, 2)
    assert (queued_units(load_workshop()), paid_units_to_make()) == (3, 3)
    request_refund(order_id=made.pk, key="two", lines=[ReturnedLine(item.pk, 2)])
    assert (queued_units(load_workshop()), paid_units_to_make()) == (1, 1)


ORDERED = datetime(2026, 6, 1, 10, tzinfo=UTC)


@pytest.mark.postgres
@pytest.mark.usefixtures("provider")
def test_fifty_days_run_from_the_first_parcel_and_a_pause_goes_on():
    with time_machine.travel(ORDERED, tick=False):
        order = in_installments()
    # Two pieces at 90.00.
    order.items.update(quantity=2, unit_price=Decimal("90.00"))
    [item] = order.items.all()
    before = list(order.payments.values_list("due_on", flat=True))
    with time_machine.travel(ORDERED + timedelta(days=3), tick=False):
        shipment = ship_units(order_id=order.pk, units={item.pk: 1}, actor=None)
    assert list(order.payments.values_list("due_on", flat=True))[2] == date(2026, 7, 24)
    with time_machine.travel(ORDERED + timedelta(days=20), tick=False):
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="La pièce est en retard.")
        change_status(order_id=order.pk, status="shipped", actor=None)
        assert list(order.payments.values_list("due_on", flat=True))[2] == date(2026, 7, 24)
        change_status(order_id=order.pk, status="processing", actor=None, reason=WHY)
        assert list(order.payments.values_list("due_on", flat=True))[2] == date(2026, 7, 24)
        undo_shipment(shipment_id=shipment.pk, reason=WHY, actor=None)
    assert list(order.payments.values_list("due_on", flat=True)) == before
    with time_machine.travel(ORDERED + timedelta(days=20), tick=False):
        shipment = ship_units(order_id=order.pk, units={item.pk: 1}, actor=None, sent_on=date(2026, 6, 4))
    with time_machine.travel(ORDERED + timedelta(days=25), tick=False):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
        undo_shipment(shipment_id=shipment.pk, reason=WHY, actor=None)
    # Later by the pause, whichever parcel was on its way when it ended.
    assert list(order.payments.values_list("due_on", flat=True))[1:] == [date(2026, 7, 6), date(2026, 8, 5)]


@pytest.mark.postgres
@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(
    ("units", "said"),
    [
        (1, "Un premier colis de votre commande {} est parti. Comme convenu, sa dernière échéance"),
        (2, "Votre commande {} est expédiée. Comme convenu, sa dernière échéance"),
    ],
)
def test_who_is_told_of_an_earlier_charge_reads_what_has_left(units, said):
    with time_machine.travel(ORDERED, tick=False):
        order = in_installments()
    order.items.update(quantity=2, unit_price=Decimal("90.00"))
    [item] = order.items.all()
    with time_machine.travel(ORDERED + timedelta(days=3), tick=False):
        ship_units(order_id=order.pk, units={item.pk: units}, actor=None)
    mail = render(OutgoingMail.objects.get(kind="installment_moved"))
    assert said.format(order.reference) in mail.text
    assert said.format(order.reference) in mail.html


@pytest.mark.postgres
@pytest.mark.usefixtures("provider")
def test_a_parcel_that_leaves_during_a_pause_announces_no_charge():
    with time_machine.travel(ORDERED, tick=False):
        order = in_installments()
    order.items.update(quantity=2, unit_price=Decimal("90.00"))
    [item] = order.items.all()
    with time_machine.travel(ORDERED + timedelta(days=3), tick=False):
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="La pièce est en retard.")
        ship_units(order_id=order.pk, units={item.pk: 1}, actor=None)
    assert list(order.payments.values_list("due_on", flat=True))[2] == date(2026, 7, 24)
    assert (mails(order).count("installment_moved"), mails(order).count("installment_calendar")) == (0, 1)
    with time_machine.travel(ORDERED + timedelta(days=4), tick=False):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    assert (mails(order).count("installment_moved"), mails(order).count("installment_calendar")) == (0, 2)


@pytest.mark.postgres
@pytest.mark.usefixtures("provider")
def test_days_that_two_parcels_moved_are_restored_as_they_were_agreed():
    with time_machine.travel(ORDERED, tick=False):
        order = in_installments()
    order.items.update(quantity=3, unit_price=Decimal("60.00"))
    [item] = order.items.all()
    before = list(order.payments.values_list("due_on", flat=True))
    with time_machine.travel(ORDERED + timedelta(days=9), tick=False):
        later = ship_units(order_id=order.pk, units={item.pk: 1}, actor=None)
        earlier = ship_units(order_id=order.pk, units={item.pk: 1}, actor=None, sent_on=date(2026, 6, 4))
        assert list(order.payments.values_list("due_on", flat=True))[2] == date(2026, 7, 24)
        undo_shipment(shipment_id=earlier.pk, reason=WHY, actor=None)
        assert list(order.payments.values_list("due_on", flat=True))[2] == date(2026, 7, 30)
        undo_shipment(shipment_id=later.pk, reason=WHY, actor=None)
    assert list(order.payments.values_list("due_on", flat=True)) == before


@pytest.mark.postgres
def test_a_pause_ends_when_nothing_is_waited_for_but_what_was_refunded(provider):
    order = in_installments()
    order.items.update(quantity=2, unit_price=Decimal("90.00"))
    [item] = order.items.all()
    pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="La pièce est en retard.")
    ship_units(order_id=order.pk, units={item.pk: 1}, actor=None)
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(item.pk, 1)])
    send_all()
    assert state(order)[0] == "shipped"
    assert outstanding(order) == Decimal("30.00")
    assert order.installment_pauses.get().ended_by == "dispatch"


def test_handing_over_is_a_parcel_as_well(order):
    change_status(order_id=order.pk, status="delivered", actor=None)
    assert state(order)[:2] == (OrderStatus.DELIVERED, [2, 1])
    assert order.shipments.count() == 1


def test_the_customers_page_says_which_pieces_are_in_which_parcel(order, client):
    def parcels() -> list[tuple[str, list[str]]]:
        page = client.get(f"/commande/{order.pk}?acces={access_token(order)}")
        return [
            (
                parcel.tracking_number,
                [f"{line.quantity} × {line.item.product_name}" for line in parcel.lines.all()],
            )
            for parcel in page.context["parcels"]
        ]

    assert parcels() == []
    names = [item.product_name for item in order.items.all()]
    first = send(order, 1, 0, carrier="colissimo", tracking_number="6A1")
    assert parcels() == [("6A1", [f"1 × {names[0]}"])]
    undo_shipment(shipment_id=first.pk, reason="Erreur", actor=None)
    assert parcels() == []
    units = [item.quantity for item in order.items.all()]
    send(order, *units, tracking_number="6A2")
    # The only parcel holds all there is: the pieces above it say so.
    assert parcels() == []
