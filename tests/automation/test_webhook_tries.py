"""Webhooks that fail: tried again for a day, paused, taken up after a worker that died."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from catalog.tests.factories import make_product
from shop.core.jobs import note_pulse
from shop.core.models import OutgoingMail, ScheduledJob
from shop.integrations import delivery
from shop.integrations.delivery import MAX_ATTEMPTS, RETRY_DELAYS, deliver, dispatch, sweep
from shop.integrations.endpoints import (
    create_endpoint,
    send_test,
    switch_endpoint,
    update_endpoint,
)
from shop.integrations.models import (
    DeliveryState,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from tests.automation.receivers import Receiver, kinds_of

pytestmark = pytest.mark.django_db


def test_failures_are_tried_again_for_a_day_then_the_endpoint_pauses_and_the_shop_is_told(
    endpoint: WebhookEndpoint, server: Receiver, run_on_commit: Any, boss: User, work: Any, queued_tasks: Any
):
    server.answers = [500] * 100
    server.answer_body = b"x" * 5000
    with run_on_commit():
        make_product()
    dispatch(WebhookEvent.objects.get().pk)
    row = WebhookDelivery.objects.get()
    now = timezone.now()
    for number, wait in enumerate(RETRY_DELAYS, 1):
        assert deliver(row.pk, now=now) == "queued"
        row.refresh_from_db()
        assert (row.attempts, row.next_attempt_at) == (number, now + wait)
        # Not a second earlier.
        assert deliver(row.pk, now=now + wait - timedelta(seconds=1)) is None
        now += wait
    assert sum(RETRY_DELAYS, timedelta(0)) == timedelta(days=1)
    assert not OutgoingMail.objects.exists()
    assert deliver(row.pk, now=now) == "failed"
    assert len(server.received) == MAX_ATTEMPTS
    assert len({body for _headers, body in server.received}) == 1
    assert {(each.status, len(each.answer)) for each in WebhookAttempt.objects.all()} == {(500, 500)}
    mail = OutgoingMail.objects.get()
    assert (mail.kind, mail.context["url"]) == ("webhook_paused", server.url)
    endpoint.refresh_from_db()
    assert endpoint.paused_at == now
    # What happens meanwhile waits.
    queued_tasks.calls.clear()
    with run_on_commit():
        make_product("Second")
    work()
    assert len(server.received) == MAX_ATTEMPTS
    server.answers = []
    with run_on_commit():
        switch_endpoint(endpoint_id=endpoint.pk, on=True, actor=boss)
    work()
    assert len(server.received) == MAX_ATTEMPTS + 2
    assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {"succeeded"}
    assert OutgoingMail.objects.count() == 1


def test_answer_other_than_200_to_299_is_a_failure(endpoint: WebhookEndpoint, server: Receiver):
    for status in (302, 404):
        server.answers = [status]
        send_test(endpoint_id=endpoint.pk)
        dispatch(WebhookEvent.objects.filter(dispatched_at=None).get().pk)
        assert deliver(WebhookDelivery.objects.latest("pk").pk) == "queued"


def test_server_that_is_not_there_is_in_the_log(endpoint: WebhookEndpoint, boss: User):
    update_endpoint(
        endpoint_id=endpoint.pk,
        url="http://127.0.0.1:9/",
        description="",
        kinds=["product.created"],
        actor=boss,
    )
    send_test(endpoint_id=endpoint.pk)
    dispatch(WebhookEvent.objects.get().pk)
    assert deliver(WebhookDelivery.objects.get().pk) == "queued"
    attempt = WebhookAttempt.objects.get()
    assert (attempt.status, attempt.failure) == (None, "unreachable")


def test_address_that_does_not_answer_is_asked_once_a_minute_whatever_waits_for_it(
    endpoint: WebhookEndpoint, server: Receiver, boss: User
):
    other = create_endpoint(url=server.url, description="", kinds=["product.created"], actor=boss).row
    update_endpoint(
        endpoint_id=endpoint.pk,
        url="http://127.0.0.1:9/",
        description="",
        kinds=["product.created"],
        actor=boss,
    )
    for row in (endpoint, endpoint, endpoint, other):
        send_test(endpoint_id=row.pk)
    for event in WebhookEvent.objects.order_by("created_at"):
        dispatch(event.pk)
    now = timezone.now()
    rows = WebhookDelivery.objects.order_by("pk")
    assert [deliver(row.pk, now=now) for row in rows] == ["queued", None, None, "succeeded"]
    assert list(rows.values_list("attempts", flat=True)) == [1, 0, 0, 1]
    # There again: everything arrives, nothing was counted as a try.
    WebhookEndpoint.objects.update(url=server.url)
    later = now + RETRY_DELAYS[0]
    assert [deliver(row.pk, now=later) for row in rows] == ["succeeded", "succeeded", "succeeded", None]
    assert list(rows.values_list("attempts", flat=True)) == [2, 1, 1, 1]


def test_dead_worker_loses_nothing_and_sends_the_same_id_again(
    endpoint: WebhookEndpoint,
    server: Receiver,
    run_on_commit: Any,
    monkeypatch: pytest.MonkeyPatch,
    work: Any,
):
    """Killed between the answer and the mark; then every message is lost."""
    send_test(endpoint_id=endpoint.pk)
    dispatch(WebhookEvent.objects.get().pk)
    row = WebhookDelivery.objects.get()

    def die(*args: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(delivery, "_mark", die)
        with pytest.raises(SystemExit):
            deliver(row.pk)
    # Its lease is not over: nobody sends it twice at once.
    assert deliver(row.pk) is None
    now = timezone.now() + timedelta(minutes=10)
    with run_on_commit():
        sweep(now)
    assert len({headers["webhook-id"] for headers, _body in server.received}) == 1
    assert len(server.received) == 2
    row.refresh_from_db()
    assert row.state == "succeeded"


@pytest.mark.parametrize(
    ("wait", "moved"), [(timedelta(hours=15, minutes=34), False), (timedelta(days=800), True)]
)
@pytest.mark.parametrize("state", [DeliveryState.QUEUED, DeliveryState.SENDING])
def test_call_that_a_clock_ahead_put_off_is_due_again(
    endpoint: WebhookEndpoint, queued_tasks: Any, state: str, wait: timedelta, moved: bool
):
    send_test(endpoint_id=endpoint.pk)
    dispatch(WebhookEvent.objects.get().pk)
    queued_tasks.calls.clear()
    now = timezone.now()
    before = {"state": state, "attempts": 2, "next_attempt_at": now + wait, "lease_until": None}
    if state == DeliveryState.SENDING:
        before |= {"next_attempt_at": now, "lease_until": now + wait}
    WebhookDelivery.objects.update(**before)
    note_pulse("queue-webhooks")
    sweep(now)
    row = WebhookDelivery.objects.values("pk", *before).get()
    due = {"state": "queued", "attempts": 2, "next_attempt_at": now, "lease_until": None}
    assert {name: row[name] for name in before} == (due if moved else before)
    assert [args for _task, args, _ in queued_tasks.calls] == ([(row["pk"],)] if moved else [])


def test_sweep_finds_events_whose_message_was_lost(
    endpoint: WebhookEndpoint, server: Receiver, run_on_commit: Any, queued_tasks: Any, work: Any
):
    with run_on_commit():
        make_product()
    queued_tasks.calls.clear()
    with run_on_commit():
        sweep(timezone.now())
    work()
    assert kinds_of(server) == ["product.created"]
    with run_on_commit():
        sweep(timezone.now())
    work()
    assert len(server.received) == 1


def test_sweep_hands_nothing_to_a_queue_whose_worker_is_gone(endpoint: WebhookEndpoint, queued_tasks: Any):
    """Where nobody takes them, two hundred messages every 20 s would fill the disk of the queue."""
    send_test(endpoint_id=endpoint.pk)
    sweep(timezone.now())
    assert queued_tasks.calls == []
    note_pulse("queue-webhooks")
    sweep(timezone.now())
    assert [task.name for task, _args, _options in queued_tasks.calls] == [delivery.DELIVER_TASK]
    gone = timezone.now() - timedelta(minutes=3, seconds=1)
    ScheduledJob.objects.filter(name="queue-webhooks").update(last_finished_at=gone)
    sweep(timezone.now())
    assert len(queued_tasks.calls) == 1


def test_call_that_fails_keeps_no_other_waiting(
    endpoint: WebhookEndpoint, server: Receiver, fail_first: Callable[[Any, str], None]
):
    for _ in range(3):
        send_test(endpoint_id=endpoint.pk)
    fail_first(delivery, "dispatch")
    fail_first(delivery, "_call")
    with pytest.raises(RuntimeError, match="unforeseen"):
        sweep(timezone.now())
    assert WebhookEvent.objects.filter(dispatched_at=None).count() == 1
    WebhookDelivery.objects.update(next_attempt_at=timezone.now() - timedelta(minutes=6))
    with pytest.raises(RuntimeError, match="unforeseen"):
        sweep(timezone.now())
    assert len(server.received) == 1


def test_receiver_that_is_slow_takes_no_worker_of_the_mails(
    endpoint: WebhookEndpoint, monkeypatch: pytest.MonkeyPatch, settings: Any, run_on_commit: Any
):
    """Its calls have a queue of their own, and a sweep makes few of those that nobody takes."""
    asked: list[str] = []
    clock = iter((0.0, 0.0, 4.9, 14.8))
    monkeypatch.setattr(delivery, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(delivery, "deliver", lambda key, **options: asked.append(key))
    with run_on_commit():
        for _ in range(4):
            send_test(endpoint_id=endpoint.pk)
    for event in WebhookEvent.objects.all():
        dispatch(event.pk)
    WebhookDelivery.objects.update(next_attempt_at=timezone.now() - timedelta(minutes=6))
    sweep(timezone.now())
    assert asked == sorted(WebhookDelivery.objects.values_list("pk", flat=True))[:2]
    assert settings.CELERY_TASK_ROUTES[delivery.DELIVER_TASK] == {"queue": "webhooks"}


def test_call_that_fails_unforeseen_is_a_try_like_any_other(
    endpoint: WebhookEndpoint, monkeypatch: pytest.MonkeyPatch
):
    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("unforeseen")

    send_test(endpoint_id=endpoint.pk)
    dispatch(WebhookEvent.objects.get().pk)
    row, now = WebhookDelivery.objects.get(), timezone.now()
    monkeypatch.setattr(delivery, "post", fail)
    assert deliver(row.pk, now=now) == "queued"
    row.refresh_from_db()
    assert (row.next_attempt_at, row.lease_until) == (now + RETRY_DELAYS[0], None)
    assert WebhookAttempt.objects.get().failure == "unforeseen"
    WebhookDelivery.objects.update(attempts=MAX_ATTEMPTS - 1, next_attempt_at=now)
    assert deliver(row.pk, now=now) == "failed"
    assert OutgoingMail.objects.get().kind == "webhook_paused"
