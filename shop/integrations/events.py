"""Writing down what happened, in the transaction in which it happens. Delivered by `shop.integrations.delivery`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.transaction import TransactionManagementError
from django.utils import timezone

from shop.core.enqueue import enqueue_after_commit
from shop.integrations.models import EventKind, WebhookEndpoint, WebhookEvent

# Another name than the set of kinds had that a version before keeps there: beside it neither misreads the other's.
CACHE_KEY = "webhook-kinds-by-endpoint"
CACHE_SECONDS = 60
DISPATCH_TASK = "shop.integrations.tasks.dispatch_event"
# A later change of the same thing is told by the event that still waits, whose place it takes.
_REPLACED = {
    EventKind.PRODUCT_CREATED: (EventKind.PRODUCT_CREATED,),
    EventKind.PRODUCT_UPDATED: (EventKind.PRODUCT_UPDATED, EventKind.PRODUCT_CREATED),
    EventKind.STOCK_CHANGED: (EventKind.STOCK_CHANGED,),
}


def is_wanted(kind: EventKind) -> bool:
    """Return whether some endpoint asks for this kind of event. At most one query a minute and process: what happens
    in the first minute of an endpoint may be missing."""
    return any(kind.value in kinds for kinds in _wanted_kinds())


def forget_wanted_kinds() -> None:
    """Endpoints changed: drop the cached answer, and once more after the commit, as another process may have read it
    anew before."""
    cache.delete(CACHE_KEY)
    transaction.on_commit(lambda: cache.delete(CACHE_KEY))


def record_event(kind: EventKind, *, subject: str, data: Callable[[], dict[str, Any]]) -> None:
    """Write down one event about `subject` (`product:12`), as `record_events` does."""
    record_events(kind, data=lambda: {subject: data()})


def record_events(kind: EventKind, *, data: Callable[[], Mapping[str, dict[str, Any]]]) -> None:
    """Write down an event about each subject of `data`, if somebody wants it; `data` is called only then, and gives
    what JSON can hold.

    To be called at the end of the change, inside its transaction: no commit, no event. An event of the same subject
    that still waits is replaced where only the last state counts. Three queries at most beside those of `data`.
    """
    asking = [kinds for kinds in _wanted_kinds() if kind.value in kinds]
    if not asking:
        return
    if not transaction.get_connection().in_atomic_block:
        raise TransactionManagementError("An event is written with the change that it tells of.")
    left = dict(data())
    waiting = WebhookEvent.objects.filter(
        subject__in=list(left), kind__in=_REPLACED.get(kind, ()), dispatched_at=None, endpoint=None
    ).select_for_update()
    replaced = list(waiting)
    for event in replaced:
        event.data, event.created_at = left[event.subject], timezone.now()
    WebhookEvent.objects.bulk_update(replaced, ("data", "created_at"))
    # Who asks for updates alone hears of none by the event of a creation.
    for event in replaced:
        if all(event.kind in kinds for kinds in asking):
            left.pop(event.subject, None)
    for event in WebhookEvent.objects.bulk_create(
        WebhookEvent(kind=kind, subject=subject, data=content) for subject, content in left.items()
    ):
        enqueue_after_commit(DISPATCH_TASK, str(event.pk))


def _wanted_kinds() -> list[list[str]]:
    """What each endpoint asks for, those in a pause too: their events wait."""
    found: list[list[str]] | None = cache.get(CACHE_KEY)
    if found is None:
        found = list(WebhookEndpoint.objects.filter(is_active=True).values_list("kinds", flat=True))
        cache.set(CACHE_KEY, found, CACHE_SECONDS)
    return found
