"""An order of a member whose e-mail address changes at that very moment: real threads on PostgreSQL."""

from __future__ import annotations

from functools import partial
from threading import Event
from typing import Any

import pytest

from accounts.email_changes import Mailbox, email_change_key
from accounts.models import User
from accounts.services import email_changes
from accounts.services.email_changes import Outcome, confirm_email_change, request_email_change
from accounts.tests.people import make_member
from orders.models import Order
from orders.services.checkout import placement
from orders.tests.factories import make_order, make_product, make_seller, make_zones
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

OLD, NEW = "zoe@example.com", "zoe@nouvelle.example"


@pytest.fixture
def moving() -> tuple[partial[Order], partial[Outcome]]:
    """The checkout of a member, and the second of the two links that change their address."""
    make_zones()
    make_seller()
    zoe = make_member(OLD)
    change = request_email_change(user=zoe, email=NEW, language="fr")
    confirm_email_change(key=email_change_key(change, Mailbox.OLD))
    checkout = partial(make_order, (make_product(), 1), user=zoe, email=OLD)
    return checkout, partial(confirm_email_change, key=email_change_key(change, Mailbox.NEW))


def test_an_order_that_began_first_is_waited_for_and_follows(monkeypatch, moving):
    begin, change = moving
    held, go_on = Event(), Event()
    keep = placement._keep_account

    def slowly(buyer: User) -> User:
        account = keep(buyer)
        held.set()
        go_on.wait(30)
        return account

    monkeypatch.setattr(placement, "_keep_account", slowly)
    checkout = Started(begin)
    held.wait(30)
    changing = Started(change)
    wait_until_blocked()
    go_on.set()
    assert (checkout.value().email, changing.value()) == (OLD, Outcome.DONE)
    assert (User.objects.get().email, Order.objects.get().email) == (NEW, NEW)


@pytest.fixture
def half_changed(monkeypatch, moving) -> Any:
    """Begin the checkout after the account's address changed, and before the change is committed."""
    begin, change = moving
    changed, go_on = Event(), Event()
    move = email_changes.move_mails

    def slowly(old: str, new: str) -> None:
        move(old, new)
        changed.set()
        go_on.wait(30)

    monkeypatch.setattr(email_changes, "move_mails", slowly)
    changing = Started(change)
    changed.wait(30)

    def finish(checkout: Started) -> Order:
        go_on.set()
        assert changing.value() == Outcome.DONE
        return checkout.value()

    return partial(Started, begin), finish


def test_an_order_that_comes_second_has_the_new_address(half_changed):
    begin, finish = half_changed
    checkout = begin()
    wait_until_blocked()
    assert finish(checkout).email == NEW
    assert (User.objects.get().email, Order.objects.get().email) == (NEW, NEW)


def test_without_the_lock_an_order_keeps_the_old_address(monkeypatch, half_changed):
    """The control: the checkout takes the account as the request read it."""
    monkeypatch.setattr(placement, "_keep_account", lambda buyer: buyer)
    begin, finish = half_changed
    checkout = begin()
    # The foreign key alone waits, once the order is written.
    wait_until_blocked()
    assert finish(checkout).email == OLD
    assert (User.objects.get().email, Order.objects.get().email) == (NEW, OLD)
