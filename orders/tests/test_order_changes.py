"""What the history of an order says that was changed, from what to what, until its personal data are erased."""

from __future__ import annotations

from datetime import date

import pytest
import time_machine

from orders.api.order_sheets import EventSerializer
from orders.models import Order
from orders.models.states import ActorKind
from orders.services.fulfilment.delivery_address import DeliveryAddress, correct_delivery_address
from orders.services.fulfilment.delivery_promises import set_delivery_day, set_promised_date
from orders.services.fulfilment.erasing import erase_order
from orders.services.fulfilment.shipments import ship_units
from orders.services.fulfilment.status_changes import change_status
from orders.tests.factories import make_order, make_seller, pay_order
from shop.core.dates import day_in_words
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


def changes(order: Order) -> list[tuple[str, str, str]]:
    events = EventSerializer(order.events.select_related("actor"), many=True).data
    return [
        (event["name"], event["change"]["before"], event["change"]["after"])
        for event in events
        if event["change"] is not None
    ]


@time_machine.travel("2026-12-01T12:00:00+01:00", tick=False)
def test_an_address_days_and_a_number_are_told_from_what_to_what():
    make_seller()
    order = pay_order(make_order())
    promised = day_in_words(order.promised_by)
    address = DeliveryAddress(
        first_name="Léa", last_name="Martin", address="14 rue Neuve", postal_code="75011", city="Paris",
        country="FR", phone="06 11",
    )  # fmt: skip
    correct_delivery_address(order_id=order.pk, address=address, by=ActorKind.STAFF, actor=None)
    set_promised_date(order_id=order.pk, promised_by=date(2027, 3, 1), reason="Une panne.", actor=None)
    units = {item.pk: item.quantity for item in order.items.all()}
    parcel = ship_units(order_id=order.pk, units=units, actor=None, tracking_number="6A1")
    change = {"order_id": order.pk, "status": "shipped", "actor": None, "shipment_id": parcel.pk}
    change_status(**change, message="Bonne fête !", tracking_number="6A1")
    change_status(**change, tracking_number="6A2")
    change_status(**change)
    set_delivery_day(order_id=order.pk, delivered_on=parcel.sent_at.date(), actor=None)

    number = ("order.status_added_to", "6A1", "6A2"), ("order.status_added_to", "6A2", "")
    day = ("delivery.day_set", "", "1er décembre 2026")
    told = changes(order)
    assert sorted(told) == sorted(
        [
            (
                "delivery.address_corrected",
                "Léa Martin, 3 rue des Carmes, 69003 Lyon, France",
                "Léa Martin, 14 rue Neuve, 75011 Paris, France, 06 11",
            ),
            ("delivery.promise_changed", promised, "1er mars 2027"),
            *number,
            day,
        ]
    )

    change_status(order_id=order.pk, status="delivered", actor=None)
    OutgoingMail.objects.all().delete()
    assert erase_order(order.pk)
    # Days name nobody.
    assert sorted(name for name, _before, _after in changes(order)) == [
        "delivery.day_set", "delivery.promise_changed",
    ]  # fmt: skip
    assert not order.events.filter(data__former__isnull=False).exists()
