"""Charging the stored card of an order while its customer is away.

A charge is written down (attempt and key) and committed before the provider is asked. Its outcome is found by the same
key while the provider knows it (24 hours), and by a search afterwards: a key that is forgotten would charge a second
time. How old a key is that a clock ahead has dated, nobody knows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from orders.models import (
    OPEN_PAYMENTS,
    PAID_STATUSES,
    UNSETTLED_ATTEMPTS,
    Attempt,
    AttemptKind,
    AttemptState,
    Order,
    Payment,
    StoredCard,
)
from orders.pricing.dunning import AUTHENTICATION_REQUIRED
from orders.selectors.installments import first_charge_day, is_disputed, open_pause
from orders.stripe import gateway
from orders.stripe.facts import IntentFacts
from orders.stripe.gateway import IDEMPOTENCY_KEY_LIFETIME
from shop.core.clocks import is_due, moment_is_due
from shop.core.money import to_cents

ON_ITS_WAY = timedelta(minutes=2)
"""Longer than any call can take: a charge not found after it was never made."""
CARD_UNKNOWN = "resource_missing"
"""The provider's word for a card or customer that it no longer has."""
_REFUSED = ("requires_payment_method", "requires_action", "requires_confirmation")


CLAIM_LASTS = timedelta(seconds=30)
"""Longer than any call takes: a claim older than this was left behind by a process that died."""


@contextmanager
def claim_closing(attempt: Attempt) -> Iterator[bool]:
    """Yield whether this process is the one that asks. The claim stays after success, and is released by an exception.

    Call it outside transactions: the claim must be seen by the others before the provider is called.
    """
    now = timezone.now()
    rows = Attempt.objects.filter(pk=attempt.pk)
    free = Q(closing_at=None) | is_due("closing_at", now, after=CLAIM_LASTS)
    claimed = bool(rows.filter(free).update(closing_at=now))
    try:
        yield claimed
    except BaseException:
        if claimed:
            rows.filter(closing_at=now).update(closing_at=None)
        raise


def obstacle(order: Order, payment: Payment) -> str:
    """Return why the stored card can't be charged for this payment now, or "". Call it with the order locked where a
    charge is begun. Four queries.

    not_owed, order_closed, disputed, paused, no_card, card_refused, needs_customer, attempt_live, in_review.
    """
    if payment.state not in OPEN_PAYMENTS:
        return "not_owed"
    if order.status not in PAID_STATUSES:
        return "order_closed"
    if is_disputed(order):
        return "disputed"
    if open_pause(order) is not None:
        return "paused"
    card = StoredCard.objects.filter(order=order, forgotten_at=None).first()
    if card is None:
        return "no_card"
    if card.refused_code:
        return "card_refused"
    if payment.stopped_code == AUTHENTICATION_REQUIRED:
        return "needs_customer"
    # One try for the whole order at a time: an open page may pay this payment together with another. The money of one
    # that is kept for review may be this payment's.
    tries = Attempt.objects.filter(payment__order=order, state__in=UNSETTLED_ATTEMPTS)
    states = set(tries.values_list("state", flat=True))
    if AttemptState.REVIEW in states:
        return "in_review"
    return "attempt_live" if states else ""


def prepare_charge(payment: Payment) -> Attempt:
    """Write an off-session attempt; the provider does not know it yet. Call it with order and payment
    locked and no obstacle."""
    last = payment.attempts.order_by("-number").values_list("number", flat=True).first() or 0
    return Attempt.objects.create(
        payment=payment,
        number=last + 1,
        kind=AttemptKind.OFF_SESSION,
        amount_cents=to_cents(payment.amount),
        expires_at=timezone.now() + IDEMPOTENCY_KEY_LIFETIME,
    )


def claim_charge(attempt: Attempt) -> bool:
    """Decide, as the last thing before the provider is called, whether the charge is still wanted.

    False when it was dropped: the order was refunded, disputed or paid since it was prepared, or its day was moved.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True, of=("self",)).get(payments=attempt.payment_id)
        payment = Payment.objects.select_for_update(no_key=True).get(pk=attempt.payment_id)
        current = Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        if current.state != AttemptState.PREPARED:
            return False
        wanted = _is_wanted(order, payment)
        current.state = AttemptState.SENT if wanted else AttemptState.CANCELLED
        current.sent_at = timezone.now() if wanted else None
        current.settled_at = None if wanted else timezone.now()
        current.save(update_fields=["state", "sent_at", "settled_at"])
    return wanted


def _is_wanted(order: Order, payment: Payment) -> bool:
    """Whether a charge that was written down may still be made. The end of a pause names a later day."""
    return obstacle(order, payment) == "attempt_live" and first_charge_day(payment) <= timezone.localdate()


def execute_charge(attempt: Attempt) -> IntentFacts | None:
    """Make the charge of a claimed attempt, or find out how it ended; None when it was never made.

    A refused charge is cancelled at the provider before it is recorded, so that nobody can pay it beside a new try.
    Raises GatewayUnavailable while that can't be known, and GatewayRefused for a charge that can't be asked for.
    """
    facts = _find(attempt)
    if facts is None or facts.status not in _REFUSED:
        return facts
    # The answer is stored before anything else is asked: nobody needs to ask for the charge again.
    Attempt.objects.filter(pk=attempt.pk, intent_id=None).update(intent_id=facts.intent_id)
    with claim_closing(attempt) as claimed:
        if not claimed:
            raise gateway.GatewayUnavailable("the refused charge is being canceled")
        if gateway.cancel_intent(facts.intent_id):
            return facts
        return gateway.fetch_intent(facts.intent_id)


def _find(attempt: Attempt) -> IntentFacts | None:
    if attempt.intent_id is not None:
        return gateway.fetch_intent(attempt.intent_id)
    card = StoredCard.objects.get(order__payments=attempt.payment_id)
    if _may_ask_again(attempt):
        try:
            return gateway.charge_stored_card(
                key=attempt.idempotency_key,
                order_id=str(attempt.payment.order_id),
                attempt_id=str(attempt.pk),
                amount_cents=attempt.amount_cents,
                customer_id=card.customer_id,
                payment_method_id=card.payment_method_id,
            )
        except gateway.GatewayUnavailable as error:
            if not error.stored:
                raise
            # The provider keeps this failure under the key: whether it charged first can only be looked up.
        except gateway.GatewayRefused as error:
            if error.code != "idempotency_error":
                if error.code != CARD_UNKNOWN and not gateway.has_card(card.payment_method_id):
                    # Detached by hand: the provider has no word for it.
                    raise gateway.GatewayRefused(str(error), CARD_UNKNOWN) from error
                raise
            # Asked before with another card, which was replaced since.
    found = gateway.find_intent(customer_id=card.customer_id, attempt_id=str(attempt.pk))
    if found is None and is_on_its_way(attempt):
        raise gateway.GatewayUnavailable("the charge may still be on its way")
    return found


def is_on_its_way(attempt: Attempt) -> bool:
    """Return whether the call that charges may still be running."""
    return _was_sent_within(ON_ITS_WAY, attempt)


def _may_ask_again(attempt: Attempt) -> bool:
    """Repeating a call charges when the first one never arrived: only what may still be charged, and under a known
    key."""
    payment = Payment.objects.select_related("order").get(pk=attempt.payment_id)
    return _was_sent_within(IDEMPOTENCY_KEY_LIFETIME, attempt) and _is_wanted(payment.order, payment)


def _was_sent_within(span: timedelta, attempt: Attempt) -> bool:
    return (
        attempt.state == AttemptState.SENT
        and attempt.sent_at is not None
        and not moment_is_due(attempt.sent_at, timezone.now(), after=span)
    )
