"""Subscribers who answer, or take another address, at the instant in which the shop deletes or writes to them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models.query import QuerySet
from django.utils import timezone

from blog.models import CampaignRecipient, ConsentAction, ConsentSource, Purpose, Subscriber
from blog.services.newsletter import consents
from blog.services.newsletter.consents import Origin, record_consent
from blog.services.newsletter.sending import write_batch
from blog.services.newsletter.subscriptions import (
    ask_subscription,
    confirm_subscription,
    move_subscriber,
    purge_unconfirmed,
    purge_unsubscribed,
)
from blog.tests.subscribers import make_subscriber, start_letter
from shop.core.models import OutgoingMail
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ORIGIN = Origin(ConsentSource.PAGE, "fr")
Purge = Callable[[datetime, int], int]


def make_silent(purge: Purge) -> Subscriber:
    """One whom `purge` takes now."""
    past = timezone.now() - timedelta(days=1)
    left = purge is purge_unsubscribed
    dates = {"unsubscribed_at": past} if left else {"asked_at": past}
    row = make_subscriber(subscribed_at=None, **dates)
    if left:
        record_consent(row, Purpose.NEWSLETTER, ConsentAction.WITHDRAWN, ORIGIN)
    return row


@pytest.mark.parametrize("purge", [purge_unconfirmed, purge_unsubscribed])
def test_who_confirms_as_the_period_ends_stays(purge: Purge) -> None:
    row = make_silent(purge)
    with transaction.atomic():
        assert confirm_subscription(key=row.token, origin=ORIGIN) is not None
        purging = Started(lambda: purge(timezone.now(), 10))
        wait_until_blocked()
    assert purging.value() == 0
    row.refresh_from_db()
    assert row.receives
    assert row.consents.latest("pk").action == ConsentAction.CONFIRMED


@pytest.mark.parametrize("purge", [purge_unconfirmed, purge_unsubscribed])
def test_without_the_lock_the_rule_fails(monkeypatch: pytest.MonkeyPatch, purge: Purge) -> None:
    """The control: their new consent alone keeps the address."""
    row = make_silent(purge)
    with transaction.atomic():
        assert confirm_subscription(key=row.token, origin=ORIGIN) is not None
        monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **_options: rows)
        purging = Started(lambda: purge(timezone.now(), 10))
        wait_until_blocked()
    assert isinstance(purging.outcome().error, IntegrityError)


def test_a_letter_goes_to_the_address_that_its_reader_takes_meanwhile() -> None:
    row = make_subscriber("old@example.com")
    campaign = start_letter()
    with transaction.atomic():
        move_subscriber("old@example.com", "new@example.com")
        writing = Started(lambda: write_batch(campaign.pk))
        wait_until_blocked()
    assert writing.value() is True
    assert list(OutgoingMail.objects.values_list("to", flat=True)) == ["new@example.com"]
    assert CampaignRecipient.objects.get().subscriber_id == row.pk


def test_without_the_lock_it_goes_to_the_one_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    make_subscriber("old@example.com")
    campaign = start_letter()
    with transaction.atomic():
        move_subscriber("old@example.com", "new@example.com")
        monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **_options: rows)
        writing = Started(lambda: write_batch(campaign.pk))
        wait_until_blocked()
    assert writing.value() is True
    assert list(OutgoingMail.objects.values_list("to", flat=True)) == ["old@example.com"]


def test_an_address_that_is_typed_as_a_member_takes_it_has_one_row() -> None:
    row = make_subscriber("old@example.com")
    with transaction.atomic():
        ask_subscription(email="new@example.com", origin=ORIGIN)
        moving = Started(lambda: move_subscriber("old@example.com", "new@example.com"))
        wait_until_blocked()
    moving.value()
    assert list(Subscriber.objects.values_list("pk", "email")) == [(row.pk, "new@example.com")]


def test_an_address_that_a_member_takes_as_it_is_typed_has_one_row() -> None:
    row = make_subscriber("old@example.com")
    with transaction.atomic():
        move_subscriber("old@example.com", "new@example.com")
        asking = Started(lambda: ask_subscription(email="new@example.com", origin=ORIGIN))
        wait_until_blocked()
    asking.value()
    assert list(Subscriber.objects.values_list("pk", "email")) == [(row.pk, "new@example.com")]
    assert OutgoingMail.objects.get().kind == "newsletter_preferences"


def test_without_the_lock_the_change_of_address_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    monkeypatch.setattr(consents, "lock_names", lambda names: None)
    make_subscriber("old@example.com")
    with transaction.atomic():
        ask_subscription(email="new@example.com", origin=ORIGIN)
        moving = Started(lambda: move_subscriber("old@example.com", "new@example.com"))
        wait_until_blocked()
    assert isinstance(moving.outcome().error, IntegrityError)
