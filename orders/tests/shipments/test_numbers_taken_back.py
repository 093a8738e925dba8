"""A number that is taken back within its minute, after the mail of another one had left."""

from __future__ import annotations

import pytest

from orders.models import Order, Shipment
from orders.services.fulfilment.status_changes import change_status
from orders.tests.shipments.parcels import last_mail, send
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("units", [(1, 0), (2, 1)])]

WRONG = "Le numéro de suivi %s n'est pas celui de votre colis\u00a0: n'en tenez pas compte."


def note(parcel: Shipment, number: str, message: str = "") -> None:
    status = Order.objects.get(pk=parcel.order_id).status
    change_status(
        order_id=parcel.order_id, status=status, actor=None, shipment_id=parcel.pk, tracking_number=number,
        message=message,
    )  # fmt: skip


def told() -> list[tuple[str, str]]:
    """Number and words of the mails after that of the departure."""
    mails = OutgoingMail.objects.filter(kind="order_status").order_by("pk")
    return [(mail.context["tracking_number"], mail.context["message"]) for mail in mails][1:]


def test_its_customer_reads_of_the_number_that_they_have(order, units):
    parcel = send(order, *units, carrier="colissimo", tracking_number="6A1")
    last_mail(order)
    note(parcel, "6A2", "Au bureau de poste.")
    note(parcel, "")
    # Nobody was told of the second one.
    assert told() == [("", f"Au bureau de poste.\n{WRONG % '6A1'}")]
    assert order.tracking.order_by("pk").last().message == WRONG % "6A1"
    assert "Numéro de suivi\u00a0:" not in last_mail(order)[1]
    # What comes later is told as ever.
    note(parcel, "6A3")
    assert told()[1:] == [("6A3", "")]


def test_the_first_number_that_was_right_after_all_is_told_without_its_being_wrong(order, units):
    parcel = send(order, *units, carrier="colissimo", tracking_number="6A1")
    last_mail(order)
    note(parcel, "6A2")
    note(parcel, "", "Pardon.")
    note(parcel, "6A1")
    assert told() == [("6A1", "Pardon.")]


def test_a_number_that_nobody_was_told_is_taken_back_in_silence(order, units):
    parcel = send(order, *units)
    last_mail(order)
    note(parcel, "6A2", "Au bureau de poste.")
    note(parcel, "")
    assert told() == [("", "Au bureau de poste.")]
    note(parcel, "6A3")
    last_mail(order)
    note(parcel, "6A4")
    note(parcel, "")
    assert told()[-1] == ("", WRONG % "6A3")


def test_a_number_whose_mail_is_not_kept_any_more_is_taken_back(order, units):
    parcel = send(order, *units, carrier="colissimo", tracking_number="6A1")
    last_mail(order)
    OutgoingMail.objects.all().delete()
    note(parcel, "")
    assert [mail.context["message"] for mail in OutgoingMail.objects.all()] == [WRONG % "6A1"]
