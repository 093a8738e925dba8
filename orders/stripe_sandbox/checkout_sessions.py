"""Checkout Sessions: creation with the checks that Stripe makes, expiry. They take a payment or store a card."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import QuerySet

from orders.stripe_sandbox import documents, store
from orders.stripe_sandbox.configuration import configuration
from orders.stripe_sandbox.errors import (
    Document,
    invalid,
    not_in_this_state,
    not_simulated,
)
from orders.stripe_sandbox.events import emit
from orders.stripe_sandbox.line_items import MAX_TOTAL, is_absolute, read_lines
from orders.stripe_sandbox.models import StoredObject
from orders.stripe_sandbox.payments import cancel, cancel_setup, create_setup

SHORTEST_LIFE = 30 * 60
LONGEST_LIFE = 24 * 3600
MAX_REFERENCE = 200
MAX_EMAIL = 512
MAX_CUSTOM_TEXT = 1200
MIN_TOTAL = 50
SIMULATED_METHODS = ("card", "sepa_debit")
EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.[^@\s]+$")

# Parameters without which the simulated page would be another one than Stripe's. Known to Stripe, refused here.
_NOT_SIMULATED = (
    "after_expiration", "consent_collection", "custom_fields", "customer_account", "discounts", "managed_payments",
    "optional_items", "payment_method_configuration", "permissions", "return_url",
    "shipping_address_collection", "shipping_options", "subscription_data",
)  # fmt: skip
_ONLY_FOR_PAYMENT = (
    "line_items",
    "payment_intent_data",
    "allow_promotion_codes",
    "invoice_creation",
    "submit_type",
)
# Accepted as long as they ask for nothing.
_ONLY_OFF = (
    "adaptive_pricing", "automatic_tax", "invoice_creation", "tax_id_collection", "phone_number_collection",
)  # fmt: skip
_INTENT_NOT_SIMULATED = ("application_fee_amount", "on_behalf_of", "transfer_data", "transfer_group")
_COPIED_TO_INTENT = (
    "description",
    "receipt_email",
    "setup_future_usage",
    "shipping",
    "statement_descriptor_suffix",
)


def create_session(params: dict[str, Any]) -> Document:
    """POST /v1/checkout/sessions. Amounts are cents. Raises ApiError (400)."""
    _check_combination(params)
    created = int(store.now())
    expires_at = params.get("expires_at", created + LONGEST_LIFE)
    if expires_at < created + SHORTEST_LIFE - 5:
        raise invalid(
            "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
            param="expires_at",
        )
    if expires_at > created + LONGEST_LIFE + 5:
        raise invalid(
            "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
            param="expires_at",
        )
    stores_card = params["mode"] == "setup"
    lines = [] if stores_card else read_lines(params)
    total = None if stores_card else _total(lines)
    session_id = f"cs_test_a1{store.new_id('x', 56)[2:]}"
    customer = None
    if "customer" in params:
        customer = store.get_reference("customer", params["customer"], param="customer")
    body = {
        **documents.nothing(
            "after_expiration", "client_secret", "collected_information", "consent",
            "consent_collection", "currency_conversion", "customer_account", "discounts", "invoice",
            "managed_payments", "optional_items", "payment_intent", "payment_link",
            "payment_method_configuration_details", "permissions", "presentment_details", "recovered_from",
            "redirect_on_completion", "return_url", "setup_intent", "shipping_address_collection", "shipping_cost",
            "subscription", "tax_id_collection", "name_collection", "wallet_options", "branding_settings",
            "customer_details",
        ),
        "id": session_id,
        "object": "checkout.session",
        "adaptive_pricing": params.get("adaptive_pricing"),
        "allow_promotion_codes": None,
        "allowed_payment_method_types": params.get("allowed_payment_method_types"),
        "amount_subtotal": total,
        "amount_total": total,
        "automatic_tax": {"enabled": False, "liability": None, "provider": None, "status": None},
        "billing_address_collection": params.get("billing_address_collection"),
        "cancel_url": params.get("cancel_url"),
        "client_reference_id": params.get("client_reference_id"),
        "created": created,
        "currency": "eur",
        "custom_fields": [],
        "custom_text": {
            name: (params.get("custom_text") or {}).get(name) or None
            for name in ("after_submit", "shipping_address", "submit", "terms_of_service_acceptance")
        },
        "customer": customer.id if customer else None,
        "customer_creation": None if customer else params.get("customer_creation", "if_required"),
        "customer_email": params.get("customer_email"),
        "excluded_payment_method_types": params.get("excluded_payment_method_types"),
        "expires_at": expires_at,
        "integration_identifier": params.get("integration_identifier"),
        "invoice_creation": {"enabled": False},
        "livemode": False,
        "locale": params.get("locale"),
        "metadata": params.get("metadata") or {},
        "mode": params["mode"],
        "origin_context": params.get("origin_context"),
        "payment_method_collection": "if_required",
        "payment_method_options": params.get("payment_method_options") or {},
        "payment_method_types": _method_types(params),
        "payment_status": "no_payment_required" if stores_card else "unpaid",
        "phone_number_collection": {"enabled": False},
        "saved_payment_method_options": params.get("saved_payment_method_options"),
        "shipping_options": [],
        "status": "open",
        "submit_type": params.get("submit_type"),
        "success_url": params["success_url"],
        "total_details": None
        if stores_card
        else {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
        "ui_mode": "hosted_page",
        "url": f"{configuration().public_url}/c/pay/{session_id}",
    }  # fmt: skip
    if customer:
        body["customer_details"] = _details(customer.body)
    private = {"line_items": lines, "payment_intent_data": params.get("payment_intent_data", {})}
    if stores_card:
        asked = params.get("setup_intent_data", {})
        body["setup_intent"] = create_setup(session_id, body["customer"], asked).id
    return store.create(body, private=private).body


def _total(lines: list[Document]) -> int:
    total: int = sum(line["amount_total"] for line in lines)
    if total < MIN_TOTAL:
        raise invalid(
            "The Checkout Session's total amount must convert to at least 50 cents. "
            f"€{total // 100}.{total % 100:02d} is too little.",
            code="amount_too_small",
            param="line_items",
        )
    if total > MAX_TOTAL:
        raise invalid(
            "The Checkout Session's total amount is too large.", code="amount_too_large", param="line_items"
        )
    return total


def expire_session(session: StoredObject, *, by_clock: bool = False) -> Document:
    """Close an open session. Raises ApiError (400) for one that is complete or expired already."""
    status = session.body["status"]
    if status != "open":
        raise not_in_this_state(
            'Only Checkout Sessions with a status in ["open"] can be expired. '
            f"This Checkout Session has a status of `{status}`.",
        )
    session.body |= {"status": "expired", "url": None}
    if not by_clock:
        session.body["expires_at"] = int(store.now())
    store.save(session)
    intent = store.find("payment_intent", session.body["payment_intent"])
    if intent is not None and intent.body["status"] not in ("succeeded", "canceled"):
        cancel(intent, "expired")
    setup = store.find("setup_intent", session.body["setup_intent"])
    if setup is not None and setup.body["status"] not in ("succeeded", "canceled"):
        cancel_setup(setup)
    emit("checkout.session.expired", session)
    return session.body


def open_sessions() -> QuerySet[StoredObject]:
    return StoredObject.objects.filter(kind="checkout.session", status="open")


def first_expiry() -> int | None:
    """When the first of the open sessions ends, or should have."""
    ends = open_sessions().exclude(expires_at=None).order_by("expires_at")
    return ends.values_list("expires_at", flat=True).first()


def expire_due_sessions() -> None:
    """Inside `writing()`."""
    for session in open_sessions().filter(expires_at__lte=int(store.now())):
        expire_session(session, by_clock=True)


def intent_parameters(session: StoredObject) -> dict[str, Any]:
    """What the payment intent of a session is made of when the customer submits."""
    asked = session.private["payment_intent_data"]
    body = session.body
    options = {"card": {"request_three_d_secure": "automatic"}} | body["payment_method_options"]
    return {
        **{name: asked.get(name) for name in _COPIED_TO_INTENT},
        "amount": body["amount_total"],
        "currency": body["currency"],
        "customer": body["customer"],
        "metadata": dict(asked.get("metadata") or {}),
        "payment_method_options": options,
        "payment_method_types": body["payment_method_types"],
    }


def _details(customer: Document) -> Document:
    return {
        "address": customer["address"],
        "business_name": None,
        "email": customer["email"],
        "individual_name": None,
        "name": customer["name"],
        "phone": customer["phone"],
        "tax_exempt": "none",
        "tax_ids": None,
    }


def _check_combination(params: dict[str, Any]) -> None:
    for name in _NOT_SIMULATED:
        if name in params:
            raise not_simulated(name)
    for name in _ONLY_OFF:
        if params.get(name, {}).get("enabled"):
            raise not_simulated(name)
    if params.get("allow_promotion_codes"):
        raise not_simulated("allow_promotion_codes")
    if "mode" not in params:
        raise invalid("Missing required param: mode.", code="parameter_missing", param="mode")
    if params["mode"] not in ("payment", "setup"):
        raise not_simulated("mode")
    _check_mode(params)
    if params.get("ui_mode", "hosted_page") != "hosted_page":
        raise not_simulated("ui_mode")
    if "success_url" not in params:
        raise invalid("Missing required param: success_url.", code="parameter_missing", param="success_url")
    for name in ("success_url", "cancel_url"):
        if name in params and not is_absolute(params[name]):
            raise invalid("Not a valid URL", code="url_invalid", param=name)
    if params.get("currency", "eur").lower() != "eur":
        raise invalid(
            f"Invalid currency: {params['currency']}. The sandbox only knows eur.", param="currency"
        )
    if "customer" in params:
        for name in ("customer_email", "customer_creation"):
            if name in params:
                raise invalid(f"You may only specify one of these parameters: customer, {name}.", param=name)
    elif "customer_update" in params:
        raise invalid("`customer_update` can only be used with `customer`.", param="customer_update")
    email = params.get("customer_email")
    if email is not None and (len(email) > MAX_EMAIL or not EMAIL.match(email)):
        raise invalid(f"Invalid email address: {email}", code="email_invalid", param="customer_email")
    if len(params.get("client_reference_id", "")) > MAX_REFERENCE:
        raise invalid(
            f"Invalid string: must be at most {MAX_REFERENCE} characters",
            code="parameter_invalid_string",
            param="client_reference_id",
        )
    for name, text in (params.get("custom_text") or {}).items():
        if text and len(text["message"]) > MAX_CUSTOM_TEXT:
            raise invalid(
                f"Invalid string: must be at most {MAX_CUSTOM_TEXT} characters",
                param=f"custom_text[{name}][message]",
            )
    intent = params.get("payment_intent_data", {})
    for name in _INTENT_NOT_SIMULATED:
        if name in intent:
            raise not_simulated(f"payment_intent_data[{name}]")
    if intent.get("capture_method") == "manual":
        raise not_simulated("payment_intent_data[capture_method]")
    if "statement_descriptor" in intent:
        raise invalid(
            "The `statement_descriptor` parameter is not supported for card charges. "
            "Use `statement_descriptor_suffix` instead.",
            param="payment_intent_data[statement_descriptor]",
        )


def _check_mode(params: dict[str, Any]) -> None:
    if params["mode"] == "payment":
        if "setup_intent_data" in params:
            raise invalid(
                "You can not pass `setup_intent_data` in `payment` mode.", param="setup_intent_data"
            )
        return
    for name in _ONLY_FOR_PAYMENT:
        if name in params:
            raise invalid(f"You can not pass `{name}` in `setup` mode.", param=name)
    if "currency" not in params and "allowed_payment_method_types" not in params:
        raise invalid("Missing required param: currency.", code="parameter_missing", param="currency")
    if params.get("allowed_payment_method_types", ["card"]) != ["card"]:
        raise not_simulated("allowed_payment_method_types")
    if "on_behalf_of" in params.get("setup_intent_data", {}):
        raise not_simulated("setup_intent_data[on_behalf_of]")


def _method_types(params: dict[str, Any]) -> list[str]:
    allowed = params.get("allowed_payment_method_types")
    excluded = params.get("excluded_payment_method_types")
    if allowed is not None and excluded is not None:
        raise invalid(
            "You may only specify one of these parameters: allowed_payment_method_types, "
            "excluded_payment_method_types.",
            param="excluded_payment_method_types",
        )
    # Types that don't fit are dropped without a word, as Stripe does.
    types = [
        name for name in SIMULATED_METHODS if name in (allowed or ["card"]) and name not in (excluded or [])
    ]
    if not types:
        raise invalid(
            "No valid payment method types for this Checkout Session.", param="allowed_payment_method_types"
        )
    return types
