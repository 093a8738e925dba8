"""A payment that a bank takes back."""

from __future__ import annotations

from orders.models import Attempt
from orders.services.refunds.disputes import sync_disputes
from orders.tests.memory_provider import MemoryProvider


def dispute(provider: MemoryProvider, status: str = "needs_response", cents: int | None = None) -> str:
    attempt = Attempt.objects.filter(charge_id__isnull=False).latest("created_at")
    dispute_id = provider.open_dispute(attempt, cents)
    provider.move_dispute(dispute_id, status)
    sync_disputes(attempt.intent_id)
    return dispute_id
