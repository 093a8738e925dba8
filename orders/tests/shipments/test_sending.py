"""An order in several parcels: which pieces left, when it is shipped, what its customer reads."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.utils import timezone

from orders.access import access_token
from orders.models import Order, OrderStatus, Shipment
from orders.selectors.shipments import units_to_send
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.services.fulfilment.delivery_promises import report_overdue_orders, set_delivery_day
from orders.services.fulfilment.shipments import ship_units, undo_shipment
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.decisions import ReturnedLine, request_refund
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import send_all
from orders.tests.shipments.parcels import last_mail, refused, send, state
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize("is_rest_refunded", [False, True])
def test_l221_18_all_has_left_with_the_parcel_of_the_last_day_whichever_was_written_last(
    order, provider, is_rest_refunded
):
    paid = timezone.localdate(order.paid_at)
    with time_machine.travel(timezone.localtime(order.paid_at) + timedelta(days=3)):
        later = send(order, 1, 0)
        send(order, 1, 0 if is_rest_refunded else 1, sent_on=paid)
        if is_rest_refunded:
            request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(order.items.last().pk, 1)])
            send_all()
        order.refresh_from_db()
        assert (order.status, order.shipped_at) == ("shipped", later.sent_at)
        assert refused(
            lambda: set_delivery_day(order_id=order.pk, delivered_on=paid + timedelta(days=2), actor=None)
        ) == ("invalid_date", "La livraison ne peut être ni à venir ni avant l'expédition.")


def test_l221_18_the_rest_that_is_handed_over_ends_no_delivery_before_the_parcel_left(order):
    with time_machine.travel(timezone.localtime(order.paid_at) + timedelta(days=3)):
        send(order, 1, 0)
    with time_machine.travel(timezone.localtime(order.paid_at) + timedelta(days=5)):
        change_status(order_id=order.pk, status="delivered", actor=None)
        today = timezone.localdate()
        before = Order.objects.values().get(pk=order.pk)
        assert refused(
            lambda: set_delivery_day(order_id=order.pk, delivered_on=today - timedelta(days=3), actor=None)
        ) == ("invalid_date", "La livraison ne peut être ni à venir ni avant l'expédition.")
        assert Order.objects.values().get(pk=order.pk) == before
        set_delivery_day(order_id=order.pk, delivered_on=today - timedelta(days=2), actor=None)
    order.refresh_from_db()
    assert timezone.localdate(order.delivered_at) == today - timedelta(days=2)


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


def test_the_number_of_an_earlier_parcel_is_corrected(order):
    first = send(order, 1, 0, carrier="colissimo", tracking_number="6A1")
    last = send(order, 1, 1, carrier="dpd", tracking_number="6A2")

    def numbers() -> list[tuple[str, str]]:
        return list(order.shipments.order_by("pk").values_list("carrier", "tracking_number"))

    change = {"order_id": order.pk, "status": "shipped", "actor": None}
    change_status(**change, tracking_number="6A3", shipment_id=first.pk)
    assert numbers() == [("colissimo", "6A3"), ("dpd", "6A2")]
    subject, text = last_mail(order)
    assert subject == f"Des nouvelles de votre commande {order.reference}"
    assert "6A3" in text
    assert "Dans ce colis\xa0:\n- 1 × Golem\n\n" in text
    change_status(**change, tracking_number="6A4")
    assert numbers() == [("colissimo", "6A3"), ("dpd", "6A4")]
    # Both travel as one.
    change_status(**change, tracking_number="6A4", carrier="dpd", shipment_id=first.pk)
    assert numbers() == [("dpd", "6A4"), ("dpd", "6A4")]
    before = OutgoingMail.objects.count()
    assert change_status(**change, tracking_number="6A4", shipment_id=first.pk).pk == order.pk
    assert OutgoingMail.objects.count() == before
    undo_shipment(shipment_id=last.pk, reason="Erreur", actor=None)
    other = send(pay_order(make_order((make_product("Kraken"), 1))), 1)
    for elsewhere in (last, other):
        with pytest.raises(Shipment.DoesNotExist):
            change_status(
                **{**change, "status": "processing"}, tracking_number="6A5", shipment_id=elsewhere.pk
            )
    assert numbers() == [("dpd", "6A4"), ("dpd", "6A4")]


def test_the_number_of_a_parcel_is_told_though_the_rest_leaves_within_the_minute(order):
    def told():
        mails = OutgoingMail.objects.filter(kind="order_status").order_by("pk")
        return [mail.context["tracking_number"] for mail in mails]

    first = send(order, 1, 0, carrier="colissimo", tracking_number="6A1")
    change = {"order_id": order.pk, "status": "confirmed", "actor": None}
    change_status(**change, tracking_number="6A2", shipment_id=first.pk)
    # Taken back within the minute, neither was on its way.
    undo_shipment(shipment_id=first.pk, reason="Erreur", actor=None)
    assert told() == []

    first = send(order, 1, 0, carrier="colissimo", tracking_number="6A3")
    change_status(**change, tracking_number="6A4", shipment_id=first.pk)
    send(order, 1, 1, carrier="colissimo", tracking_number="6A5")
    assert told() == ["6A4", "6A5"]


@pytest.mark.parametrize(
    ("units", "heading"),
    [((1, 0), "Un colis de votre commande %s est parti"), ((2, 1), "Votre commande %s est partie")],
)
def test_a_number_that_is_corrected_within_the_minute_is_told_alone(order, units, heading):
    parcel = send(order, *units, carrier="colissimo", tracking_number="COLIS-1", message="Bonne fête !")
    change = {"order_id": order.pk, "status": Order.objects.get(pk=order.pk).status, "actor": None}
    change_status(**change, tracking_number="COLIS-2", shipment_id=parcel.pk, message="Au bureau de poste.")
    change_status(**change, tracking_number="COLIS-3", carrier="dpd", shipment_id=parcel.pk)
    subject, text = last_mail(order)
    assert subject == heading % order.reference
    told = [number in text for number in ("COLIS-1", "COLIS-2", "COLIS-3", "DPD")]
    assert told == [False, False, True, True]
    assert "Bonne fête !\nAu bureau de poste.\n" in text
    assert OutgoingMail.objects.filter(kind="order_status").count() == 1
    # Once it was sent, the number is news.
    change_status(**change, tracking_number="6A4", shipment_id=parcel.pk)
    assert last_mail(order)[0] == f"Des nouvelles de votre commande {order.reference}"
    assert OutgoingMail.objects.filter(kind="order_status").count() == 2


@pytest.mark.parametrize("units", [(1, 0), (2, 1)])
def test_a_number_is_taken_back(order, client, units):
    parcel = send(order, *units, carrier="colissimo", tracking_number="6A1", message="Bonne fête !")
    status = Order.objects.get(pk=order.pk).status
    change = {"order_id": order.pk, "status": status, "actor": None, "shipment_id": parcel.pk}
    steps = order.tracking.count()
    # Its customer has not heard of it: there is nothing to correct.
    change_status(**change)
    (mail,) = OutgoingMail.objects.filter(kind="order_status")
    assert (mail.context["tracking_number"], mail.context["message"]) == ("", "Bonne fête !")
    assert order.tracking.count() == steps
    change_status(**change, tracking_number="6A2", message="Au bureau de poste.")
    change_status(**change, message="Le numéro suit.")
    (mail,) = OutgoingMail.objects.filter(kind="order_status")
    assert mail.context["message"] == "Bonne fête !\nAu bureau de poste.\nLe numéro suit."
    change_status(**change, tracking_number="6A3")
    assert "Numéro de suivi : 6A3" in last_mail(order)[1].replace("\u00a0", " ")

    change_status(**change, message="Il est resté ici.")
    parcel.refresh_from_db()
    assert (parcel.tracking_number, parcel.carrier) == ("", "colissimo")
    subject, text = last_mail(order)
    assert subject == f"Des nouvelles de votre commande {order.reference}"
    taken_back = "Le numéro de suivi 6A3 n'est pas celui de votre colis\u00a0: n'en tenez pas compte."
    assert f"{taken_back}\nIl est resté ici.\n" in text
    assert "Numéro de suivi" not in text
    page = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
    assert re.findall(r">(6A\d)</strong>", page) == []
    # Once.
    steps = order.tracking.count()
    change_status(**change)
    assert (order.tracking.count(), OutgoingMail.objects.filter(kind="order_status").count()) == (steps, 2)


@pytest.mark.parametrize("units", [(1, 0), (2, 1)])
def test_every_message_of_a_minute_is_in_the_mail_whatever_becomes_of_the_number(order, units):
    """Of a parcel without a carrier, whose number is taken back in between."""
    parcel = send(order, *units, tracking_number="6A1", message="Bonne fête !")
    status = Order.objects.get(pk=order.pk).status
    change = {"order_id": order.pk, "status": status, "actor": None, "shipment_id": parcel.pk}
    change_status(**change, message="Le numéro suit.")
    change_status(**change, tracking_number="6A2", message="Le voici.")
    change_status(**change, tracking_number="6A3", message="Pardon, celui-ci.")
    (mail,) = OutgoingMail.objects.filter(kind="order_status")
    assert (mail.context["tracking_number"], mail.context["message"]) == (
        "6A3",
        "Bonne fête !\nLe numéro suit.\nLe voici.\nPardon, celui-ci.",
    )


def test_messages_of_numbers_after_the_mail_of_the_departure_are_all_told(order):
    parcel = send(order, 1, 0, carrier="colissimo", tracking_number="6A1")
    last_mail(order)
    change = {"order_id": order.pk, "status": "confirmed", "actor": None, "shipment_id": parcel.pk}
    for number, message in (("6A2", "Le voici."), ("6A3", ""), ("6A4", "Pardon, celui-ci.")):
        change_status(**change, tracking_number=number, message=message)
    _departure, mail = OutgoingMail.objects.filter(kind="order_status").order_by("pk")
    assert (mail.context["tracking_number"], mail.context["message"]) == (
        "6A4",
        "Le voici.\nPardon, celui-ci.",
    )
    # What its customer reads on the order's page stays one by one.
    assert list(order.tracking.order_by("pk").values_list("message", flat=True))[-1] == "Pardon, celui-ci."


def test_a_corrected_number_comes_without_the_message_of_another_parcel(order):
    first = send(order, 1, 0, carrier="colissimo", tracking_number="6A1", message="Bonne fête !")
    send(order, 1, 0, carrier="colissimo", tracking_number="6B1", message="Le second est fragile.")
    change = {"order_id": order.pk, "status": Order.objects.get(pk=order.pk).status, "actor": None}
    change_status(**change, tracking_number="6A2", shipment_id=first.pk)
    mails = OutgoingMail.objects.filter(kind="order_status").order_by("context__tracking_number")
    assert [(mail.context["tracking_number"], mail.context["message"]) for mail in mails] == [
        ("6A2", "Bonne fête !"),
        ("6B1", "Le second est fragile."),
    ]


def test_a_number_that_was_corrected_leads_nowhere(order, client):
    change_status(order_id=order.pk, status="processing", actor=None, tracking_number="6A0")
    first = send(order, 1, 0, carrier="colissimo", tracking_number="6A1")
    last = send(order, 1, 1, carrier="colissimo", tracking_number="6A2")
    change = {"order_id": order.pk, "status": "shipped", "actor": None}

    def page() -> str:
        answer = client.get(f"/commande/{order.pk}?acces={access_token(order)}")
        return str(answer.content.decode())

    def shown() -> list[str]:
        found = re.findall(r">(6A\d)</strong>", page())
        assert {*re.findall(r"6A\d", page())} == {*found}
        return found

    change_status(**change, tracking_number="6A3", shipment_id=first.pk)
    assert shown() == ["6A3", "6A2", "6A0"]
    steps = page().count("timeline__what")
    change_status(**change, tracking_number="6A4", shipment_id=first.pk)
    assert shown() == ["6A4", "6A2", "6A0"]
    # The first correction says nothing any more.
    assert page().count("timeline__what") == steps
    # Of the carrier alone.
    change_status(**change, tracking_number="6A2", carrier="dpd")
    assert shown() == ["6A2", "6A4", "6A0"]
    undo_shipment(shipment_id=last.pk, reason="Erreur", actor=None)
    assert shown() == ["6A4", "6A0"]


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


def test_an_unpaid_and_a_sent_order_have_nothing_to_send(order):
    unpaid = make_order()
    item = unpaid.items.get()
    assert (
        refused(lambda: ship_units(order_id=unpaid.pk, units={item.pk: 1}, actor=None))[0] == "order_not_paid"
    )
    change_status(order_id=order.pk, status="shipped", actor=None)
    assert refused(lambda: send(order, 1, 0))[0] == "status_unchanged"


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
