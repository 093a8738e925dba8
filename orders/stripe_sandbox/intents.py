"""Payment intents without a page: saved cards charged while the customer is away."""

from __future__ import annotations

from typing import Any

from orders.stripe_sandbox import documents, payments, store
from orders.stripe_sandbox.cards import decline_off_session
from orders.stripe_sandbox.checkout_sessions import MIN_TOTAL, SIMULATED_METHODS
from orders.stripe_sandbox.errors import Document, invalid, not_in_this_state, not_simulated
from orders.stripe_sandbox.line_items import MAX_TOTAL
from orders.stripe_sandbox.models import StoredObject

_NOT_SIMULATED = (
    "amount_details", "application_fee_amount", "confirmation_token", "customer_account", "hooks", "mandate",
    "mandate_data", "on_behalf_of", "payment_details", "payment_method_configuration", "payment_method_data",
    "radar_options", "transfer_data", "transfer_group", "use_stripe_sdk",
)  # fmt: skip
_ONLY_WITH_CONFIRM = ("error_on_requires_action", "off_session", "return_url")
_COPIED = (
    "allowed_payment_method_types", "description", "excluded_payment_method_types", "receipt_email",
    "setup_future_usage", "shipping", "statement_descriptor_suffix",
)  # fmt: skip
CANCELABLE = ("requires_payment_method", "requires_confirmation", "requires_action", "requires_capture")


def create_intent(params: dict[str, Any]) -> tuple[Document, Document | None]:
    """POST /v1/payment_intents: the intent, and the bank's refusal (402) if it gave one.

    Raises ApiError (400) for what Stripe does not accept. Inside `writing()`.
    """
    _check(params)
    customer = None
    if "customer" in params:
        customer = store.get_reference("customer", params["customer"], param="customer").id
    method = _method(params, customer)
    automatic = params.get("automatic_payment_methods")
    intent = store.create(
        documents.payment_intent(
            {
                **{name: params.get(name) for name in _COPIED},
                "amount": params["amount"],
                "automatic_payment_methods": automatic
                or (None if _only_cards(params) else {"enabled": True}),
                "currency": "eur",
                "customer": customer,
                "metadata": params.get("metadata") or {},
                "payment_method": method.id if method else None,
                "payment_method_types": _types(params),
            }
        )
    )
    if method is None:
        return intent.body, None
    if not params.get("confirm"):
        intent.body["status"] = "requires_confirmation"
        store.save(intent)
        return intent.body, None
    return _confirm(intent, method, off_session=bool(params.get("off_session")))


def cancel_intent(intent: StoredObject, params: dict[str, Any]) -> Document:
    """POST /v1/payment_intents/{id}/cancel. Raises ApiError for one that is over or belongs to a session."""
    if intent.private.get("session") and intent.body["status"] != "requires_capture":
        raise not_in_this_state(
            "You cannot cancel this PaymentIntent because it was created by a Checkout Session. "
            "Expire the Checkout Session instead.",
            code="payment_intent_unexpected_state",
        )
    status = intent.body["status"]
    if status not in CANCELABLE:
        raise not_in_this_state(
            f"You cannot cancel this PaymentIntent because it has a status of {status}. Only a PaymentIntent with "
            f"one of the following statuses may be canceled: {', '.join(CANCELABLE)}.",
            code="payment_intent_unexpected_state",
        )
    payments.cancel(intent, params.get("cancellation_reason"))
    return intent.body


def _confirm(
    intent: StoredObject, method: StoredObject, *, off_session: bool
) -> tuple[Document, Document | None]:
    behaviour = method.private["later"]
    decline = decline_off_session(behaviour)
    if decline is not None and decline.code == "authentication_required" and not off_session:
        intent.body |= {
            "status": "requires_action",
            "next_action": {"type": "use_stripe_sdk", "use_stripe_sdk": {}},
        }
        store.save(intent)
        return intent.body, None
    if decline is not None:
        return intent.body, payments.fail(intent, method, decline)
    payments.succeed(intent, method)
    return intent.body, None


def _check(params: dict[str, Any]) -> None:
    for name in _NOT_SIMULATED:
        if name in params:
            raise not_simulated(name)
    if params.get("capture_method") == "manual" or params.get("confirmation_method") == "manual":
        raise not_simulated(
            "capture_method" if params.get("capture_method") == "manual" else "confirmation_method"
        )
    if params["currency"].lower() != "eur":
        raise invalid(
            f"Invalid currency: {params['currency']}. The sandbox only knows eur.", param="currency"
        )
    if params["amount"] < 1:
        raise invalid("Invalid positive integer", code="parameter_invalid_integer", param="amount")
    if params["amount"] < MIN_TOTAL:
        raise invalid("Amount must be at least €0.50 eur", code="amount_too_small", param="amount")
    if params["amount"] > MAX_TOTAL:
        raise invalid("Amount must be no more than €999,999.99", code="amount_too_large", param="amount")
    exclusive = [
        name
        for name in (
            "allowed_payment_method_types",
            "automatic_payment_methods",
            "excluded_payment_method_types",
        )
        if name in params
    ]
    if len(exclusive) > 1:
        raise invalid(
            f"You may only specify one of these parameters: {', '.join(exclusive)}.", param=exclusive[1]
        )
    if not params.get("confirm"):
        for name in _ONLY_WITH_CONFIRM:
            if name in params:
                raise invalid(f"The parameter `{name}` can only be used with `confirm=true`.", param=name)
        return
    if "payment_method" not in params:
        raise invalid(
            "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the "
            "PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a "
            "payment method or ConfirmationToken.",
            code="payment_intent_unexpected_state",
        )
    never = (params.get("automatic_payment_methods") or {}).get("allow_redirects") == "never"
    if "return_url" not in params and not never and not _only_cards(params):
        raise invalid(
            "This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of "
            "these payment methods might redirect your customer off of your page, you must provide a `return_url`. "
            "If you don't want to accept redirect-based payment methods, set "
            "`automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to "
            "`never` when creating Setup Intents and Payment Intents.",
            param="return_url",
        )


def _only_cards(params: dict[str, Any]) -> bool:
    return params.get("allowed_payment_method_types") == ["card"]


def _types(params: dict[str, Any]) -> list[str]:
    allowed = params.get("allowed_payment_method_types", ["card"])
    excluded = params.get("excluded_payment_method_types", [])
    types = [name for name in SIMULATED_METHODS if name in allowed and name not in excluded]
    if not types:
        raise invalid(
            "No valid payment method types for this PaymentIntent.", param="allowed_payment_method_types"
        )
    return types


def _method(params: dict[str, Any], customer: str | None) -> StoredObject | None:
    if "payment_method" not in params:
        return None
    method = store.get_reference("payment_method", params["payment_method"], param="payment_method")
    owner = method.body["customer"]
    if owner is None:
        raise invalid(
            "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, or was "
            "detached from a Customer, and may not be used again. To use a PaymentMethod multiple times, you must "
            "attach it to a Customer first.",
            param="payment_method",
        )
    if customer is None:
        raise invalid(
            f"The payment method {method.id} belongs to a Customer. Please include the Customer in the `customer` "
            "parameter on the PaymentIntent.",
            param="payment_method",
        )
    if owner != customer:
        raise invalid(
            f"The customer does not have a payment method with the ID {method.id}. "
            "The payment method must be attached to the customer.",
            param="payment_method",
        )
    if method.body["type"] not in _types(params):
        raise invalid(
            f"The PaymentMethod provided ({method.body['type']}) is not allowed for this PaymentIntent.",
            param="payment_method",
        )
    return method
