"""The same status again, and staff who correct themselves before the mail leaves."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from orders.models import Order
from orders.services.fulfilment.shipments import ship_units
from orders.services.refunds.sending import sync_refunds
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import rows, send_all
from orders.tests.statuses import set_status
from shop.core.mail_delivery import due_mails
from shop.core.models import MailState, OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


@pytest.fixture
def order() -> Order:
    return pay_order(make_order())


def told() -> list[tuple[str, str, str]]:
    mails = OutgoingMail.objects.filter(kind="order_status").order_by("pk")
    return [
        (mail.context["order"]["status"], mail.context["message"], mail.context["tracking_number"])
        for mail in mails
    ]


@pytest.mark.parametrize(
    "status", ["confirmed", "processing", "shipped", "delivered", "cancelled", "pending"]
)
def test_the_same_status_without_a_word_changes_nothing(staff_client, status):
    order = make_order() if status == "pending" else pay_order(make_order())
    if status not in ("pending", "confirmed"):
        set_status(order, status, refund=False, reason="Acompte.")
    before = rows(), list(order.tracking.values_list()), list(order.events.values_list())
    for _ in range(2):
        answer = staff_client.post(
            f"/api/admin/orders/{order.pk}/status",
            json.dumps({"status": status}),
            content_type="application/json",
        )
        assert (answer.status_code, answer.json()["status"]) == (200, status)
    assert (rows(), list(order.tracking.values_list()), list(order.events.values_list())) == before


def test_with_a_number_or_a_message_it_is_an_addition(order):
    set_status(order, "shipped", message="Parti.")
    order.refresh_from_db()
    sent_at = order.shipped_at
    for said in ({"tracking_number": "6A1"}, {"tracking_number": "6A1"}, {"message": "Deux colis."}):
        set_status(order, "shipped", **said)
    order.refresh_from_db()
    assert (order.status, order.shipped_at) == ("shipped", sent_at)
    assert list(order.tracking.values_list("status", "message", "tracking_number")) == [
        ("shipped", "Deux colis.", ""), ("shipped", "", "6A1"), ("shipped", "Parti.", ""), ("confirmed", "", ""),
    ]  # fmt: skip
    # None of them takes another's place: each says something of its own.
    assert told() == [("shipped", "Parti.", ""), ("shipped", "", "6A1"), ("shipped", "Deux colis.", "")]
    assert order.events.filter(name="order.status_changed").count() == 1


def test_the_number_again_with_another_carrier_corrects_its_link(order):
    set_status(order, "shipped", tracking_number="6A1", carrier="colissimo")
    for carrier in (None, "colissimo", "ups", "ups", None):
        set_status(order, "shipped", tracking_number="6A1", carrier=carrier)
    assert order.shipments.get().carrier == "ups"
    assert list(order.tracking.filter(status="shipped").values_list("carrier", flat=True)) == [
        "ups",
        "colissimo",
    ]
    mail = OutgoingMail.objects.filter(kind="order_status").order_by("pk").last()
    assert mail.context["tracking_url"] == "https://www.ups.com/track?tracknum=6A1"
    # The mail of the dispatch itself: it still waited for its minute.
    assert len(told()) == 1


def test_the_number_again_with_a_carrier_that_is_not_listed_takes_its_link_away(order, staff_client):
    set_status(order, "shipped", tracking_number="6A1", carrier="colissimo")
    for _ in range(2):
        answer = staff_client.post(
            f"/api/admin/orders/{order.pk}/status",
            json.dumps({"status": "shipped", "tracking_number": "6A1", "carrier": ""}),
            content_type="application/json",
        )
        assert answer.status_code == 200
    parcel = order.shipments.get()
    assert (parcel.carrier, parcel.parcel_url) == ("", "")
    assert list(order.tracking.filter(status="shipped").values_list("carrier", flat=True)) == [
        "",
        "colissimo",
    ]
    mail = OutgoingMail.objects.filter(kind="order_status").order_by("pk").last()
    assert (mail.context["tracking_number"], mail.context["tracking_url"]) == ("6A1", "")
    # The mail of the dispatch itself: it still waited for its minute.
    assert len(told()) == 1


def test_another_number_alone_keeps_the_carrier_in_the_mail_too(order):
    set_status(order, "shipped", tracking_number="6A1", carrier="ups")
    set_status(order, "shipped", tracking_number="6A2")
    mail = OutgoingMail.objects.filter(kind="order_status").order_by("pk").last()
    assert mail.context["tracking_url"] == "https://www.ups.com/track?tracknum=6A2"


def test_a_number_after_a_part_was_sent_is_that_of_its_parcel():
    order = pay_order(make_order((make_product("Golem"), 2)))
    line = order.items.get()
    ship_units(order_id=order.pk, units={line.pk: 1}, carrier="ups", tracking_number="6A1", actor=None)
    set_status(order, "confirmed", tracking_number="6A2")
    parcel = order.shipments.get()
    assert (parcel.carrier, parcel.tracking_number) == ("ups", "6A2")
    mail = OutgoingMail.objects.filter(kind="order_status").order_by("pk").last()
    assert mail.context["tracking_url"] == "https://www.ups.com/track?tracknum=6A2"


def test_a_mail_waits_a_minute_and_a_correction_takes_its_place(order):
    with time_machine.travel(timezone.now(), tick=False):
        set_status(order, "delivered", message="Bien arrivée.")
        [mail] = OutgoingMail.objects.filter(kind="order_status")
        assert mail.next_attempt_at == timezone.now() + timedelta(minutes=1)
        assert mail.pk not in due_mails(timezone.now() + timedelta(seconds=59))
        assert mail.pk in due_mails(timezone.now() + timedelta(seconds=60))
        set_status(order, "shipped", tracking_number="6A1")
        assert told() == [("shipped", "", "6A1")]


def test_a_mail_that_a_worker_has_taken_is_not_taken_back(order):
    set_status(order, "delivered")
    OutgoingMail.objects.filter(kind="order_status").update(state=MailState.SENDING, attempts=1)
    set_status(order, "shipped")
    assert [status for status, *_rest in told()] == ["delivered", "shipped"]


def test_one_whose_minute_has_passed_is_not_taken_back(order):
    set_status(order, "delivered")
    with time_machine.travel(timezone.now() + timedelta(seconds=61), tick=False):
        set_status(order, "shipped")
    assert [status for status, *_rest in told()] == ["delivered", "shipped"]


def test_other_mails_and_other_orders_keep_theirs(order):
    other = pay_order(make_order())
    set_status(other, "shipped")
    before = OutgoingMail.objects.exclude(kind="order_status").count()
    set_status(order, "processing")
    set_status(order, "shipped")
    assert [status for status, *_rest in told()] == ["shipped", "shipped"]
    assert OutgoingMail.objects.exclude(kind="order_status").count() == before


def test_a_cancelled_order_asked_to_be_refunded_after_all_is(order):
    set_status(order, "cancelled", refund=False, reason="Acompte.")
    set_status(order, "cancelled", refund=True)
    assert refund_total(order) == "49.99"
    send_all()
    order.refresh_from_db()
    assert order.status == "refunded"


def test_one_whose_refund_came_back_is_not_asked_about_its_money_again(order, provider):
    """It was decided and credited: what the shop has again waits for another try or a transfer."""
    set_status(order, "cancelled", refund=True)
    send_all()
    sent = order.refunds.get()
    provider.settle_refund(str(sent.provider_id), "failed")
    sync_refunds(str(sent.attempt.intent_id))
    order.refresh_from_db()
    set_status(order, order.status, refund=True, message="Un virement suit.")
    assert order.tracking.values_list("status", "message").first() == (order.status, "Un virement suit.")
    assert (refund_total(order), order.refunds.get().state) == ("49.99", "failed")


def refund_total(order: Order) -> str:
    return str(order.refund_requests.get().amount)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "Statut mis à jour vers: Expédiée"),
        ("en", "Status updated to: Dispatched"),
        ("es", "Estado actualizado a: Enviado"),
        ("de", "Status aktualisiert auf: Versandt"),
    ],
)
def test_a_change_without_a_word_says_itself_what_changed(order, language, said):
    Order.objects.filter(pk=order.pk).update(language=language)
    set_status(order, "shipped", tracking_number="6A1")
    assert list(order.tracking.values_list("status", "message", "tracking_number")) == [
        ("shipped", said, "6A1"), ("confirmed", "", ""),
    ]  # fmt: skip
    # The mail's heading says it, and the sentence isn't a word of the workshop.
    assert told() == [("shipped", "", "6A1")]
    # Neither is it news when the same is set once more.
    set_status(order, "shipped", tracking_number="6A1")
    assert (order.tracking.count(), len(told())) == (2, 1)


def test_an_unpaid_order_that_is_cancelled_without_a_word_says_so_too():
    order = make_order()
    set_status(order, "cancelled")
    assert list(order.tracking.values_list("status", "message")) == [
        ("cancelled", "Statut mis à jour vers: Annulée")
    ]
    assert told() == []
