"""What the provider tells by webhook: kept first, then acted on.

A message is only a hint. What it speaks of is asked for again, so that repeated, late and reversed messages all
lead to the same end.
"""

import uuid
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from orders.models import Attempt, Refund, StripeEvent
from orders.models.payment import LIVE_ATTEMPTS
from orders.payments import gateway
from orders.payments.gateway import EventFacts
from orders.payments.settlement import settle
from orders.services.disputes import note_dispute
from orders.services.refunds import apply_refund

MAX_TRIES = 20


class NotYetKnown(Exception):
    """An event of this shop about a payment that is not in the database (yet): it must come again."""


def store_event(facts: EventFacts) -> StripeEvent:
    """Keep a message. The same one twice is one row."""
    try:
        with transaction.atomic():
            return StripeEvent.objects.create(
                event_id=facts.event_id, kind=facts.kind, livemode=facts.livemode, body=facts.body
            )
    except IntegrityError:
        return StripeEvent.objects.get(event_id=facts.event_id)


def process_event(event: StripeEvent) -> None:
    """Act on a kept message, once. Raises GatewayError or NotYetKnown when it must be tried again."""
    if event.processed_at is not None:
        return
    try:
        _act(event)
    except (gateway.GatewayError, NotYetKnown) as error:
        StripeEvent.objects.filter(pk=event.pk, processed_at__isnull=True).update(
            tries=event.tries + 1, error=f"{type(error).__name__}: {error}"[:2000]
        )
        raise
    StripeEvent.objects.filter(pk=event.pk, processed_at__isnull=True).update(
        processed_at=timezone.now(), tries=event.tries + 1, error=""
    )


def _act(event: StripeEvent) -> None:
    data = event.body.get("data")
    subject = data.get("object") if isinstance(data, dict) else None
    if not isinstance(subject, dict):
        return
    family = event.kind.partition(".")[0]
    if event.kind.startswith("checkout.session."):
        _settle_attempt(subject, session_id=str(subject.get("id", "")))
    elif family == "payment_intent":
        _settle_attempt(subject, intent_id=str(subject.get("id", "")))
    elif event.kind.startswith("charge.dispute."):
        attempt = _attempt(subject, intent_id=str(subject.get("payment_intent") or ""))
        if attempt is not None:
            note_dispute(attempt=attempt, status=str(subject.get("status", "")))
    elif family in ("charge", "refund"):
        intent_id = str(subject.get("payment_intent") or "")
        if family == "charge" and "refund" not in event.kind:
            _settle_attempt(subject, intent_id=intent_id)
        else:
            _sync_refunds(intent_id)


def _settle_attempt(subject: dict[str, Any], *, session_id: str = "", intent_id: str = "") -> None:
    attempt = _attempt(subject, session_id=session_id, intent_id=intent_id)
    if attempt is not None:
        settle(attempt.pk)


def _attempt(subject: dict[str, Any], *, session_id: str = "", intent_id: str = "") -> Attempt | None:
    """The attempt that a message is about; None for another site's payments on the same account."""
    metadata = subject.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    named = str(metadata.get("attempt", ""))
    found = None
    if session_id:
        found = Attempt.objects.filter(session_id=session_id).first()
    if found is None and intent_id:
        found = Attempt.objects.filter(intent_id=intent_id).first()
    if found is None and named:
        try:
            found = Attempt.objects.filter(pk=uuid.UUID(named)).first()
        except ValueError:
            return None
    if found is not None and found.session_id is None and found.state not in LIVE_ATTEMPTS:
        # A page whose address was never answered: nobody can pay it, another try took its place.
        return None
    if found is not None and found.session_id is None:
        # The page exists, and the process that opened it has not saved its id yet, or died before it could.
        raise NotYetKnown(f"the payment page of attempt {found.pk} is not saved yet")
    if found is None and metadata.get(gateway.SHOP_MARK) == settings.SITE_URL:
        raise NotYetKnown(f"attempt {named or intent_id} is not known")
    return found


def _sync_refunds(intent_id: str) -> None:
    if not Attempt.objects.filter(intent_id=intent_id).exists():
        return
    ours = {
        str(pk) for pk in Refund.objects.filter(attempt__intent_id=intent_id).values_list("pk", flat=True)
    }
    for facts in gateway.list_refunds(intent_id):
        if facts.metadata.get("refund") in ours:
            apply_refund(facts)
