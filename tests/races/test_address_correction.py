"""A delivery address that is corrected while preparation begins: before it, or not at all."""

from __future__ import annotations

from threading import Event

import pytest

from orders.models import Order
from orders.models.states import ActorKind
from orders.services.fulfilment import delivery_address
from orders.services.fulfilment.delivery_address import DeliveryAddress, correct_delivery_address
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order, pay_order
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from tests.races.concurrency import PATIENCE, Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

NEW = DeliveryAddress(
    first_name="Léa", last_name="Martin", address="14 rue Neuve", postal_code="75011", city="Paris", country="FR",
)  # fmt: skip


def correct(order: Order) -> Order:
    return correct_delivery_address(order_id=order.pk, address=NEW, by=ActorKind.CUSTOMER, actor=None)


@pytest.fixture
def halfway(monkeypatch: pytest.MonkeyPatch) -> tuple[Event, Event]:
    """A correction that has found the order still open stops there until it may go on."""
    found, go_on = Event(), Event()
    check = delivery_address.may_correct_address

    def checked(order: Order, by: ActorKind) -> bool:
        answer = check(order, by)
        found.set()
        assert go_on.wait(PATIENCE)
        return answer

    monkeypatch.setattr(delivery_address, "may_correct_address", checked)
    return found, go_on


def test_preparation_waits_for_a_correction_that_has_begun(halfway):
    found, go_on = halfway
    order = pay_order(make_order())
    correction = Started(lambda: correct(order))
    assert found.wait(PATIENCE)
    preparation = Started(lambda: update_status(order_id=order.pk, status="processing", actor=None))
    wait_until_blocked()
    order.refresh_from_db()
    assert order.status == "confirmed"
    go_on.set()
    correction.value()
    preparation.value()
    order.refresh_from_db()
    assert (order.status, order.address) == ("processing", "14 rue Neuve")


def test_a_correction_after_preparation_has_begun_changes_nothing():
    order = pay_order(make_order())
    update_status(order_id=order.pk, status="processing", actor=None)
    outcome = Started(lambda: correct(order)).outcome()
    assert isinstance(outcome.error, Problem)
    order.refresh_from_db()
    assert order.address == "3 rue des Carmes"
    assert not OutgoingMail.objects.filter(kind__startswith="delivery_address").exists()


def test_without_the_lock_the_address_changes_under_the_workshops_hands(halfway, monkeypatch):
    """Control: preparation begins between the correction's look and its writing."""
    found, go_on = halfway
    order = pay_order(make_order())
    monkeypatch.setattr(Order.objects, "select_for_update", lambda **_: Order.objects.all())
    correction = Started(lambda: correct(order))
    assert found.wait(PATIENCE)
    monkeypatch.undo()
    update_status(order_id=order.pk, status="processing", actor=None)
    go_on.set()
    correction.value()
    order.refresh_from_db()
    assert (order.status, order.address) == ("processing", "14 rue Neuve")
