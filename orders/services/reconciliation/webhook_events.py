"""Events that the provider sends by webhook: stored first, then processed.

A message is only a hint. What it speaks of is asked for again, so that repeated, late and reversed messages all
lead to the same end.
"""

import uuid
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, transaction
from django.db.models.functions import Least
from django.utils import timezone

from orders.models import LIVE_ATTEMPTS, Attempt, AttemptKind, CardChange, CardChangeState, StripeEvent
from orders.services.payments.card_change import limit_refused_cards_of_change, settle_card_change
from orders.services.payments.off_session import is_on_its_way
from orders.services.payments.refused_cards import limit_refused_cards
from orders.services.payments.settlement import hold_for_review, is_final, settle
from orders.services.reconciliation.discrepancies import record_unmatched_payment
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import sync_refunds
from orders.stripe import gateway
from orders.stripe.facts import EventFacts
from shop.core.audit import record_audit
from shop.core.enqueue import enqueue_after_commit
from shop.core.parsers import NOT_KEPT

MAX_TRIES = 20
AMOUNTS = {"checkout.session": "amount_total", "payment_intent": "amount", "charge": "amount"}
"""Where each of the provider's objects says, in cents, what was asked of the customer."""
MOST_CENTS = 10**10


class NotYetKnown(Exception):
    """An event of this shop about a payment that is not in the database (yet): it must come again."""


def store_event(facts: EventFacts) -> StripeEvent:
    """Store an event. The same one twice is one row."""
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
    """Process a stored event, once. Raises GatewayError, NotYetKnown or what else went wrong: to be tried again.

    What the provider could not answer is no try: it says nothing about the event, however long it lasts.
    """
    if event.processed_at is not None:
        return
    try:
        _act(event)
    except Exception as error:
        was_asked = not isinstance(error, (gateway.GatewayUnavailable, gateway.GatewayNotConfigured))
        StripeEvent.objects.filter(pk=event.pk, processed_at__isnull=True).update(
            tries=event.tries + was_asked, error=f"{type(error).__name__}: {error}"[:2000]
        )
        raise
    StripeEvent.objects.filter(pk=event.pk, processed_at__isnull=True).update(
        processed_at=timezone.now(), tries=event.tries + 1, error=""
    )


@transaction.atomic
def replay_events(keys: Collection[int]) -> int:
    """Have a worker process these events once more; returns how many were still to be processed.

    Until it has, they have no error, and one try is left: should the message be lost, the scheduled job takes it.
    """
    waiting = StripeEvent.objects.select_for_update().filter(pk__in=keys, processed_at=None)
    chosen = list(waiting.order_by("received_at", "pk").values_list("pk", flat=True))
    StripeEvent.objects.filter(pk__in=chosen).update(tries=Least("tries", MAX_TRIES - 1), error="")
    for key in chosen:
        enqueue_after_commit("orders.tasks.process_event", key)
    return len(chosen)


@transaction.atomic
def set_aside_events(keys: Collection[int], *, actor: AbstractBaseUser) -> int:
    """Try these events no more; returns how many. Only of those that failed, which keep their error.

    What they were about is still asked for by the jobs that compare payments with the provider.
    """
    waiting = StripeEvent.objects.select_for_update().filter(pk__in=keys, processed_at=None)
    failed = list(waiting.exclude(error="").order_by("received_at", "pk"))
    for event in failed:
        event.processed_at = timezone.now()
        event.save(update_fields=["processed_at"])
        record_audit("stripe_event.set_aside", event, actor=actor, after={"event": event.event_id})
    return len(failed)


def _act(event: StripeEvent) -> None:
    data = event.body.get("data")
    subject = data.get("object") if isinstance(data, dict) else None
    if not isinstance(subject, dict):
        return
    family = event.kind.partition(".")[0]
    last_try = event.tries + 1 >= MAX_TRIES
    if event.kind.startswith("checkout.session."):
        closed = event.kind == "checkout.session.expired"
        if subject.get("mode") == "setup":
            change = _card_change(subject, closed=closed)
            if change is not None:
                settle_card_change(change.pk)
            return
        _settle_attempt(
            subject, checkout_session_id=str(subject.get("id", "")), closed=closed, last_try=last_try
        )
    elif family == "payment_intent":
        refused = event.kind == "payment_intent.payment_failed"
        _settle_attempt(subject, intent_id=str(subject.get("id", "")), refused=refused, last_try=last_try)
    elif event.kind == "setup_intent.setup_failed":
        change = _card_change(subject)
        if change is not None:
            limit_refused_cards_of_change(change.pk)
    elif event.kind.startswith("charge.dispute."):
        sync_disputes(str(subject.get("payment_intent") or ""))
    elif family in ("charge", "refund"):
        intent_id = str(subject.get("payment_intent") or "")
        if family == "charge" and "refund" not in event.kind:
            _settle_attempt(subject, intent_id=intent_id, last_try=last_try)
        else:
            sync_refunds(intent_id)


def _settle_attempt(
    subject: dict[str, Any],
    *,
    checkout_session_id: str = "",
    intent_id: str = "",
    closed: bool = False,
    refused: bool = False,
    last_try: bool,
) -> None:
    try:
        attempt = _attempt(
            subject, checkout_session_id=checkout_session_id, intent_id=intent_id, closed=closed
        )
    except NotYetKnown as error:
        if last_try:
            # It was lost with a machine: what is left to do stands among the discrepancies.
            _record_money(subject, None, str(error))
            return
        raise
    if attempt is None:
        _record_money(subject, None, "no attempt of the shop")
        return
    misfit = _misfit(subject, attempt)
    if misfit:
        _record_money(subject, attempt, misfit)
    contradiction = _contradiction(subject, attempt)
    if contradiction:
        hold_for_review(attempt.pk, contradiction)
    elif not is_final(attempt):
        try:
            settle(attempt.pk)
            if refused:
                limit_refused_cards(attempt.pk)
        except ObjectDoesNotExist as error:
            # Closing the page of an order that is deleted sends this very message, which may overtake the deletion.
            raise NotYetKnown("its order was deleted meanwhile") from error


def _misfit(subject: dict[str, Any], attempt: Attempt) -> str:
    """How the object of a message differs from what the shop asked for, or ""."""
    order_id = str(attempt.payment.order_id)
    metadata = _metadata(subject)
    expected: list[tuple[str, Any, Any]] = [
        ("livemode", subject.get("livemode"), gateway.is_live()),
        ("order", subject.get("client_reference_id"), order_id),
        ("order", metadata.get("order"), order_id),
    ]
    if subject.get("object") == "checkout.session":
        expected.append(("session", subject.get("id"), attempt.checkout_session_id))
    for name, found, wanted in expected:
        if found is not None and found != wanted:
            return f"{name}: {found} instead of {wanted}"
    return ""


def _record_money(subject: dict[str, Any], attempt: Attempt | None, detail: str) -> None:
    """Money that fits no order is shown to staff, once an object; that of another shop on the account is not ours."""
    if _metadata(subject).get(gateway.SHOP_MARK) != settings.SITE_URL or not _is_paid(subject):
        return
    cents = subject.get(AMOUNTS.get(str(subject.get("object")), ""))
    record_unmatched_payment(
        # Page, payment and charge are about the same money.
        provider_id=str(subject.get("payment_intent") or subject.get("id")),
        order_id=None if attempt is None else attempt.payment.order_id,
        cents=cents if isinstance(cents, int) and 0 <= cents < MOST_CENTS else 0,
        detail=_storable(detail),
    )


def _is_paid(subject: dict[str, Any]) -> bool:
    return (
        subject.get("payment_status") == "paid"
        or subject.get("status") == "succeeded"
        or subject.get("paid") is True
    )


def _metadata(subject: dict[str, Any]) -> dict[str, Any]:
    metadata = subject.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _card_change(subject: dict[str, Any], *, closed: bool = False) -> CardChange | None:
    """The change whose page, or whose page's setup, a message is about; None for another site's, and for one of an
    order that staff deleted (`closed`: nobody can leave a card on it any more)."""
    metadata = _metadata(subject)
    change = CardChange.objects.filter(checkout_session_id=str(subject.get("id", ""))).first()
    if change is None:
        named = str(metadata.get("card_change", ""))
        try:
            change = CardChange.objects.filter(pk=uuid.UUID(named)).first()
        except ValueError:
            return None
        if change is None and not closed and metadata.get(gateway.SHOP_MARK) == settings.SITE_URL:
            raise NotYetKnown(f"change of card {named} is not known")
    if change is not None and change.checkout_session_id is None and change.state == CardChangeState.OPEN:
        # The page exists, and the process that opened it has not saved its id yet, or died before it could.
        raise NotYetKnown(f"the page of change of card {change.pk} is not saved yet")
    return change


def _contradiction(subject: dict[str, Any], attempt: Attempt) -> str:
    """How a message's own amount or currency differs from the attempt's, or "". It is signed, so somebody errs."""
    name = AMOUNTS.get(str(subject.get("object")), "")
    for label, found, expected in (
        ("amount", subject.get(name), attempt.amount_cents),
        ("currency", subject.get("currency"), "eur"),
    ):
        if found is not None and found != expected:
            return f"event {label}: {found} instead of {expected}"
    return ""


def _attempt(
    subject: dict[str, Any], *, checkout_session_id: str = "", intent_id: str = "", closed: bool = False
) -> Attempt | None:
    """The attempt that a message is about; None for another site's payments on the same account.

    `closed`: the message says that nobody can pay any more. Then an unknown attempt is one that staff deleted.
    """
    metadata = _metadata(subject)
    named = str(metadata.get("attempt", ""))
    attempts = Attempt.objects.select_related("payment")
    found = None
    if checkout_session_id:
        found = attempts.filter(checkout_session_id=checkout_session_id).first()
    if found is None and intent_id:
        found = attempts.filter(intent_id=intent_id).first()
    if found is None and named:
        try:
            found = attempts.filter(pk=uuid.UUID(named)).first()
        except ValueError:
            return None
    if found is not None and found.kind == AttemptKind.OFF_SESSION:
        if found.intent_id is None and is_on_its_way(found):
            # Whoever makes the charge has not saved its answer yet: asking would be asking for it a second time.
            raise NotYetKnown(f"the charge of attempt {found.pk} is not saved yet")
        return found
    if found is not None and found.checkout_session_id is None and found.state not in LIVE_ATTEMPTS:
        # A page whose address was never answered: nobody can pay it, another try took its place.
        return None
    if found is not None and found.checkout_session_id is None:
        # The page exists, and the process that opened it has not saved its id yet, or died before it could.
        raise NotYetKnown(f"the payment page of attempt {found.pk} is not saved yet")
    if found is None and not closed and metadata.get(gateway.SHOP_MARK) == settings.SITE_URL:
        raise NotYetKnown(f"attempt {named or intent_id} is not known")
    return found
