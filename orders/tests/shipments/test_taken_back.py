"""A parcel that had not left: taken back, told to who had been told, and when it is too late for it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.utils import timezone

from orders.access import access_token
from orders.models import Order, WithdrawalCase
from orders.selectors.order_cards import order_cards
from orders.services.fulfilment.shipments import undo_shipment
from orders.services.fulfilment.status_changes import change_status
from orders.tests.factories import make_order, make_product
from orders.tests.shipments.parcels import WHY, last_mail, refused, send, state
from orders.tests.withdrawing import declare
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


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


def test_a_parcel_is_told_apart_from_the_status_that_the_order_keeps(order, client):
    def steps() -> list[str]:
        page = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
        return re.findall(r'"timeline__what">(.*?)</p>', unescape(page))

    shipment = send(order, 1, 0)
    assert steps() == ["Expédition d'un colis", "Confirmée"]
    assert [step.label for step in order_cards([order], user_id=0)[0].steps] == steps()
    undo_shipment(shipment_id=shipment.pk, reason=WHY, actor=None)
    undone = "<s>Expédition d'un colis</s> (annulée\xa0: le colis n'était pas parti)"
    assert steps() == ["Confirmée", undone, "Confirmée"]
    send(order, 2, 1)
    assert steps()[0] == "Expédiée"


def test_undoing_the_last_parcel_leaves_the_others_sent(order):
    first, last = send(order, 1, 0), send(order, 1, 1)
    last_mail(order)
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
    # Those of another order say nothing of it.
    WithdrawalCase.objects.filter(pk=case.pk).update(order=make_order((make_product("Hibou", "10.00"), 1)))
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    assert state(order) == ("confirmed", [0, 0], False)


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
