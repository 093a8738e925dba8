"""Whether what the provider says is about an attempt at all, and whether its money can still come. No database."""

from orders.models import Attempt, Order
from orders.stripe import gateway
from orders.stripe.facts import ChargeFacts, CheckoutSessionFacts, IntentFacts


def find_mismatch(order: Order, attempt: Attempt, facts: CheckoutSessionFacts) -> str:
    """Return why a page can't be the one of this attempt, or "". A mismatch never confirms an order."""
    expected = (
        ("session", facts.checkout_session_id, attempt.checkout_session_id),
        ("mode", facts.mode, "payment"),
        ("livemode", facts.livemode, gateway.is_live()),
        ("currency", facts.currency, "eur"),
        ("amount", facts.amount_cents, attempt.amount_cents),
        ("order", facts.client_reference_id, str(order.pk)),
        ("attempt", facts.metadata.get("attempt"), str(attempt.pk)),
    )
    for name, found, wanted in expected:
        if found != wanted:
            return f"{name}: {found} instead of {wanted}"
    if facts.charge is not None and (
        facts.charge.amount_cents != attempt.amount_cents or facts.charge.currency != "eur"
    ):
        return f"charge: {facts.charge.amount_cents} {facts.charge.currency} instead of {attempt.amount_cents} eur"
    return ""


def find_charge_mismatch(attempt: Attempt, facts: IntentFacts) -> str:
    """Return why a charge can't be the one of this attempt, or ""."""
    expected = (
        ("livemode", facts.livemode, gateway.is_live()),
        ("currency", facts.currency, "eur"),
        ("amount", facts.amount_cents, attempt.amount_cents),
        ("attempt", facts.metadata.get("attempt"), str(attempt.pk)),
    )
    for name, found, wanted in expected:
        if found != wanted:
            return f"{name}: {found} instead of {wanted}"
    if facts.charge is not None and facts.charge.amount_cents != attempt.amount_cents:
        return f"charge: {facts.charge.amount_cents} instead of {attempt.amount_cents}"
    return ""


def is_gone(charge: ChargeFacts | None, intent_status: str) -> bool:
    """Return whether no money of a payment is at the provider, and none can come any more."""
    return intent_status == "canceled" if charge is None else charge.refunded_cents >= charge.amount_cents


def bank_refused(facts: CheckoutSessionFacts) -> bool:
    """Return whether the bank that was asked after the page was finished has said no."""
    return facts.intent_status in ("requires_payment_method", "canceled")
