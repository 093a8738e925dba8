"""The API's endpoints: which calls exist, the shape of their parameters, what carries them out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stripe import params as shapes
from stripe.params import checkout as session_shapes

from orders.stripe_sandbox import checkout_sessions, documents, intents, refunds, store
from orders.stripe_sandbox.errors import ApiError, Document, invalid, not_in_this_state, not_simulated
from orders.stripe_sandbox.events import KEPT_FOR_SECONDS
from orders.stripe_sandbox.models import Delivery, StoredObject
from orders.stripe_sandbox.responses import as_list, list_documents, list_objects

Params = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an endpoint answers. A refused card is an answer (402), not an exception: what it wrote stays."""

    body: Document
    status: int = 200


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`shape` is the library's typed dictionary of the call's parameters."""

    method: str
    pattern: re.Pattern[str]
    shape: type
    run: Callable[[Params, str], Answer]


def find_endpoint(method: str, path: str) -> tuple[Endpoint, str]:
    """The endpoint of a call and the id in its address. Raises ApiError 404 for an address Stripe doesn't have."""
    for endpoint in ENDPOINTS:
        if endpoint.method == method and (match := endpoint.pattern.fullmatch(path)):
            return endpoint, match.groupdict().get("id", "")
    raise ApiError(
        404,
        "invalid_request_error",
        f"Unrecognized request URL ({method}: {path}). If you are trying to list objects, remove the trailing slash. "
        "If you are trying to retrieve an object, make sure you passed a valid (non-empty) identifier in your code.",
    )


def _retrieve(kind: str) -> Callable[[Params, str], Answer]:
    def run(_params: Params, object_id: str) -> Answer:
        return Answer(store.get(kind, object_id).body)

    return run


def _list(kind: str, url: str, *filters: str) -> Callable[[Params, str], Answer]:
    def run(params: Params, _object_id: str) -> Answer:
        return Answer(list_objects(kind, url, params, **{name: params.get(name) for name in filters}))

    return run


def _list_setup_attempts(params: Params, _object_id: str) -> Answer:
    found = list_objects(
        "setup_attempt", "/v1/setup_attempts", params, body__setup_intent=params["setup_intent"]
    )
    return Answer(found)


def _create_session(params: Params, _object_id: str) -> Answer:
    return Answer(checkout_sessions.create_session(params))


def _expire_session(_params: Params, object_id: str) -> Answer:
    return Answer(checkout_sessions.expire_session(store.get("checkout.session", object_id)))


def _list_sessions(params: Params, _object_id: str) -> Answer:
    for name in ("customer_details", "customer_account", "payment_link", "subscription"):
        if name in params:
            raise not_simulated(name)
    filters = {name: params.get(name) for name in ("customer", "payment_intent", "status")}
    return Answer(list_objects("checkout.session", "/v1/checkout/sessions", params, **filters))


def _list_lines(params: Params, object_id: str) -> Answer:
    lines = store.get("checkout.session", object_id).private["line_items"]
    return Answer(list_documents(f"/v1/checkout/sessions/{object_id}/line_items", lines, params))


def _create_intent(params: Params, _object_id: str) -> Answer:
    intent, error = intents.create_intent(params)
    return Answer(intent) if error is None else Answer({"error": error}, status=402)


def _cancel_intent(params: Params, object_id: str) -> Answer:
    return Answer(intents.cancel_intent(store.get("payment_intent", object_id), params))


_CUSTOMER_FIELDS = {"address", "business_name", "description", "email", "individual_name", "metadata", "name", "phone",
                    "preferred_locales", "shipping"}  # fmt: skip
_CUSTOMER_LIMITS = {"email": 512, "name": 256, "individual_name": 150, "business_name": 150, "phone": 20}


def _check_customer(params: Params) -> Params:
    for name in params.keys() - _CUSTOMER_FIELDS - {"expand", "validate"}:
        raise not_simulated(name)
    for name, limit in _CUSTOMER_LIMITS.items():
        if len(params.get(name) or "") > limit:
            raise invalid(f"Invalid string: must be at most {limit} characters", param=name)
    return {
        name: None if value == "" else value for name, value in params.items() if name in _CUSTOMER_FIELDS
    }


def _create_customer(params: Params, _object_id: str) -> Answer:
    return Answer(store.create(documents.customer(_check_customer(params))).body)


def _update_customer(params: Params, object_id: str) -> Answer:
    row = _living_customer(object_id)
    changes = _check_customer(params)
    if "metadata" in changes:
        merged = row.body["metadata"] | (changes["metadata"] or {})
        changes["metadata"] = (
            {key: value for key, value in merged.items() if value} if changes["metadata"] else {}
        )
    row.body |= changes
    store.save(row)
    return Answer(row.body)


def _delete_customer(_params: Params, object_id: str) -> Answer:
    row = _living_customer(object_id)
    row.body = {"id": row.id, "object": "customer", "deleted": True}
    store.save(row)
    for method in StoredObject.objects.filter(kind="payment_method", customer=row.id):
        method.body["customer"] = None
        store.save(method)
    return Answer(row.body)


def _living_customer(object_id: str) -> StoredObject:
    row = store.get("customer", object_id)
    if row.body.get("deleted"):
        raise not_in_this_state(f"No such customer: '{object_id}'", code="resource_missing", param="id")
    return row


def _list_methods(params: Params, object_id: str) -> Answer:
    url = f"/v1/customers/{object_id}/payment_methods" if object_id else "/v1/payment_methods"
    customer = object_id or params.get("customer", "")
    if not customer:
        return Answer(as_list(url, []))
    store.get_reference("customer", customer, param="customer")
    return Answer(list_objects("payment_method", url, params, customer=customer, type=params.get("type")))


def _detach_method(_params: Params, object_id: str) -> Answer:
    row = store.get("payment_method", object_id)
    if row.body["customer"] is None:
        raise not_in_this_state(
            "The payment method you provided is not attached to a customer so detachment is impossible."
        )
    row.body["customer"] = None
    store.save(row)
    return Answer(row.body)


def _create_refund(params: Params, _object_id: str) -> Answer:
    for name in (
        "customer",
        "origin",
        "instructions_email",
        "refund_application_fee",
        "reverse_transfer",
        "currency",
    ):
        if name in params:
            raise not_simulated(name)
    if "charge" in params:
        charge = store.get_reference("charge", params["charge"], param="charge")
        if params.get("payment_intent", charge.body["payment_intent"]) != charge.body["payment_intent"]:
            raise invalid("The charge does not belong to the payment intent.", param="payment_intent")
    elif "payment_intent" in params:
        intent = store.get_reference("payment_intent", params["payment_intent"], param="payment_intent")
        if intent.body["status"] != "succeeded":
            raise not_in_this_state(
                f"This PaymentIntent ({intent.id}) does not have a successful charge to refund.",
                param="payment_intent",
            )
        charge = store.require("charge", intent.body["latest_charge"])
    else:
        raise invalid(
            "One of the following params should be provided for this request: payment_intent or charge.",
            code="parameter_missing",
        )
    refund = refunds.make_refund(
        charge,
        amount=params.get("amount"),
        reason=params.get("reason"),
        metadata=params.get("metadata") or {},
    )
    return Answer(refund.body)


def _list_events(params: Params, _object_id: str) -> Answer:
    filters: Params = {"type": params.get("type"), "created__gte": int(store.now()) - KEPT_FOR_SECONDS}
    if "types" in params:
        filters["type__in"] = params["types"]
    if "delivery_success" in params:
        # Still waiting counts as not delivered, as Stripe documents it.
        undelivered = Delivery.objects.filter(state__in=("pending", "failed"))
        delivered = Delivery.objects.exclude(state__in=("pending", "failed"))
        filters["id__in"] = (delivered if params["delivery_success"] else undelivered).values("event")
    return Answer(list_objects("event", "/v1/events", params, **filters))


def _list_balance_lines(params: Params, _object_id: str) -> Answer:
    filters = {"type": params.get("type"), "private__payout": params.get("payout")}
    return Answer(list_objects("balance_transaction", "/v1/balance_transactions", params, **filters))


def _endpoint(method: str, path: str, shape: type, run: Callable[[Params, str], Answer]) -> Endpoint:
    pattern = re.escape(path).replace(r"\{id\}", r"(?P<id>[A-Za-z0-9_]+)")
    return Endpoint(method, re.compile(pattern), shape, run)


ENDPOINTS = (
    _endpoint("POST", "/v1/checkout/sessions", session_shapes.SessionCreateParams, _create_session),
    _endpoint("GET", "/v1/checkout/sessions", session_shapes.SessionListParams, _list_sessions),
    _endpoint(
        "GET",
        "/v1/checkout/sessions/{id}",
        session_shapes.SessionRetrieveParams,
        _retrieve("checkout.session"),
    ),
    _endpoint(
        "POST", "/v1/checkout/sessions/{id}/expire", session_shapes.SessionExpireParams, _expire_session
    ),
    _endpoint(
        "GET", "/v1/checkout/sessions/{id}/line_items", session_shapes.SessionListLineItemsParams, _list_lines
    ),
    _endpoint("POST", "/v1/payment_intents", shapes.PaymentIntentCreateParams, _create_intent),
    _endpoint(
        "GET",
        "/v1/payment_intents",
        shapes.PaymentIntentListParams,
        _list("payment_intent", "/v1/payment_intents", "customer"),
    ),
    _endpoint(
        "GET", "/v1/payment_intents/{id}", shapes.PaymentIntentRetrieveParams, _retrieve("payment_intent")
    ),
    _endpoint("POST", "/v1/payment_intents/{id}/cancel", shapes.PaymentIntentCancelParams, _cancel_intent),
    _endpoint("GET", "/v1/setup_intents/{id}", shapes.SetupIntentRetrieveParams, _retrieve("setup_intent")),
    _endpoint("GET", "/v1/setup_attempts", shapes.SetupAttemptListParams, _list_setup_attempts),
    _endpoint(
        "GET",
        "/v1/charges",
        shapes.ChargeListParams,
        _list("charge", "/v1/charges", "customer", "payment_intent"),
    ),
    _endpoint("GET", "/v1/charges/{id}", shapes.ChargeRetrieveParams, _retrieve("charge")),
    _endpoint("POST", "/v1/customers", shapes.CustomerCreateParams, _create_customer),
    _endpoint("GET", "/v1/customers", shapes.CustomerListParams, _list("customer", "/v1/customers", "email")),
    _endpoint("GET", "/v1/customers/{id}", shapes.CustomerRetrieveParams, _retrieve("customer")),
    _endpoint("POST", "/v1/customers/{id}", shapes.CustomerUpdateParams, _update_customer),
    _endpoint("DELETE", "/v1/customers/{id}", shapes.CustomerDeleteParams, _delete_customer),
    _endpoint(
        "GET", "/v1/customers/{id}/payment_methods", shapes.CustomerPaymentMethodListParams, _list_methods
    ),
    _endpoint("GET", "/v1/payment_methods", shapes.PaymentMethodListParams, _list_methods),
    _endpoint(
        "GET", "/v1/payment_methods/{id}", shapes.PaymentMethodRetrieveParams, _retrieve("payment_method")
    ),
    _endpoint(
        "GET", "/v1/payment_methods/{id}", shapes.PaymentMethodRetrieveParams, _retrieve("payment_method")
    ),
    _endpoint("POST", "/v1/payment_methods/{id}/detach", shapes.PaymentMethodDetachParams, _detach_method),
    _endpoint("POST", "/v1/refunds", shapes.RefundCreateParams, _create_refund),
    _endpoint(
        "GET",
        "/v1/refunds",
        shapes.RefundListParams,
        _list("refund", "/v1/refunds", "charge", "payment_intent"),
    ),
    _endpoint("GET", "/v1/refunds/{id}", shapes.RefundRetrieveParams, _retrieve("refund")),
    _endpoint("GET", "/v1/events", shapes.EventListParams, _list_events),
    _endpoint("GET", "/v1/events/{id}", shapes.EventRetrieveParams, _retrieve("event")),
    _endpoint(
        "GET",
        "/v1/balance_transactions",
        shapes.BalanceTransactionListParams,
        _list_balance_lines,
    ),
    _endpoint("GET", "/v1/payouts", shapes.PayoutListParams, _list("payout", "/v1/payouts", "status")),
    _endpoint("GET", "/v1/payouts/{id}", shapes.PayoutRetrieveParams, _retrieve("payout")),
    _endpoint(
        "GET",
        "/v1/balance_transactions/{id}",
        shapes.BalanceTransactionRetrieveParams,
        _retrieve("balance_transaction"),
    ),
    _endpoint(
        "GET",
        "/v1/disputes",
        shapes.DisputeListParams,
        _list("dispute", "/v1/disputes", "charge", "payment_intent"),
    ),
    _endpoint("GET", "/v1/disputes/{id}", shapes.DisputeRetrieveParams, _retrieve("dispute")),
)
