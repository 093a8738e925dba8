"""What the customer does on the hosted page: pay, be refused, confirm with the bank, give a debit mandate.

A page that only stores a card takes the same steps: `pay` then leaves the card, and nothing is paid.

Each function opens its own transaction and looks at the session inside it, so that two browsers submitting at
once pay once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orders.stripe_sandbox import documents, payments, store
from orders.stripe_sandbox.cards import (
    CARDS,
    GENERIC,
    GOOD_CARD,
    NOT_AUTHENTICATED,
    SETUP_NOT_AUTHENTICATED,
    Decline,
)
from orders.stripe_sandbox.checkout_sessions import intent_parameters
from orders.stripe_sandbox.errors import ApiError, not_in_this_state, not_simulated
from orders.stripe_sandbox.events import emit
from orders.stripe_sandbox.models import StoredObject

COMPLETE = "complete"
REFUSED = "refused"
AUTHENTICATE = "authenticate"
CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Payer:
    """What the customer types on the page besides the card."""

    email: str = ""
    name: str = "Camille Martin"


def pay(
    session_id: str,
    payer: Payer,
    *,
    card: str = GOOD_CARD,
    later: str = "",
    confirmed: bool = False,
    ask_bank: bool = False,
) -> str:
    """Submit the page with a card; answers COMPLETE, REFUSED, AUTHENTICATE (the bank's page is next) or CLOSED.

    `later`: the card whose behaviour the saved one shows off-session, empty for its own. `ask_bank`: the customer
    is sent to the bank's page even if the card doesn't require it. `confirmed`: the bank's page was passed.
    """
    with store.writing():
        session = _open_session(session_id)
        if session is None:
            return CLOSED
        session.private["payer"] = {"email": payer.email, "name": payer.name}
        intent = _intent(session)
        method = payments.create_card(card, _billing(session, payer), later=later or card)
        if (ask_bank or CARDS[card].asks_every_time) and not confirmed:
            _wait_for_bank(intent, method)
            return AUTHENTICATE
        return _charge(session, intent, method, CARDS[card].decline, payer)


def answer_bank(session_id: str, *, accept: bool) -> str:
    """The customer's answer on the bank's page: COMPLETE, REFUSED or CLOSED."""
    with store.writing():
        session = _open_session(session_id)
        if session is None:
            return CLOSED
        intent = find_intent(session)
        if intent is None or intent.body["status"] != "requires_action":
            return CLOSED
        method = store.require("payment_method", intent.body["payment_method"])
        payer = Payer(**session.private["payer"])
        if not accept:
            if stores_card(session):
                payments.fail_setup(intent, method, SETUP_NOT_AUTHENTICATED)
            else:
                payments.fail_authentication(intent, method, NOT_AUTHENTICATED)
            return REFUSED
        return _charge(session, intent, method, CARDS[method.body["card"]["last4"]].decline, payer)


def refuse(session_id: str, payer: Payer, *, decline: Decline = GENERIC) -> str:
    """The bank says no whatever the card: REFUSED, or CLOSED. The session stays open for another try."""
    with store.writing():
        session = _open_session(session_id)
        if session is None:
            return CLOSED
        session.private["payer"] = {"email": payer.email, "name": payer.name}
        intent = _intent(session)
        method = payments.create_card(GOOD_CARD, _billing(session, payer), later=GOOD_CARD)
        return _charge(session, intent, method, decline, payer)


def pay_by_debit(session_id: str, payer: Payer, *, succeeds: bool, seconds: float) -> str:
    """Complete the session unpaid; `seconds` later the bank pays or refuses. COMPLETE or CLOSED."""
    with store.writing():
        session = _open_session(session_id)
        if session is None:
            return CLOSED
        if stores_card(session):
            raise not_simulated("payment_method_data[type]")
        session.private["payer"] = {"email": payer.email, "name": payer.name}
        intent = _intent(session)
        method = store.create(documents.debit_method(_billing(session, payer)), private={"later": GOOD_CARD})
        _create_customer(session, intent, payer)
        payments.begin_debit(intent, method)
        _complete(session, payer, payment_status="unpaid")
        payments.schedule(payments.SETTLE_DEBIT, session.id, seconds=seconds, data={"succeeds": succeeds})
        return COMPLETE


def settle_debit(session: StoredObject, *, succeeds: bool) -> None:
    """The end of a bank debit. Inside `writing()`."""
    intent = store.require("payment_intent", session.body["payment_intent"])
    if intent.body["status"] != "processing":
        return
    method = store.require("payment_method", intent.body["payment_method"])
    charge = store.require("charge", intent.body["latest_charge"])
    if succeeds:
        payments.succeed(intent, method, charge=charge)
        session.body["payment_status"] = "paid"
        store.save(session)
        emit("checkout.session.async_payment_succeeded", session)
    else:
        decline = Decline("debit_not_authorized", None, "The debit was refused by the bank.", None)
        payments.fail(intent, method, decline, charge=charge)
        emit("checkout.session.async_payment_failed", session)


def _open_session(session_id: str) -> StoredObject | None:
    session = store.get("checkout.session", session_id)
    if session.body["status"] == "open" and session.body["expires_at"] <= store.now():
        # The background thread closes it in a moment; until then it must not take money.
        return None
    return session if session.body["status"] == "open" else None


def stores_card(session: StoredObject) -> bool:
    """Whether the page only stores a card."""
    return bool(session.body["mode"] == "setup")


def find_intent(session: StoredObject) -> StoredObject | None:
    """The payment of a session, None before the customer's first press; or its setup, made together with it."""
    kind = "setup_intent" if stores_card(session) else "payment_intent"
    return store.find(kind, session.body[kind])


def _intent(session: StoredObject) -> StoredObject:
    intent = find_intent(session)
    if intent is None:
        intent = store.create(
            documents.payment_intent(intent_parameters(session)), private={"session": session.id}
        )
        session.body["payment_intent"] = intent.id
    # Together with who pays: the form is filled in again after a refusal.
    store.save(session)
    if intent.body["status"] not in ("requires_payment_method", "requires_action"):
        raise not_in_this_state(f"The payment of {session.id} is {intent.body['status']}.")
    return intent


def _billing(session: StoredObject, payer: Payer) -> dict[str, Any]:
    details = session.body["customer_details"] or {}
    return {
        "address": documents.EMPTY_ADDRESS | (details.get("address") or {"country": "FR"}),
        "email": details.get("email") or session.body["customer_email"] or payer.email or None,
        "name": payer.name or None,
        "phone": None,
        "tax_id": None,
    }


def _wait_for_bank(intent: StoredObject, method: StoredObject) -> None:
    intent.body |= {
        "status": "requires_action",
        "payment_method": method.id,
        "next_action": {"type": "use_stripe_sdk", "use_stripe_sdk": {}},
    }
    store.save(intent)


def _charge(
    session: StoredObject, intent: StoredObject, method: StoredObject, decline: Decline | None, payer: Payer
) -> str:
    if stores_card(session):
        return _store_card(session, intent, method, decline, payer)
    if decline is not None:
        payments.fail(intent, method, decline)
        return REFUSED
    _create_customer(session, intent, payer)
    payments.succeed(intent, method)
    _complete(session, payer, payment_status="paid")
    return COMPLETE


def _store_card(
    session: StoredObject, setup: StoredObject, method: StoredObject, decline: Decline | None, payer: Payer
) -> str:
    if decline is not None:
        payments.fail_setup(setup, method, decline)
        return REFUSED
    _create_customer(session, setup, payer)
    payments.succeed_setup(setup, method)
    _complete(session, payer, payment_status="no_payment_required")
    return COMPLETE


def _create_customer(session: StoredObject, intent: StoredObject, payer: Payer) -> None:
    if session.body["customer"] or session.body["customer_creation"] != "always":
        return
    email = session.body["customer_email"] or payer.email or None
    customer = store.create(documents.customer({"email": email, "name": payer.name}))
    session.body["customer"] = customer.id
    intent.body["customer"] = customer.id
    store.save(intent)


def _complete(session: StoredObject, payer: Payer, *, payment_status: str) -> None:
    details = session.body["customer_details"] or {}
    billing = _billing(session, payer)
    session.body |= {
        "status": "complete",
        "payment_status": payment_status,
        "url": None,
        "customer_details": {
            "address": billing["address"],
            "business_name": None,
            "email": billing["email"],
            "individual_name": None,
            "name": details.get("name") or payer.name,
            "phone": None,
            "tax_exempt": "none",
            "tax_ids": [],
        },
    }
    store.save(session)
    emit("checkout.session.completed", session)


def last_refusal(session: StoredObject) -> str:
    """The code of the last refusal that the page should show, empty when there is none."""
    intent = find_intent(session)
    error = (
        intent.body["last_setup_error" if stores_card(session) else "last_payment_error"] if intent else None
    )
    if not error:
        return ""
    return str(error.get("decline_code") or error["code"])


def needs_email(session: StoredObject) -> bool:
    """Whether the customer has to type an address, as neither the shop nor the customer's record has one."""
    return not (session.body["customer_email"] or (session.body["customer_details"] or {}).get("email"))


def check_card(name: str) -> str:
    """Raises ApiError (400) for a card that is not one of the test cards."""
    if name not in CARDS:
        raise ApiError(400, "invalid_request_error", f"Unknown test card: {name}", param="card")
    return name
