"""Parcels of an order in installments: from which of them the fifty days run (L312-4 4°), and what a pause becomes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from html import unescape

import pytest
import time_machine

from orders.models import PausedBy, PauseEnd, StoredCard
from orders.selectors.installments import outstanding
from orders.services.fulfilment.shipments import ship_units, undo_shipment
from orders.services.fulfilment.status_changes import change_status
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.refunds.decisions import ReturnedLine, request_refund
from orders.tests.refunding import in_installments, mails, send_all
from orders.tests.shipments.parcels import WHY, state
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db

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


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(
    ("refused", "said"),
    [
        ("", "Carte débitée\u00a0: Visa se terminant par 4242."),
        ("stolen_card", "Nous n'avons plus de carte à débiter\u00a0: réglez les échéances sur"),
    ],
)
def test_no_earlier_charge_is_announced_to_a_card_that_cannot_be_charged(refused, said):
    with time_machine.travel(ORDERED, tick=False):
        order = in_installments()
    StoredCard.objects.create(order=order, brand="visa", last4="4242", refused_code=refused)
    with time_machine.travel(ORDERED + timedelta(days=3), tick=False):
        change_status(order_id=order.pk, status="shipped", actor=None)
    mail = render(OutgoingMail.objects.get(kind="installment_moved"))
    assert "prévue le 31 juillet 2026, est avancée au 24 juillet 2026." in mail.text
    assert said in mail.text
    assert said in unescape(mail.html)


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
