"""Asking the provider to give money back, outside every transaction, as often as needed and once in effect."""

import logging
import uuid
from datetime import datetime

from django.utils import timezone

from orders.models import Attempt, Refund, RefundState
from orders.models.payment import DEMONSTRATION_MOVEMENT
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.outcomes import apply_refund, record_refusal
from orders.stripe import gateway
from orders.stripe.facts import RefundFacts
from orders.stripe.gateway import IDEMPOTENCY_KEY_LIFETIME
from shop.core.clocks import moment_is_due
from shop.core.money import to_cents

logger = logging.getLogger(__name__)


def send_refund(refund_id: uuid.UUID) -> None:
    """Ask the provider. Repeated calls share one idempotency key, so the money goes back once.

    When the key may be forgotten by now, which of one dated by a clock ahead nobody knows, what was done under it is
    looked up first. A refusal is recorded and mailed to staff. Raises GatewayUnavailable: the job that looks after
    refunds tries again.
    """
    claimed = Refund.objects.filter(pk=refund_id, state__in=(RefundState.REQUESTED, RefundState.SENT)).update(
        state=RefundState.SENT
    )
    if not claimed:
        return
    refund = Refund.objects.select_related("attempt").get(pk=refund_id)
    intent_id = refund.attempt.intent_id
    if intent_id is None:
        record_refusal(refund_id, "no_payment")
        return
    if intent_id.startswith(DEMONSTRATION_MOVEMENT):
        _simulate_refund(refund, intent_id)
        return
    forgotten = moment_is_due(refund.created_at, timezone.now(), after=IDEMPOTENCY_KEY_LIFETIME)
    if forgotten and _find_at_provider(refund):
        return
    try:
        facts = gateway.create_refund(
            key=refund.idempotency_key,
            intent_id=intent_id,
            amount_cents=to_cents(refund.amount),
            refund_id=str(refund.pk),
        )
    except gateway.GatewayUnavailable as error:
        # Stored failures are repeated for a day under this key, whether or not the money went.
        if error.stored and _find_at_provider(refund):
            return
        raise
    except gateway.GatewayRefused as error:
        record_refusal(refund_id, error.code or str(error))
        _sync_after_refusal(refund.attempt, error.code)
        return
    apply_refund(facts)


def sync_refunds(intent_id: str) -> None:
    """Apply every refund of this payment that the provider knows, whoever asked for it. A foreign payment is ignored.

    Raises GatewayError.
    """
    if not Attempt.objects.filter(intent_id=intent_id).exists():
        return
    # What failed first: what was made in its place then completes the decision that owes it.
    for facts in sorted(gateway.list_refunds(intent_id), key=_failures_first):
        apply_refund(facts)


def _failures_first(facts: RefundFacts) -> tuple[bool, datetime]:
    return facts.status not in ("failed", "canceled"), facts.moved_at


def _simulate_refund(refund: Refund, intent_id: str) -> None:
    """Money of the demonstration never came through a provider, so it goes back without one."""
    apply_refund(
        RefundFacts(
            refund_id=f"{DEMONSTRATION_MOVEMENT}refund-{refund.pk}",
            amount_cents=to_cents(refund.amount),
            status="succeeded",
            failure="",
            charge_id=str(refund.attempt.charge_id),
            intent_id=intent_id,
            metadata={"refund": str(refund.pk)},
            moved_at=timezone.now(),
        )
    )


def _find_at_provider(refund: Refund) -> bool:
    """Looks for the refund by the id that was sent with it; what is found is applied."""
    for facts in gateway.list_refunds(str(refund.attempt.intent_id)):
        if facts.metadata.get("refund") == str(refund.pk):
            apply_refund(facts)
            return True
    return False


def _sync_after_refusal(attempt: Attempt, code: str) -> None:
    """A refusal shows that the shop missed something: a refund made elsewhere, or a dispute."""
    intent_id = str(attempt.intent_id)
    try:
        if code == "charge_disputed":
            sync_disputes(intent_id)
        else:
            sync_refunds(intent_id)
    except gateway.GatewayError as error:
        logger.warning("why a refund of %s was refused is not known yet: %s", intent_id, error)
