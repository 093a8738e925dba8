"""What keys and webhooks hold of people: who made them. Events name no customer."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from shop.core.personal_data import RetentionRule, register_not_personal, register_retention
from shop.integrations.delivery import purge_events
from shop.integrations.models import RepeatedCall


def register() -> None:
    """Register the columns and rules of keys and webhooks."""
    register_not_personal(
        "Set up by staff for programs: keys, addresses of servers, numbers of pieces and orders, without a customer.",
        {
            f"integrations.{name}": ("*",)
            for name in (
                *("ApiKey", "RepeatedCall", "WebhookEndpoint", "WebhookEvent", "WebhookDelivery"),
                "WebhookAttempt",
            )
        },
    )
    register_retention(
        RetentionRule("webhook-events", _("Journal des webhooks"), "webhook_days", purge_events)
    )
    register_retention(
        RetentionRule("repeated-calls", _("Répétitions d'appels de l'API"), "webhook_days", _purge_repeated)
    )


def _purge_repeated(before: datetime, limit: int) -> int:
    old = list(RepeatedCall.objects.filter(created_at__lt=before).values_list("pk", flat=True)[:limit])
    return RepeatedCall.objects.filter(pk__in=old).delete()[0]
