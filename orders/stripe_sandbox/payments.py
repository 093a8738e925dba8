"""What becomes of a payment intent or a setup intent: charges, declines, debits, stored cards, balance lines.

Every function writes; call them inside `store.writing()`.
"""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

from orders.stripe_sandbox import documents, store
from orders.stripe_sandbox.cards import Decline
from orders.stripe_sandbox.configuration import configuration
from orders.stripe_sandbox.errors import Document
from orders.stripe_sandbox.events import emit
from orders.stripe_sandbox.models import Job, StoredObject
from orders.stripe_sandbox.payouts import AVAILABLE_AFTER_SECONDS, PAY_OUT

FILL_BALANCE = "fill_balance"
SETTLE_DEBIT = "settle_debit"


def create_card(card_name: str, billing: Document, *, later: str) -> StoredObject:
    """A payment method. `later` names the card whose behaviour it shows when charged off-session."""
    year = datetime.fromtimestamp(store.now(), tz=UTC).year
    expired = card_name == "0069"
    body = documents.card_method(card_name, billing, expiry_year=year - 1 if expired else year + 4)
    return store.create(body, private={"later": later})


def attach(method: StoredObject, customer: str) -> None:
    """Save a payment method on a customer."""
    method.body["customer"] = customer
    store.save(method)


def succeed(
    intent: StoredObject, method: StoredObject, *, charge: StoredObject | None = None
) -> StoredObject:
    """The bank pays. `charge`: the pending one of a debit; without it a new one is made."""
    if charge is None:
        charge = store.create(documents.charge(intent.body, method.body, decline=None))
    else:
        charge.body |= {
            "status": "succeeded",
            "paid": True,
            "captured": True,
            "amount_captured": charge.body["amount"],
        }
        store.save(charge)
    intent.body |= {
        "status": "succeeded",
        "amount_received": intent.body["amount"],
        "latest_charge": charge.id,
        "payment_method": method.id,
        "last_payment_error": None,
        "next_action": None,
        "processing": None,
    }
    store.save(intent)
    if intent.body["customer"] and intent.body["setup_future_usage"]:
        attach(method, intent.body["customer"])
    emit("charge.succeeded", charge)
    emit("payment_intent.succeeded", intent)
    # Captured asynchronously: the fee is known a moment later and comes with charge.updated.
    schedule(FILL_BALANCE, charge.id, seconds=configuration().balance_delay)
    return charge


def fail(
    intent: StoredObject, method: StoredObject, decline: Decline, *, charge: StoredObject | None = None
) -> Document:
    """The bank refuses; answers the error as Stripe words it. The intent waits for another payment method.

    `charge`: the pending one of a debit; without it a failed one is made, as the bank was asked.
    """
    if charge is None:
        charge = store.create(documents.charge(intent.body, method.body, decline=decline))
    else:
        charge.body |= {
            "status": "failed",
            "failure_code": decline.code,
            "failure_message": decline.message,
            "outcome": None,
        }
        store.save(charge)
    _refuse(intent, method, decline, charge=charge.id)
    emit("charge.failed", charge)
    emit("payment_intent.payment_failed", intent)
    error: Document = copy.deepcopy(intent.body["last_payment_error"])
    error["payment_intent"] = copy.deepcopy(intent.body)
    return error


def fail_authentication(intent: StoredObject, method: StoredObject, decline: Decline) -> None:
    """The cardholder did not confirm: the bank is never asked, so there is no charge."""
    _refuse(intent, method, decline, charge=None)
    emit("payment_intent.payment_failed", intent)


def _refuse(intent: StoredObject, method: StoredObject, decline: Decline, *, charge: str | None) -> None:
    error = decline.as_error() | {"payment_method": copy.deepcopy(method.body)}
    if charge:
        error["charge"] = charge
        intent.body["latest_charge"] = charge
    intent.body |= {
        "status": "requires_payment_method",
        "payment_method": None,
        "last_payment_error": error,
        "next_action": None,
        "processing": None,
    }
    store.save(intent)


def begin_debit(intent: StoredObject, method: StoredObject) -> StoredObject:
    """A bank debit is accepted; whether it is paid shows later."""
    charge = store.create(documents.charge(intent.body, method.body, decline=None, pending=True))
    intent.body |= {"status": "processing", "latest_charge": charge.id, "payment_method": method.id}
    store.save(intent)
    return charge


def cancel(intent: StoredObject, reason: str | None) -> None:
    """Cancel a payment intent that is not paid."""
    intent.body |= {
        "status": "canceled",
        "canceled_at": int(store.now()),
        "cancellation_reason": reason,
        "next_action": None,
    }
    store.save(intent)
    emit("payment_intent.canceled", intent)


def fill_balance(charge: StoredObject) -> None:
    """Give the charge its balance line, once."""
    if charge.body["balance_transaction"]:
        return
    amount = charge.body["amount"]
    line = store.create(
        documents.balance_transaction(
            kind="charge",
            amount=amount,
            fee=documents.card_fee(amount),
            source=charge.id,
            description=charge.body["description"],
        )
    )
    schedule(PAY_OUT, line.id, seconds=AVAILABLE_AFTER_SECONDS)
    charge.body["balance_transaction"] = line.id
    store.save(charge)
    emit("charge.updated", charge, previous={"balance_transaction": None})


def schedule(kind: str, target: str, *, seconds: float, data: Document | None = None) -> None:
    """Have a job done once the sandbox's clock has moved on by `seconds`."""
    Job.objects.create(kind=kind, target=target, due=store.now() + seconds, data=data or {})


def create_setup(session_id: str, customer: str | None, asked: dict[str, Any]) -> StoredObject:
    """The setup intent of a session, made together with it. `asked`: description and metadata."""
    params = {
        "customer": customer,
        "description": asked.get("description"),
        "metadata": asked.get("metadata") or {},
    }
    return store.create(documents.setup_intent(params), private={"session": session_id})


def succeed_setup(setup: StoredObject, method: StoredObject) -> None:
    """The bank agrees: the card belongs to the customer from now on."""
    setup.body |= {
        "status": "succeeded",
        "payment_method": method.id,
        "last_setup_error": None,
        "next_action": None,
    }
    _record_attempt(setup, method, None)
    if setup.body["customer"]:
        attach(method, setup.body["customer"])
    emit("setup_intent.succeeded", setup)


def fail_setup(setup: StoredObject, method: StoredObject, decline: Decline) -> None:
    """The bank, or the cardholder before it, says no. The intent waits for another card."""
    setup.body |= {
        "status": "requires_payment_method",
        "payment_method": None,
        "last_setup_error": decline.as_error() | {"payment_method": copy.deepcopy(method.body)},
        "next_action": None,
    }
    _record_attempt(setup, method, setup.body["last_setup_error"])
    emit("setup_intent.setup_failed", setup)


def _record_attempt(setup: StoredObject, method: StoredObject, error: Document | None) -> None:
    attempt = store.create(documents.setup_attempt(setup.body, method.body, error))
    setup.body["latest_attempt"] = attempt.id
    store.save(setup)


def cancel_setup(setup: StoredObject) -> None:
    """Its session is closed. Stripe gives no reason then."""
    setup.body |= {"status": "canceled", "next_action": None}
    store.save(setup)
    emit("setup_intent.canceled", setup)
