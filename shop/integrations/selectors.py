"""What the pages of webhooks show."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils import timezone

from shop.core.keyset import KeysetPage, read_page
from shop.integrations.models import DeliveryState, WebhookAttempt, WebhookDelivery, WebhookEndpoint

PAGE_SIZE = 30
RECENT = timedelta(days=1)


def all_endpoints() -> QuerySet[WebhookEndpoint]:
    """Every endpoint, with `waiting`, and `failed` and `received` of the last day. One query."""
    recent = Q(deliveries__created_at__gte=timezone.now() - RECENT)
    return WebhookEndpoint.objects.annotate(
        waiting=Count(
            "deliveries",
            filter=Q(deliveries__state__in=(DeliveryState.QUEUED, DeliveryState.SENDING)),
        ),
        received=Count("deliveries", filter=recent & Q(deliveries__state=DeliveryState.SUCCEEDED)),
        failed=Count("deliveries", filter=recent & Q(deliveries__state=DeliveryState.FAILED)),
    )


def find_deliveries(endpoint_id: int, cursor: str = "") -> KeysetPage[WebhookDelivery]:
    """A page of an endpoint's deliveries, newest first, with their events and tries. Two queries. Raises BadCursor."""
    rows = WebhookDelivery.objects.filter(endpoint_id=endpoint_id).select_related("event")
    tries = Prefetch("log", WebhookAttempt.objects.order_by("-started_at", "-pk"))
    return read_page(rows.prefetch_related(tries), cursor, moment="created_at", size=PAGE_SIZE)
