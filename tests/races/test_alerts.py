"""What is written to who waits for a piece or left a cart, while they confirm their wish, take another address, or
order."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.tests.people import make_member
from blog.models import Subscriber
from blog.tests.subscribers import make_subscriber
from catalog.models import Favourite, Notice
from catalog.services import notices
from catalog.services.favourites import choose_return_mails, watch_favourites
from catalog.services.notices import (
    ask_notice,
    confirm_notice,
    move_notices,
    purge_notices,
    send_due_notices,
    stop_notices,
)
from orders.models import SavedCart
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.pages.services.cart_reminders import send_due_reminders
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def make_notice(email: str, **columns: object) -> Notice:
    now = timezone.now()
    values = {"product": make_product(), "token": email.ljust(30, "t"), "asked_at": now, "confirmed_at": now}
    return Notice.objects.create(email=email, language="fr", **(values | columns))


def recipients() -> list[str]:
    return list(OutgoingMail.objects.order_by("pk").values_list("to", flat=True))


def test_a_wish_that_is_confirmed_as_its_period_ends_stays() -> None:
    wish = make_notice(
        "lea@example.com", token="t" * 30, confirmed_at=None, asked_at=timezone.now() - timedelta(days=1)
    )
    with transaction.atomic():
        assert confirm_notice(key=wish.token) is not None
        purging = Started(lambda: purge_notices(timezone.now(), 10))
        wait_until_blocked()
    assert purging.value() == 0
    assert Notice.objects.get().confirmed_at is not None


def test_a_wish_that_its_owner_ends_as_it_is_confirmed_is_none() -> None:
    wish = make_notice("lea@example.com", token="t" * 30, confirmed_at=None)
    with transaction.atomic():
        assert stop_notices(key=wish.token)
        confirming = Started(lambda: confirm_notice(key=wish.token))
        wait_until_blocked()
    assert confirming.value() is None


def test_a_wish_is_answered_at_the_address_of_now() -> None:
    first, moved = make_notice("lea@example.com"), make_notice("old@example.com")
    with transaction.atomic():
        Notice.objects.select_for_update().get(pk=first.pk)
        # It has read both addresses, and waits before the first.
        sending = Started(send_due_notices)
        wait_until_blocked()
        move_notices("old@example.com", "new@example.com")
    assert sending.value() == 1
    assert recipients() == ["lea@example.com"]
    moved.refresh_from_db()
    assert (moved.email, moved.sent_at) == ("new@example.com", None)
    assert send_due_notices() == 1
    assert recipients() == ["lea@example.com", "new@example.com"]


@pytest.mark.parametrize("locked", [True, False], ids=["with the lock", "control without the lock"])
def test_a_wish_that_is_typed_as_a_member_takes_its_address_is_one_of_theirs(
    monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    if not locked:
        monkeypatch.setattr(notices, "lock_names", lambda names: None)
    wish = make_notice("old@example.com")

    def move() -> None:
        with transaction.atomic():
            move_notices("old@example.com", "new@example.com")

    with transaction.atomic():
        ask_notice(email="new@example.com", language="fr", product_id=wish.product_id)
        moving = Started(move)
        wait_until_blocked()
    error = moving.outcome().error
    if locked:
        assert error is None
        assert list(Notice.objects.values_list("pk", "email")) == [(wish.pk, "new@example.com")]
    else:
        assert isinstance(error, IntegrityError)


def test_a_favourite_is_announced_at_the_address_of_now() -> None:
    member, moved = make_member("lea@example.com"), make_member("old@example.com")
    product, now = make_product(), timezone.now()
    first, _second = (
        Favourite.objects.create(user=user, product=product, notify_when_back=True, missing_since=now)
        for user in (member, moved)
    )
    with transaction.atomic():
        Favourite.objects.select_for_update().get(pk=first.pk)
        watching = Started(lambda: watch_favourites(now=now))
        wait_until_blocked()
        moved.email = "new@example.com"
        moved.save(update_fields=["email"])
    assert watching.value() == 2
    assert recipients() == ["lea@example.com", "new@example.com"]


def test_who_wants_no_mail_any_more_as_a_favourite_sells_out_waits_for_none() -> None:
    member = make_member("lea@example.com")
    favourite = Favourite.objects.create(
        user=member, product=make_product(in_stock=False), notify_when_back=True
    )
    with transaction.atomic():
        choose_return_mails(user_id=member.pk, product_ids=[], seen_ids=[favourite.product_id], language="fr")
        watching = Started(lambda: watch_favourites(now=timezone.now()))
        wait_until_blocked()
    assert watching.value() == 0
    favourite.refresh_from_db()
    assert (favourite.notify_when_back, favourite.missing_since) == (False, None)


def test_who_orders_while_others_are_reminded_of_their_carts_is_not() -> None:
    save_shop_settings(ShopSettings(cart_reminder_hours=24))
    piece, now = make_product(), timezone.now()
    things = [{"product_id": piece.pk, "variation_id": None, "finish": "", "quantity": 1}]
    first, buyer = make_member("lea@example.com"), make_member("zoe@example.com")
    for user in (first, buyer):
        make_subscriber(user.email, cart_reminders_at=now)
        SavedCart.objects.create(user=user, lines=things, version=1)
    SavedCart.objects.update(updated_at=now - timedelta(hours=25))
    with transaction.atomic():
        Subscriber.objects.select_for_update().get(email=first.email)
        reminding = Started(lambda: send_due_reminders(now))
        wait_until_blocked()
        pay_order(make_order((piece, 1), user=buyer, email=buyer.email))
    assert reminding.value() == 1
    assert OutgoingMail.objects.get(kind="cart_reminder").to == "lea@example.com"
