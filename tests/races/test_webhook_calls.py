"""One call for one delivery, however many workers take it up at one instant."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.tests.people import make_admin
from shop.core.problems import Problem
from shop.integrations import delivery, endpoints
from shop.integrations.endpoints import create_endpoint, send_test
from shop.integrations.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def waiting() -> WebhookDelivery:
    staff = make_admin()
    create_endpoint(url="https://example.com/hook", description="", kinds=["stock.changed"], actor=staff)
    send_test(endpoint_id=WebhookEndpoint.objects.get().pk)
    delivery.dispatch(WebhookEvent.objects.get().pk)
    return WebhookDelivery.objects.get()


def test_a_delivery_that_two_workers_take_up_is_called_by_one(waiting: WebhookDelivery) -> None:
    now = timezone.now()
    with transaction.atomic():
        assert delivery._claim(waiting.pk, now) == waiting
        claiming = Started(lambda: delivery._claim(waiting.pk, now))
        wait_until_blocked()
    assert claiming.value() is None
    waiting.refresh_from_db()
    assert waiting.attempts == 1


def test_control_a_join_lets_the_second_worker_call_too(
    waiting: WebhookDelivery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The endpoint asked for by columns of its own: the database evaluates nothing anew."""
    now, due = timezone.now(), delivery._due
    monkeypatch.setattr(delivery, "_due", lambda moment: due(moment).filter(endpoint__is_active=True))
    with transaction.atomic():
        assert delivery._claim(waiting.pk, now) == waiting
        claiming = Started(lambda: delivery._claim(waiting.pk, now))
        wait_until_blocked()
    assert claiming.value() == waiting


def test_two_people_at_once_make_no_more_endpoints_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "MOST_ENDPOINTS", 1)
    staff = make_admin()

    def make() -> None:
        create_endpoint(url="https://example.com/hook", description="", kinds=["stock.changed"], actor=staff)

    with transaction.atomic():
        make()
        making = Started(make)
        wait_until_blocked()
    error = making.outcome().error
    assert isinstance(error, Problem)
    assert (error.code, WebhookEndpoint.objects.count()) == ("too_many", 1)
