"""Stripe's objects as facts of the shop. What an object leaves out is read as absent."""

from __future__ import annotations

from datetime import UTC, datetime

import stripe

from orders.stripe.facts import (
    CardFacts,
    ChargeFacts,
    CheckoutSessionFacts,
    DisputeFacts,
    IntentFacts,
    RefundFacts,
    SetupSessionFacts,
)


def checkout_session_facts(session: stripe.checkout.Session) -> CheckoutSessionFacts:
    """Return a payment page, with its payment and the card it saved when they were expanded."""
    intent = session.payment_intent
    charge = card = None
    intent_status = error_code = ""
    if isinstance(intent, stripe.PaymentIntent):
        intent_status = intent.status
        error_code, _advice = _refusal(intent)
        charge = _charge_facts(intent)
        card = _card_facts(intent)
    intent_id = intent.id if isinstance(intent, stripe.PaymentIntent) else intent
    return CheckoutSessionFacts(
        checkout_session_id=session.id,
        url=session.url or "",
        status=session.status or "",
        payment_status=session.payment_status,
        mode=session.mode,
        livemode=bool(session.livemode),
        currency=session.currency or "",
        amount_cents=session.amount_total or 0,
        client_reference_id=session.client_reference_id or "",
        metadata=dict(session.metadata.to_dict()) if session.metadata else {},
        intent_id=intent_id,
        intent_status=intent_status,
        error_code=error_code,
        charge=charge,
        card=card,
    )


def setup_session_facts(session: stripe.checkout.Session) -> SetupSessionFacts:
    """Return a page that stores a card, with the card that was left on it when its setup was expanded."""
    return SetupSessionFacts(
        checkout_session_id=session.id,
        url=session.url or "",
        status=session.status or "",
        mode=session.mode,
        livemode=bool(session.livemode),
        client_reference_id=session.client_reference_id or "",
        metadata=dict(session.metadata.to_dict()) if session.metadata else {},
        customer_id=_customer_id(session.customer),
        card=_stored_card(session),
    )


def _stored_card(session: stripe.checkout.Session) -> CardFacts | None:
    setup = session.setup_intent
    if not isinstance(setup, stripe.SetupIntent) or setup.status != "succeeded":
        return None
    method = setup.payment_method
    if not isinstance(method, stripe.PaymentMethod):
        return None
    card = getattr(method, "card", None)
    if card is None:
        return None
    return CardFacts(
        customer_id=_customer_id(method.customer),
        payment_method_id=method.id,
        brand=card.brand,
        last4=card.last4,
        expiry_month=card.exp_month,
        expiry_year=card.exp_year,
    )


def _customer_id(customer: str | stripe.Customer | None) -> str:
    if customer is None:
        return ""
    return customer if isinstance(customer, str) else customer.id


def intent_facts(intent: stripe.PaymentIntent) -> IntentFacts:
    """Return a charge without a page."""
    error_code, advice_code = _refusal(intent)
    return IntentFacts(
        intent_id=intent.id,
        status=intent.status,
        livemode=bool(intent.livemode),
        currency=intent.currency,
        amount_cents=intent.amount,
        metadata=dict(intent.metadata.to_dict()) if intent.metadata else {},
        error_code=error_code,
        advice_code=advice_code,
        charge=_charge_facts(intent),
    )


def _refusal(intent: stripe.PaymentIntent) -> tuple[str, str]:
    """The bank's last reason and its advice, both "" when it refused nothing."""
    failure = intent.last_payment_error
    if not failure:
        return "", ""
    # Fields that don't apply are left out of the object.
    decline, code, advice = (getattr(failure, name, None) for name in ("decline_code", "code", "advice_code"))
    return decline or code or "", advice or ""


def _charge_facts(intent: stripe.PaymentIntent) -> ChargeFacts | None:
    charge = intent.latest_charge
    if not isinstance(charge, stripe.Charge) or not charge.paid:
        return None
    return ChargeFacts(
        charge_id=charge.id,
        amount_cents=charge.amount_captured,
        currency=charge.currency,
        refunded_cents=charge.amount_refunded,
        disputed=bool(charge.disputed),
        moved_at=_charge_moved_at(charge),
    )


def _charge_moved_at(charge: stripe.Charge) -> datetime | None:
    """A card pays when it is charged. A debit was begun days before its money came: nobody says when that was."""
    details = charge.payment_method_details
    return _moment(charge.created) if details and details.type == "card" else None


def _card_facts(intent: stripe.PaymentIntent) -> CardFacts | None:
    """The card that was saved with this payment."""
    charge = intent.latest_charge
    if not intent.setup_future_usage or not isinstance(charge, stripe.Charge) or not charge.paid:
        return None
    customer, method = intent.customer, charge.payment_method
    # Details of other ways to pay are left out of the object.
    card = getattr(charge.payment_method_details, "card", None)
    if customer is None or not method or card is None:
        return None
    return CardFacts(
        customer_id=_customer_id(customer),
        payment_method_id=method,
        brand=card.brand or "",
        last4=card.last4 or "",
        expiry_month=card.exp_month,
        expiry_year=card.exp_year,
    )


def refund_facts(refund: stripe.Refund) -> RefundFacts:
    """Return a refund; it moved when its balance line was made, if that is expanded."""
    charge = refund.charge
    intent = refund.payment_intent
    return RefundFacts(
        refund_id=refund.id,
        amount_cents=refund.amount,
        status=refund.status or "pending",
        failure=getattr(refund, "failure_reason", None) or "",
        charge_id=charge if isinstance(charge, str) else (charge.id if charge else ""),
        intent_id=intent if isinstance(intent, str) else (intent.id if intent else ""),
        metadata=dict(refund.metadata.to_dict()) if refund.metadata else {},
        moved_at=_line_made_at(refund.balance_transaction) or _moment(refund.created),
        returned_at=_line_made_at(getattr(refund, "failure_balance_transaction", None)),
    )


_APPEALS = {"appeal_needs_response": "needs_response", "appeal_under_review": "under_review"}
"""Who appeals against what a bank decided takes the same steps again."""


def dispute_facts(dispute: stripe.Dispute) -> DisputeFacts:
    """Return a dispute; it moved when its first balance line was made."""
    due_by = dispute.evidence_details.due_by if dispute.evidence_details else None
    opened_at = _moment(dispute.created)
    lines = dispute.balance_transactions
    taken = [_moment(line.created) for line in lines if line.amount < 0]
    returned = [_moment(line.created) for line in lines if line.amount > 0]
    return DisputeFacts(
        dispute_id=dispute.id,
        amount_cents=dispute.amount,
        status=_APPEALS.get(dispute.status, dispute.status),
        reason=dispute.reason,
        answer_by=_moment(due_by) if due_by else None,
        opened_at=opened_at,
        moved_at=min(taken, default=opened_at),
        returned_at=max(returned, default=None),
    )


def _line_made_at(line: str | stripe.BalanceTransaction | None) -> datetime | None:
    """When a line of the account's balance was made, if it came whole and not as its name."""
    return _moment(line.created) if isinstance(line, stripe.BalanceTransaction) else None


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
