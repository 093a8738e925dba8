"""What the provider tells by webhook: kept first, then acted on.

A message is only a hint. What it speaks of is asked for again, so that repeated, late and reversed messages all
lead to the same end.
"""

import re
import uuid
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from orders.models import Attempt, AttemptKind, CardChange, CardChangeState, StripeEvent
from orders.models.payment import LIVE_ATTEMPTS
from orders.payments import gateway
from orders.payments.card_change import settle_card_change
from orders.payments.gateway import EventFacts
from orders.payments.settlement import keep_for_review, settle
from orders.services.disputes import sync_disputes
from orders.services.refund_sending import sync_refunds

MAX_TRIES = 20
NOT_KEPT = re.compile("[\x00\ud800-\udfff]")
"""NUL and halves of surrogate pairs, which JSON can say and PostgreSQL does not keep."""
AMOUNTS = {"checkout.session": "amount_total", "payment_intent": "amount", "charge": "amount"}
"""Where each of the provider's objects says, in cents, what was asked of the customer."""


class NotYetKnown(Exception):
    """An event of this shop about a payment that is not in the database (yet): it must come again."""


def store_event(facts: EventFacts) -> StripeEvent:
    """Keep a message. The same one twice is one row."""
    try:
        with transaction.atomic():
            return StripeEvent.objects.create(
                event_id=_storable(facts.event_id),
                kind=_storable(facts.kind),
                livemode=facts.livemode,
                body=_storable(facts.body),
            )
    except IntegrityError:
        return StripeEvent.objects.get(event_id=_storable(facts.event_id))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return NOT_KEPT.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(name): _storable(item) for name, item in value.items()}
    return value


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
        closed = event.kind == "checkout.session.expired"
        if subject.get("mode") == "setup":
            _settle_card_change(subject, closed=closed)
            return
        _settle_attempt(subject, session_id=str(subject.get("id", "")), closed=closed)
    elif family == "payment_intent":
        _settle_attempt(subject, intent_id=str(subject.get("id", "")))
    elif event.kind.startswith("charge.dispute."):
        sync_disputes(str(subject.get("payment_intent") or ""))
    elif family in ("charge", "refund"):
        intent_id = str(subject.get("payment_intent") or "")
        if family == "charge" and "refund" not in event.kind:
            _settle_attempt(subject, intent_id=intent_id)
        else:
            sync_refunds(intent_id)


def _settle_attempt(
    subject: dict[str, Any], *, session_id: str = "", intent_id: str = "", closed: bool = False
) -> None:
    attempt = _attempt(subject, session_id=session_id, intent_id=intent_id, closed=closed)
    if attempt is None:
        return
    contradiction = _contradiction(subject, attempt)
    if contradiction:
        keep_for_review(attempt.pk, contradiction)
    else:
        settle(attempt.pk)


def _settle_card_change(subject: dict[str, Any], *, closed: bool) -> None:
    """A page on which nothing is paid: a card was left on it, or its time is over."""
    metadata = subject.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    change = CardChange.objects.filter(session_id=str(subject.get("id", ""))).first()
    if change is None:
        named = str(metadata.get("card_change", ""))
        try:
            change = CardChange.objects.filter(pk=uuid.UUID(named)).first()
        except ValueError:
            return
        if change is None and not closed and metadata.get(gateway.SHOP_MARK) == settings.SITE_URL:
            raise NotYetKnown(f"change of card {named} is not known")
    if change is None:
        return
    if change.session_id is None and change.state == CardChangeState.OPEN:
        # The page exists, and the process that opened it has not saved its id yet, or died before it could.
        raise NotYetKnown(f"the page of change of card {change.pk} is not saved yet")
    settle_card_change(change.pk)


def _contradiction(subject: dict[str, Any], attempt: Attempt) -> str:
    """How a message's own amount or currency differs from the attempt's, or "". It is signed, so somebody errs."""
    name = AMOUNTS.get(str(subject.get("object")), "")
    for label, told, expected in (
        ("amount", subject.get(name), attempt.amount_cents),
        ("currency", subject.get("currency"), "eur"),
    ):
        if told is not None and told != expected:
            return f"event {label}: {told} instead of {expected}"
    return ""


def _attempt(
    subject: dict[str, Any], *, session_id: str = "", intent_id: str = "", closed: bool = False
) -> Attempt | None:
    """The attempt that a message is about; None for another site's payments on the same account.

    `closed`: the message says that nobody can pay any more. Then an unknown attempt is one that staff deleted.
    """
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
    if found is not None and found.kind == AttemptKind.OFF_SESSION:
        return found
    if found is not None and found.session_id is None and found.state not in LIVE_ATTEMPTS:
        # A page whose address was never answered: nobody can pay it, another try took its place.
        return None
    if found is not None and found.session_id is None:
        # The page exists, and the process that opened it has not saved its id yet, or died before it could.
        raise NotYetKnown(f"the payment page of attempt {found.pk} is not saved yet")
    if found is None and not closed and metadata.get(gateway.SHOP_MARK) == settings.SITE_URL:
        raise NotYetKnown(f"attempt {named or intent_id} is not known")
    return found
