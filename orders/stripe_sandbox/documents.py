"""New objects as Stripe shapes them: every field that the library declares for a card payment is present."""

from __future__ import annotations

from typing import Any

from orders.stripe_sandbox import store
from orders.stripe_sandbox.cards import CARDS, Decline
from orders.stripe_sandbox.errors import Document

CARD_FEE_SHARE_PER_MILLE = 15
CARD_FEE_CENTS = 25
DISPUTE_FEE_CENTS = 2000
EMPTY_ADDRESS: Document = {
    "city": None,
    "country": None,
    "line1": None,
    "line2": None,
    "postal_code": None,
    "state": None,
}


def nothing(*names: str) -> Document:
    """Return fields that Stripe answers with null."""
    return dict.fromkeys(names)


def customer(params: dict[str, Any]) -> Document:
    """Return a Customer."""
    return {
        **nothing(
            "address", "business_name", "currency", "default_source", "description", "discount", "individual_name",
            "phone", "shipping", "test_clock", "email", "name",
        ),
        **params,
        "id": store.new_id("cus", 14),
        "object": "customer",
        "balance": 0,
        "delinquent": False,
        "invoice_prefix": store.new_id("X", 7)[2:].upper(),
        "invoice_settings": {
            "custom_fields": None,
            "default_payment_method": None,
            "footer": None,
            "rendering_options": None,
        },
        "livemode": False,
        "metadata": params.get("metadata") or {},
        "next_invoice_sequence": 1,
        "preferred_locales": params.get("preferred_locales", []),
        "tax_exempt": "none",
    }  # fmt: skip


def card_method(card_name: str, billing: Document, *, expiry_year: int) -> Document:
    """Return a PaymentMethod of a test card."""
    card = CARDS[card_name]
    return {
        "id": store.new_id("pm"),
        "object": "payment_method",
        "allow_redisplay": "unspecified",
        "billing_details": billing,
        "card": {
            **nothing("description", "generated_from", "iin", "issuer", "wallet"),
            "brand": "visa",
            "checks": {"address_line1_check": None, "address_postal_code_check": None, "cvc_check": "pass"},
            "country": "FR",
            "display_brand": "visa",
            "exp_month": 12,
            "exp_year": expiry_year,
            "fingerprint": f"sandbox{card.number[-9:]}",
            "funding": "credit",
            "last4": card.name,
            "networks": {"available": ["visa"], "preferred": None},
            "regulated_status": "unregulated",
            "three_d_secure_usage": {"supported": True},
        },
        "customer": None,
        "customer_account": None,
        "livemode": False,
        "metadata": {},
        "type": "card",
    }


def debit_method(billing: Document) -> Document:
    """Return a PaymentMethod of a bank debit."""
    return {
        "id": store.new_id("pm"),
        "object": "payment_method",
        "allow_redisplay": "unspecified",
        "billing_details": billing,
        "customer": None,
        "customer_account": None,
        "livemode": False,
        "metadata": {},
        "sepa_debit": {
            "bank_code": "20041",
            "branch_code": "01005",
            "country": "FR",
            "fingerprint": "sandboxdebit",
            "generated_from": {"charge": None, "setup_attempt": None},
            "last4": "2606",
        },
        "type": "sepa_debit",
    }


def payment_intent(params: dict[str, Any]) -> Document:
    """`params`: amount, currency, customer, metadata, payment_method_types and what else was asked for."""
    intent_id = store.new_id("pi")
    return {
        **nothing(
            "allowed_payment_method_types", "amount_details", "application", "application_fee_amount",
            "automatic_payment_methods", "canceled_at", "cancellation_reason", "customer", "customer_account",
            "description", "excluded_payment_method_types", "hooks", "last_payment_error", "latest_charge",
            "managed_payments", "next_action", "on_behalf_of", "payment_details", "payment_method",
            "payment_method_configuration_details", "payment_record", "presentment_details", "processing",
            "receipt_email", "review",
            "setup_future_usage", "shipping", "source", "statement_descriptor", "statement_descriptor_suffix",
            "transfer_data", "transfer_group",
        ),
        "capture_method": "automatic_async",
        "confirmation_method": "automatic",
        "payment_method_options": {},
        **params,
        "id": intent_id,
        "object": "payment_intent",
        "amount_capturable": 0,
        "amount_received": 0,
        "client_secret": f"{intent_id}_secret_{store.new_id('x')[2:]}",
        "livemode": False,
        "metadata": params.get("metadata") or {},
        "status": "requires_payment_method",
    }  # fmt: skip


def setup_intent(params: dict[str, Any]) -> Document:
    """`params`: customer, description, metadata."""
    setup_id = store.new_id("seti")
    return {
        **nothing(
            "application", "attach_to_self", "automatic_payment_methods", "cancellation_reason", "customer_account",
            "excluded_payment_method_types", "flow_directions", "last_setup_error", "latest_attempt",
            "managed_payments", "mandate", "next_action", "on_behalf_of", "payment_method",
            "payment_method_configuration_details", "single_use_mandate",
        ),
        **params,
        "id": setup_id,
        "object": "setup_intent",
        "allowed_payment_method_types": ["card"],
        "client_secret": f"{setup_id}_secret_{store.new_id('x')[2:]}",
        "livemode": False,
        "payment_method_options": {"card": {"mandate_options": None, "network": None,
                                            "request_three_d_secure": "automatic"}},
        "payment_method_types": ["card"],
        "status": "requires_payment_method",
        "usage": "off_session",
    }  # fmt: skip


def setup_attempt(setup: Document, method: Document, error: Document | None) -> Document:
    """One card that was tried for a setup intent; `error` says why it was refused."""
    return {
        **nothing("application", "flow_directions", "on_behalf_of"),
        "id": store.new_id("setatt"),
        "object": "setup_attempt",
        "customer": setup["customer"],
        "livemode": False,
        "payment_method": method["id"],
        "payment_method_details": {"type": method["type"], method["type"]: {}},
        "setup_error": error,
        "setup_intent": setup["id"],
        "status": "failed" if error else "succeeded",
        "usage": setup["usage"],
    }


def charge(intent: Document, method: Document, *, decline: Decline | None, pending: bool = False) -> Document:
    """A charge that the bank granted, refused (`decline`) or has yet to decide on (`pending`)."""
    granted = decline is None and not pending
    details: Document = {"type": method["type"], method["type"]: dict(method[method["type"]])}
    if method["type"] == "card":
        details["card"] |= {
            "amount_authorized": intent["amount"] if granted else None,
            "authorization_code": None,
            "installments": None,
            "mandate": None,
            "network": "visa",
            "three_d_secure": None,
        }
    return {
        **nothing(
            "application", "application_fee", "application_fee_amount", "authorization_code",
            "balance_transaction", "failure_balance_transaction", "on_behalf_of", "presentment_details",
            "receipt_number", "receipt_url", "review", "source", "source_transfer", "transfer_data", "transfer_group",
        ),
        "id": store.new_id("ch" if method["type"] == "card" else "py"),
        "object": "charge",
        "amount": intent["amount"],
        "amount_captured": intent["amount"] if granted else 0,
        "amount_refunded": 0,
        "billing_details": method["billing_details"],
        "calculated_statement_descriptor": "SANDBOX",
        "captured": granted,
        "currency": intent["currency"],
        "customer": intent["customer"],
        "description": intent["description"],
        "disputed": False,
        "failure_code": decline.code if decline else None,
        "failure_message": decline.message if decline else None,
        "fraud_details": {},
        "livemode": False,
        "metadata": dict(intent["metadata"]),
        "outcome": _outcome(decline, pending=pending),
        "paid": granted,
        "payment_intent": intent["id"],
        "payment_method": method["id"],
        "payment_method_details": details,
        "radar_options": {},
        "receipt_email": intent["receipt_email"],
        "refunded": False,
        "shipping": intent["shipping"],
        "statement_descriptor": intent["statement_descriptor"],
        "statement_descriptor_suffix": intent["statement_descriptor_suffix"],
        "status": "pending" if pending else "succeeded" if granted else "failed",
    }  # fmt: skip


def _outcome(decline: Decline | None, *, pending: bool) -> Document:
    outcome: Document = {
        "advice_code": decline.advice_code if decline else None,
        "network_advice_code": None,
        "network_decline_code": decline.network_decline_code if decline else None,
        "network_status": "approved_by_network",
        "reason": None,
        "risk_level": "normal",
        "risk_score": 12,
        "seller_message": "Payment pending." if pending else "Payment complete.",
        "type": "authorized",
    }
    if decline:
        outcome |= {
            "network_status": "declined_by_network",
            "reason": decline.decline_code or decline.code,
            "seller_message": "The bank did not return any further details with this decline.",
            "type": "issuer_declined",
        }
    return outcome


def card_fee(amount: int) -> int:
    """1.5 % rounded half up plus 25 cents, what a card of the European Economic Area costs."""
    return (amount * CARD_FEE_SHARE_PER_MILLE + 500) // 1000 + CARD_FEE_CENTS


def balance_transaction(
    *, kind: str, amount: int, fee: int, source: str, description: str | None
) -> Document:
    """A line of the account's balance; `amount` is negative when money leaves."""
    fees = [
        {"amount": fee, "application": None, "currency": "eur", "description": "Fees", "type": "stripe_fee"}
    ]
    return {
        "id": store.new_id("txn"),
        "object": "balance_transaction",
        "amount": amount,
        "available_on": int(store.now()) + 2 * 24 * 3600,
        "balance_type": "payments",
        "currency": "eur",
        "description": description,
        "exchange_rate": None,
        "fee": fee,
        "fee_details": fees if fee else [],
        "net": amount - fee,
        "reporting_category": "dispute" if kind == "adjustment" else kind,
        "source": source,
        "status": "pending",
        "type": kind,
    }


def payout(amount: int) -> Document:
    """Return a Payout of `amount` cents that has arrived."""
    payout_id = store.new_id("po")
    return {
        **nothing(
            "application_fee", "application_fee_amount", "balance_transaction", "failure_balance_transaction",
            "failure_code", "failure_message", "original_payout", "payout_method", "reversed_by",
        ),
        "id": payout_id,
        "object": "payout",
        "amount": amount,
        "arrival_date": int(store.now()),
        "automatic": True,
        "currency": "eur",
        "description": "STRIPE PAYOUT",
        "destination": "ba_sandbox",
        "livemode": False,
        "metadata": {},
        "method": "standard",
        "reconciliation_status": "completed",
        "source_type": "card",
        "statement_descriptor": None,
        "status": "paid",
        "trace_id": {"status": "supported", "value": f"STRIPE-{payout_id[-8:].upper()}"},
        "type": "bank_account",
    }  # fmt: skip


def refund(charge: Document, *, amount: int, reason: str | None, metadata: dict[str, str]) -> Document:
    """Return a Refund of a charge."""
    return {
        **nothing(
            "balance_transaction", "customer_account", "description", "failure_balance_transaction",
            "failure_reason", "instructions_email", "next_action", "pending_reason", "presentment_details",
            "receipt_number", "source_transfer_reversal", "transfer_reversal",
        ),
        "id": store.new_id("re"),
        "object": "refund",
        "amount": amount,
        "charge": charge["id"],
        "currency": charge["currency"],
        "customer": charge["customer"],
        "destination_details": {"type": "card", "card": {"reference_status": "pending", "type": "refund"}},
        "metadata": metadata,
        "payment_intent": charge["payment_intent"],
        "payment_method": charge["payment_method"],
        "reason": reason,
        "status": "succeeded",
    }  # fmt: skip


def dispute(charge: Document, *, amount: int, reason: str, due_by: int) -> Document:
    """Return a Dispute of a charge."""
    return {
        "id": store.new_id("du"),
        "object": "dispute",
        "amount": amount,
        "balance_transactions": [],
        "charge": charge["id"],
        "currency": charge["currency"],
        "enhanced_eligibility_types": [],
        "evidence": {},
        "evidence_details": {
            "due_by": due_by,
            "enhanced_eligibility": {},
            "has_evidence": False,
            "past_due": False,
            "submission_count": 0,
        },
        "intended_submission_method": None,
        "is_charge_refundable": False,
        "livemode": False,
        "metadata": {},
        "network_reason_code": "83",
        "payment_intent": charge["payment_intent"],
        "payment_method_details": {"type": "card", "card": {"brand": "visa", "network_reason_code": "83"}},
        "reason": reason,
        "status": "needs_response",
    }
