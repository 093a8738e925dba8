"""Parcels of an order of three pieces, what is stored of them, and what their customer reads."""

from __future__ import annotations

from typing import Any

import pytest

from orders.models import Order, Shipment
from orders.services.fulfilment.shipments import ship_units
from shop.core.mail_delivery import deliver
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

WHY = "Le colis est resté sur l'étagère."


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
