"""Delivering events: one row an event and endpoint, claimed, sent, marked.

A row is claimed by one guarded UPDATE and leased, so that two workers never send it at once and a killed one gives it
back when the lease ends. The call is made outside any transaction. A call can go out twice (a worker killed between the
answer and the mark) with the same event id; it can't get lost.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from shop.core.clocks import is_misdated
from shop.core.each_row import each_row, each_step
from shop.core.enqueue import enqueue, enqueue_after_commit
from shop.core.jobs import queue_answers
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import queue_mail
from shop.core.models import ShopSettings
from shop.core.outbound import AddressRefused, Answer, CallFailed, post
from shop.core.site import absolute_url
from shop.integrations.models import (
    DeliveryState,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from shop.integrations.secrets import signing_secrets
from shop.integrations.signatures import HEADER, sign

logger = logging.getLogger(__name__)

# Quick tries for a hiccup, slow ones for an outage: a day in all.
RETRY_DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=15, minutes=24),
)
MAX_ATTEMPTS = len(RETRY_DELAYS) + 1
SECONDS = 10.0
LEASE = timedelta(seconds=60)
ANSWER_BYTES = 500
"""How much of an answer the log shows."""
DELIVER_TASK = "shop.integrations.tasks.deliver_webhook"
QUEUE = "webhooks"
NO_WORKER_AFTER = timedelta(minutes=5)
SWEEP_SECONDS = 5.0
"""How long a sweep goes on calling what no worker has called, every 20 s: with the last call 15 s at most."""
_BATCH = 200
_EXPIRES = 60.0


def dispatch(event_id: uuid.UUID) -> int:
    """Write the deliveries of one event, and return how many. Nothing happens to one that was dispatched already."""
    with transaction.atomic():
        event = WebhookEvent.objects.select_for_update().filter(pk=event_id, dispatched_at=None).first()
        if event is None:
            return 0
        asked = WebhookEndpoint.objects.filter(is_active=True)
        if event.endpoint_id is not None:
            asked = asked.filter(pk=event.endpoint_id)
        chosen = [row for row in asked if event.endpoint_id is not None or event.kind in row.kinds]
        deliveries = WebhookDelivery.objects.bulk_create(
            WebhookDelivery(endpoint=row, event=event) for row in chosen
        )
        event.dispatched_at = timezone.now()
        event.save(update_fields=["dispatched_at"])
        for delivery in deliveries:
            enqueue_after_commit(DELIVER_TASK, delivery.pk)
    return len(deliveries)


def deliver(delivery_id: int, *, now: datetime | None = None) -> DeliveryState | None:
    """Make one call if it is due; return the delivery's new state, None when there was nothing to do.

    Safe to call any number of times and from any number of workers.
    """
    delivery = _claim(delivery_id, now or timezone.now())
    if delivery is None:
        return None
    attempt = _call(delivery)
    with transaction.atomic():
        # Before its deliveries, as staff who switch it on have it.
        list(WebhookEndpoint.objects.select_for_update(no_key=True).filter(pk=delivery.endpoint_id))
        state = _mark(delivery, attempt, now or timezone.now())
        if state is not None:
            attempt.save()
    return state


def redeliver(*, delivery_id: int) -> bool:
    """Send an event again, under its own id, its tries counted from zero. False while it is being sent, and where
    there is no such delivery."""
    now = timezone.now()
    with transaction.atomic():
        rows = WebhookDelivery.objects.filter(_is_free(now), pk=delivery_id)
        found = rows.update(state=DeliveryState.QUEUED, attempts=0, next_attempt_at=now, lease_until=None)
        if found:
            enqueue_after_commit(DELIVER_TASK, delivery_id)
    return bool(found)


def sweep(now: datetime) -> None:
    """Find whatever a lost message, a broker that was away, a killed worker or a clock ahead left behind.

    What nobody took for five minutes is sent here: on a machine that runs jobs from cron there may be no worker.
    """
    _bring_back_from_the_future(now)

    def hand_over() -> None:
        if queue_answers(QUEUE):
            enqueue_waiting(now)

    each_step(_dispatch_waiting, hand_over, lambda: _deliver_overdue(now))


def _bring_back_from_the_future(now: datetime) -> None:
    """No call waits longer than the longest delay: what does was put off or claimed by a clock that was ahead."""
    longest = RETRY_DELAYS[-1]
    put_off = Q(state=DeliveryState.QUEUED) & is_misdated("next_attempt_at", now, within=longest)
    claimed = Q(state=DeliveryState.SENDING) & is_misdated("lease_until", now, within=longest)
    WebhookDelivery.objects.filter(put_off | claimed).update(
        state=DeliveryState.QUEUED, next_attempt_at=now, lease_until=None
    )


def _dispatch_waiting() -> None:
    waiting = WebhookEvent.objects.filter(dispatched_at=None).order_by("created_at")

    def take(event_id: uuid.UUID) -> bool:
        dispatch(event_id)
        return True

    each_row(waiting.values_list("pk", flat=True), take, most=_BATCH)


def _deliver_overdue(now: datetime) -> None:
    end = time.monotonic() + SWEEP_SECONDS
    overdue = _due(now - NO_WORKER_AFTER).values_list("pk", flat=True)[:_BATCH]
    in_time = takewhile(lambda _key: time.monotonic() <= end, overdue)
    each_row(in_time, lambda delivery_id: deliver(delivery_id, now=now))


def enqueue_waiting(now: datetime) -> None:
    """Hand what is due to the workers."""
    for delivery_id in _due(now).values_list("pk", flat=True)[:_BATCH]:
        enqueue(DELIVER_TASK, delivery_id, expires=_EXPIRES)


def event_body(event: WebhookEvent) -> bytes:
    """What receivers read of an event: the same bytes at every try."""
    document = {
        "id": str(event.pk),
        "type": event.kind,
        "created_at": event.created_at.isoformat(),
        "data": event.data,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def purge_events(before: datetime, limit: int) -> int:
    """Delete events that are older than `before` with their deliveries and log, at most `limit`; return how many."""
    old = WebhookEvent.objects.filter(created_at__lt=before).order_by("created_at")
    chosen = list(old.values_list("pk", flat=True)[:limit])
    WebhookEvent.objects.filter(pk__in=chosen).delete()
    return len(chosen)


def _due(now: datetime) -> QuerySet[WebhookDelivery]:
    """Those that may be sent now, the oldest first."""
    # Without a join: PostgreSQL asks a joined row for nothing again when its UPDATE waited for another one.
    rows = WebhookDelivery.objects.filter(
        _is_free(now),
        state__in=(DeliveryState.QUEUED, DeliveryState.SENDING),
        next_attempt_at__lte=now,
        endpoint__in=WebhookEndpoint.objects.filter(is_active=True, paused_at=None),
    )
    return rows.order_by("next_attempt_at", "pk")


def _is_free(now: datetime) -> Q:
    return Q(lease_until=None) | Q(lease_until__lte=now)


def _claim(delivery_id: int, now: datetime) -> WebhookDelivery | None:
    taken = (
        _due(now)
        .order_by()
        .filter(pk=delivery_id)
        .update(state=DeliveryState.SENDING, attempts=F("attempts") + 1, lease_until=timezone.now() + LEASE)
    )
    rows = WebhookDelivery.objects.select_related("endpoint", "event")
    return rows.filter(pk=delivery_id).first() if taken else None


def _call(delivery: WebhookDelivery) -> WebhookAttempt:
    began, moment = time.monotonic(), timezone.now()
    attempt = WebhookAttempt(delivery=delivery, started_at=moment)
    try:
        answer = _post(delivery, moment)
    except (AddressRefused, CallFailed) as error:
        attempt.failure = error.reason
    except Exception:
        # A try like any other, or it would be made again every minute and never end.
        logger.exception("webhook delivery %s failed", delivery.pk)
        attempt.failure = "unforeseen"
    else:
        attempt.status = answer.status
        attempt.answer = answer.body.decode("utf-8", "replace").replace("\x00", "\ufffd")
    attempt.milliseconds = int((time.monotonic() - began) * 1000)
    return attempt


def _post(delivery: WebhookDelivery, moment: datetime) -> Answer:
    secrets = signing_secrets(delivery.endpoint, moment)
    if not secrets:
        raise AddressRefused("secret_lost")
    body = event_body(delivery.event)
    headers = {
        "Content-Type": "application/json",
        "Webhook-Id": str(delivery.event_id),
        HEADER: sign(body, secrets=secrets, timestamp=int(moment.timestamp())),
    }
    return post(
        delivery.endpoint.url,
        body=body,
        headers=headers,
        seconds=SECONDS,
        most=ANSWER_BYTES,
        schemes=("https", "http") if settings.DEBUG else ("https",),
        allow_loopback=settings.DEBUG,
    )


def _mark(delivery: WebhookDelivery, attempt: WebhookAttempt, now: datetime) -> DeliveryState | None:
    """Write what came of a call; None where the lease ended and somebody else has the row."""
    values: dict[str, Any] = {"lease_until": None}
    if attempt.status is not None and 200 <= attempt.status < 300:
        state = DeliveryState.SUCCEEDED
    elif delivery.attempts >= MAX_ATTEMPTS:
        state = DeliveryState.FAILED
    else:
        state = DeliveryState.QUEUED
        values["next_attempt_at"] = now + RETRY_DELAYS[delivery.attempts - 1]
    ours = WebhookDelivery.objects.filter(
        pk=delivery.pk, state=DeliveryState.SENDING, attempts=delivery.attempts
    )
    if not ours.update(state=state, **values):
        return None
    if attempt.status is None:
        _back_off(delivery.endpoint_id, now)
    if state == DeliveryState.FAILED:
        _pause(delivery.endpoint, now)
    return state


def _back_off(endpoint_id: int, now: datetime) -> None:
    """Ask an address that did not answer again in a minute, whatever waits for it: each try takes the pictures'
    worker for `SECONDS`, and the calls of others wait behind hundreds of them."""
    soon = now + RETRY_DELAYS[0]
    waiting = WebhookDelivery.objects.filter(endpoint=endpoint_id, state=DeliveryState.QUEUED)
    waiting.filter(next_attempt_at__lt=soon).update(next_attempt_at=soon)


def _pause(endpoint: WebhookEndpoint, now: datetime) -> None:
    """Call an endpoint no more, and write to the shop; once, until staff switch it on again."""
    if not WebhookEndpoint.objects.filter(pk=endpoint.pk, paused_at=None).update(paused_at=now):
        return
    logger.warning("webhook %s paused after a day of failures", endpoint.pk)
    queue_mail(
        kind="webhook_paused",
        to=ShopSettings.load().alert_address,
        language=SOURCE_LANGUAGE,
        context={
            "name": str(endpoint),
            "url": endpoint.url,
            "admin_url": absolute_url(reverse("staff-webhook", args=[endpoint.pk])),
        },
        dedupe_key=f"webhook_paused:{endpoint.pk}:{now.timestamp():.0f}",
    )
