"""Every address under /v1/: who calls, with which key, which fault is due, and what is answered and recorded."""

from __future__ import annotations

import base64
import binascii
import hmac
import logging
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

from orders.stripe_sandbox import idempotency, store
from orders.stripe_sandbox.api_endpoints import Answer, Endpoint, find_endpoint
from orders.stripe_sandbox.configuration import configuration
from orders.stripe_sandbox.errors import ApiError, Document, invalid
from orders.stripe_sandbox.events import API_VERSION
from orders.stripe_sandbox.models import Fault, RecordedRequest
from orders.stripe_sandbox.parameters import check, parse_form
from orders.stripe_sandbox.responses import expand

ERROR, HANG, DROP = "error", "hang", "drop"


def take_fault(method: str, path: str) -> Fault | None:
    """The fault that is ordered for this request, counted down; None for an undisturbed one."""
    if not Fault.objects.exists():
        return None
    with store.writing():
        for fault in Fault.objects.order_by("id"):
            if (fault.method and fault.method != method) or not path.startswith(fault.path):
                continue
            if fault.skip:
                fault.skip -= 1
                fault.save()
                return None
            fault.times -= 1
            if fault.times:
                fault.save()
            else:
                fault.delete()
            return fault
    return None


logger = logging.getLogger(__name__)
KEPT_REQUESTS = 2000
CONNECTION = "stripe_sandbox.connection"
"""Where the server puts the socket in a request's environment, so that an answer can be lost for good."""


@dataclass(slots=True)
class Call:
    """One call of the API that is being answered."""

    request: HttpRequest
    path: str
    request_id: str
    key: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    original: str = ""
    replayed: bool = False
    fault: Fault | None = None
    began: float = field(default_factory=time.monotonic)


def api_view(request: HttpRequest) -> HttpResponse:
    """Every address under /v1/."""
    call = Call(request, request.path, store.new_id("req", 14))
    call.fault = take_fault(request.method or "", call.path)
    try:
        answer = _answer(call)
    except ApiError as error:
        answer = Answer(error.body(), error.status)
    except Exception:
        logger.exception("The sandbox failed on %s %s", request.method, call.path)
        answer = Answer(ApiError(500, "api_error", "The sandbox failed; its log says why.").body(), 500)
    lost = _apply_fault_after(call)
    _record(call, answer, lost=lost)
    if lost:
        _cut(request)
    return _response(call, answer)


def _answer(call: Call) -> Answer:
    fault = call.fault
    if fault and fault.kind == DROP and not fault.after:
        return Answer({}, 0)
    if fault and fault.kind == ERROR and fault.status != 500:
        # Turned away before the call began: nothing is stored under its key.
        raise _ordered_error(fault.status)
    _check_key(call.request)
    _check_version(call.request)
    call.params = _read_params(call.request)
    endpoint, object_id = find_endpoint(call.request.method or "", call.path)
    if endpoint.method == "GET":
        _apply_fault_before(call)
        params = check(endpoint.shape, call.params)
        answer = endpoint.run(params, object_id)
        return Answer(expand(answer.body, params.get("expand")), answer.status)
    call.key = call.request.headers.get("Idempotency-Key", "")
    if call.key:
        call_fingerprint = idempotency.fingerprint(endpoint.method, call.path, call.params)
        stored = idempotency.claim(call.key, call_fingerprint, call.request_id)
        if stored is not None:
            call.replayed, call.original = True, stored.request_id
            return Answer(stored.body, stored.status or 500)
    return _carry_out(call, endpoint, object_id)


def _carry_out(call: Call, endpoint: Endpoint, object_id: str) -> Answer:
    """The work of a writing call in one transaction, together with the answer stored under its key."""
    token = store.current_request.set((call.request_id, call.key or None))
    try:
        _apply_fault_before(call)
        with store.writing():
            params = check(endpoint.shape, call.params)
            answer = endpoint.run(params, object_id)
            if answer.status == 200:
                answer = Answer(expand(answer.body, params.get("expand")))
            if call.key:
                idempotency.store_answer(call.key, answer.status, answer.body)
        return answer
    except Exception as error:
        refusal = (
            error if isinstance(error, ApiError) else ApiError(500, "api_error", "An unknown error occurred")
        )
        if call.key:
            with store.writing():
                if refusal.stored or refusal.status >= 500:
                    idempotency.store_answer(call.key, refusal.status, refusal.body())
                else:
                    idempotency.release(call.key)
        raise
    finally:
        store.current_request.reset(token)


def _check_key(request: HttpRequest) -> None:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    given = credentials.strip()
    if scheme.lower() == "basic":
        try:
            given = base64.b64decode(given, validate=True).decode().partition(":")[0]
        except (binascii.Error, UnicodeDecodeError):
            given = ""
    if not given:
        raise ApiError(
            401,
            "invalid_request_error",
            "You did not provide an API key. You need to provide your API key in the Authorization header, using "
            "Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
        )
    if not hmac.compare_digest(given.encode(), configuration().secret_key.encode()):
        raise ApiError(401, "invalid_request_error", f"Invalid API Key provided: {given[:8]}****{given[-4:]}")


def _check_version(request: HttpRequest) -> None:
    version = request.headers.get("Stripe-Version", API_VERSION)
    if version != API_VERSION:
        raise invalid(f"Invalid Stripe API version: {version}. The sandbox speaks {API_VERSION}.")


def _read_params(request: HttpRequest) -> dict[str, Any]:
    if request.method in ("GET", "DELETE"):
        return parse_form(str(request.META.get("QUERY_STRING", "")))
    try:
        return parse_form(request.body.decode())
    except UnicodeDecodeError as error:
        raise invalid("Invalid request body: it is not UTF-8.") from error


def _ordered_error(status: int) -> ApiError:
    if status == 429:
        return ApiError(
            429, "invalid_request_error", "Request rate limit exceeded (ordered fault).", code="rate_limit"
        )
    return ApiError(status, "api_error", "An error occurred on the server (ordered fault).")


def _apply_fault_before(call: Call) -> None:
    fault = call.fault
    if fault is None or fault.after:
        return
    if fault.kind == HANG:
        time.sleep(fault.seconds)
    elif fault.kind == ERROR:
        raise _ordered_error(500)


def _apply_fault_after(call: Call) -> bool:
    """Hang, or return that the answer is lost."""
    fault = call.fault
    if fault is None:
        return False
    if fault.kind == HANG and fault.after:
        time.sleep(fault.seconds)
    return fault.kind == DROP


def _cut(request: HttpRequest) -> None:
    connection = request.META.get(CONNECTION)
    if isinstance(connection, socket.socket):
        connection.shutdown(socket.SHUT_RDWR)


def _record(call: Call, answer: Answer, *, lost: bool) -> None:
    error: Document = answer.body.get("error") or {}
    with store.writing():
        if call.began < store.last_reset:
            return
        row = RecordedRequest.objects.create(
            created=store.now(),
            method=call.request.method or "",
            path=call.path[:255],
            params=call.params,
            idempotency_key=call.key[:255],
            request_id=call.request_id,
            status=0 if lost else answer.status,
            replayed=call.replayed,
            error=str(error.get("message", ""))[:500],
        )
        RecordedRequest.objects.filter(id__lte=row.id - KEPT_REQUESTS).delete()


def _response(call: Call, answer: Answer) -> HttpResponse:
    response = JsonResponse(answer.body, status=answer.status or 500, json_dumps_params={"indent": 2})
    response["Request-Id"] = call.request_id
    response["Stripe-Version"] = API_VERSION
    response["Cache-Control"] = "no-cache, no-store"
    if call.key:
        response["Idempotency-Key"] = call.key
        response["Original-Request"] = call.original or call.request_id
    if call.replayed:
        response["Idempotent-Replayed"] = "true"
    if answer.status in (409, 429):
        response["Stripe-Should-Retry"] = "true"
    elif answer.status == 500 and call.key:
        # The same key would only bring the same failure back.
        response["Stripe-Should-Retry"] = "false"
    return response
