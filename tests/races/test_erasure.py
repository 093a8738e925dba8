"""Erasure meets what else a person, the provider or a second worker does at that moment: real threads on PostgreSQL."""

from __future__ import annotations

import os
from functools import partial
from threading import Event
from time import monotonic
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.personal_data import _erase_account, erased_address
from accounts.selectors import role_of
from accounts.services import grant_role, set_blocked
from accounts.tests.people import make_admin, make_member
from catalog.services.favourites import replace_favourites
from orders.books.audit import audit_books
from orders.models import Attempt, Invoice, LedgerEntry, Order, OrderStatus
from orders.services.checkout import placement
from orders.services.fulfilment import erasing
from orders.services.fulfilment.archiving import remove_order
from orders.services.fulfilment.status_changes import update_status
from orders.services.payments.settlement import settle
from orders.tests.factories import checkout_body, line, make_order, make_product, make_seller, make_zones
from shop.core.models import OutgoingMail
from shop.core.personal_data import Person
from shop.core.problems import Problem
from shop.pages.models import Erasure, ErasureState
from shop.pages.services import erasures
from shop.pages.services.erasures import request_erasure, run_due_erasures, run_erasure
from shop.pages.tests.personal_data import delivered_order, send_mails
from tests.races.concurrency import Started, deadlocks, run_concurrently, values, wait_until_blocked
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def finish() -> None:
    """Everything that waits goes on until nothing moves: mails are sent, erasures run again."""
    for _ in range(3):
        send_mails()
        Erasure.objects.update(next_try_at=timezone.now())
        run_due_erasures(timezone.now(), limit=1000)


def test_a_checkout_that_began_first_is_counted_and_waited_for(monkeypatch):
    make_zones()
    make_seller()
    zoe, piece = make_member("zoe@example.com"), make_product()
    erasure = request_erasure(user=zoe, language="fr")
    placed, go_on = Event(), Event()
    keep = placement._keep_account

    def slowly(buyer: User) -> User:
        account = keep(buyer)
        placed.set()
        go_on.wait(30)
        return account

    monkeypatch.setattr(placement, "_keep_account", slowly)
    checkout = Started(partial(make_order, (piece, 1), user=zoe, email="zoe@example.com"))
    placed.wait(30)
    erasing = Started(partial(run_erasure, erasure.pk))
    wait_until_blocked()
    go_on.set()
    order = checkout.value()
    assert erasing.value() is False
    assert Erasure.objects.get().state == ErasureState.REGISTERED
    assert User.objects.get().is_active
    assert Order.objects.get(pk=order.pk).user == zoe


def test_a_checkout_that_comes_second_orders_nothing(monkeypatch):
    make_zones()
    make_seller()
    zoe, piece = make_member("zoe@example.com"), make_product(stock_quantity=1)
    erasure = request_erasure(user=zoe, language="fr")
    looked, go_on = Event(), Event()
    matters = erasures.open_matters

    def slowly(person: Any) -> list[str]:
        found = matters(person)
        looked.set()
        go_on.wait(30)
        return found

    monkeypatch.setattr(erasures, "open_matters", slowly)
    erasing = Started(partial(run_erasure, erasure.pk))
    looked.wait(30)
    checkout = Started(partial(make_order, (piece, 1), user=zoe, email="zoe@example.com"))
    wait_until_blocked()
    go_on.set()
    erasing.value()
    refused = checkout.outcome().error
    assert isinstance(refused, Problem)
    assert (refused.code, refused.status) == ("account_erased", 409)
    assert not Order.objects.exists()
    piece.refresh_from_db()
    assert piece.stock_quantity == 1


def test_without_the_lock_an_order_is_placed_by_nobody(monkeypatch):
    """The control: the checkout has looked at the account, then it is closed, then the order is written."""
    make_zones()
    make_seller()
    zoe, piece = make_member("zoe@example.com"), make_product()
    erasure = request_erasure(user=zoe, language="fr")
    placed, go_on = Event(), Event()

    def unlocked(buyer: User) -> User:
        placed.set()
        go_on.wait(30)
        return buyer

    monkeypatch.setattr(placement, "_keep_account", unlocked)
    checkout = Started(partial(make_order, (piece, 1), user=zoe, email="zoe@example.com"))
    placed.wait(30)
    run_erasure(erasure.pk)
    go_on.set()
    order = checkout.value()
    assert not User.objects.get().is_active
    assert Order.objects.get(pk=order.pk).user == zoe


def test_a_payment_that_settles_while_the_person_is_erased(fake_stripe):
    zoe = make_member("lea@example.com")
    body = checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    assert Buyer().checkout(body).status_code == 201
    order = Order.objects.get()
    erasure = request_erasure(user=zoe, language="fr")
    fake_stripe.pay(order)
    Erasure.objects.update(due_by=timezone.now())
    values(
        run_concurrently(
            [partial(settle, Attempt.objects.get().pk)] * 3 + [partial(run_erasure, erasure.pk)] * 3
        )
    )
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    assert order.email == "lea@example.com"
    assert LedgerEntry.objects.count() == 1
    assert Invoice.objects.get().data["customer"]["name"] == "Léa Martin"
    assert User.objects.get().email.endswith("@erased.invalid")
    assert audit_books(timezone.now(), with_provider=False).faults == []


def test_an_order_that_comes_into_doubt_while_it_is_emptied_stays_as_it_is(monkeypatch):
    make_seller()
    order = delivered_order(None, email="zoe@example.com")
    archived, go_on = Event(), Event()

    def archive(**asked: Any) -> Any:
        removal = remove_order(**asked)
        archived.set()
        go_on.wait(30)
        return removal

    monkeypatch.setattr(erasing, "remove_order", archive)
    emptying = Started(partial(erasing.erase_order, order.pk))
    archived.wait(30)
    with transaction.atomic():
        doubtful = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
        go_on.set()
        wait_until_blocked()
        doubtful.review_reason = "amount: 3900 instead of 4000"
        doubtful.save(update_fields=["review_reason"])
    assert emptying.value() is False
    order.refresh_from_db()
    assert (order.review_reason, order.email) == ("amount: 3900 instead of 4000", "zoe@example.com")


def test_many_workers_erase_once(figures):
    zoe = make_member("zoe@example.com")
    make_seller()
    delivered_order(zoe, email="zoe@example.com")
    erasure = request_erasure(user=zoe, language="fr")
    values(run_concurrently([partial(run_erasure, erasure.pk)] * 10))
    assert OutgoingMail.objects.filter(kind="account_erased").count() == 1
    finish()
    assert Erasure.objects.get().state == ErasureState.DONE


def test_members_are_erased_while_they_order(figures):
    """A dozen of them; with 200 in ERASED_MEMBERS, the figures of docs/performance.md."""
    result = erase_while_ordering(members=int(os.environ.get("ERASED_MEMBERS", "12")))
    figures(**result)


def erase_while_ordering(*, members: int) -> dict[str, Any]:
    """Everybody has a delivered order and asks to be erased while they press the order button: half of the callers
    order, half erase. Whoever's order came first keeps it until it is settled."""
    make_zones()
    make_seller()
    people = [make_member(f"m{number}@example.com", first_name=f"M{number}") for number in range(members)]
    piece = make_product("Golem", stock_quantity=10 * members)
    for person in people:
        delivered_order(person, email=person.email)
    began = monotonic()
    registered = [request_erasure(user=person, language="fr") for person in people]
    calls = [
        call
        for person, erasure in zip(people, registered, strict=True)
        for call in (
            partial(make_order, (piece, 1), user=person, email=person.email),
            partial(run_erasure, erasure.pk),
        )
    ]
    outcomes = []
    for start in range(0, len(calls), 20):
        outcomes += run_concurrently(calls[start : start + 20])
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    refused = [error for error in errors if isinstance(error, Problem) and error.code == "account_erased"]
    assert errors == refused
    seconds = monotonic() - began
    waiting = Order.objects.filter(status=OrderStatus.PENDING).count()
    assert waiting == members - len(refused)
    # The pages of those who were quicker end unpaid, a day later.
    for pk in Order.objects.filter(status=OrderStatus.PENDING).values_list("pk", flat=True):
        update_status(order_id=pk, status="cancelled", actor=None)
    Attempt.objects.filter(payment__order__status=OrderStatus.CANCELLED).update(state="expired")
    finish()
    assert not Erasure.objects.exclude(state=ErasureState.DONE).exists()
    assert not User.objects.filter(is_active=True).exists()
    assert not Order.objects.exclude(email="").exists()
    assert not OutgoingMail.objects.filter(to__endswith="@example.com", kind="order_confirmation").exists()
    report = audit_books(timezone.now(), with_provider=False)
    assert report.faults == []
    slowest = max(outcome.seconds for outcome in outcomes)
    return {
        "members": members,
        "orders_placed_first": waiting,
        "orders_refused": len(refused),
        "invoices_kept": report.documents,
        "seconds": round(seconds, 1),
        "slowest_call": round(slowest, 2),
    }


def test_favourites_written_while_their_member_is_erased():
    """Rows that name the account wait for nobody who only changes it."""
    zoe = make_member("zoe@example.com")
    kept, new = make_product("Lune"), make_product("Soleil")
    replace_favourites(user_id=zoe.pk, product_ids=[kept.pk], language="fr")
    with transaction.atomic():
        replace_favourites(user_id=zoe.pk, product_ids=[kept.pk, new.pk], language="fr")
        erasing = Started(partial(transaction.atomic(_erase_account), Person(zoe.pk, (zoe.email,))))
        wait_until_blocked()
    assert erasing.value() is True
    zoe.refresh_from_db()
    assert (zoe.email, zoe.is_active) == (erased_address(zoe.pk), False)


@pytest.mark.parametrize(
    "change",
    [
        lambda member, admin: grant_role(user=member, role="admin", changed_by=admin),
        lambda member, admin: set_blocked(user=member, blocked=True, changed_by=admin),
    ],
)
def test_rights_changed_while_an_account_is_closed_wait_in_no_circle(monkeypatch, change):
    admin, zoe = make_admin(), make_member("zoe@example.com")
    grant_role(user=zoe, role="staff", changed_by=admin)
    erasure = request_erasure(user=zoe, language="fr")
    looked, go_on = Event(), Event()

    def slowly(person: Any) -> list[str]:
        looked.set()
        go_on.wait(30)
        return []

    monkeypatch.setattr(erasures, "open_matters", slowly)
    before = deadlocks()
    closing = Started(partial(run_erasure, erasure.pk))
    looked.wait(30)
    changing = Started(partial(change, User.objects.get(pk=zoe.pk), admin))
    wait_until_blocked()
    go_on.set()
    closing.value()
    refused = changing.outcome().error
    assert isinstance(refused, Problem)
    assert (refused.code, refused.status) == ("account_erased", 409)
    assert deadlocks() == before
    zoe.refresh_from_db()
    assert (zoe.is_active, zoe.is_staff, role_of(zoe)) == (False, False, "user")
