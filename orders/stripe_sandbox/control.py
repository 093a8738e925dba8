"""The control surface under /_control/: for tests and developers, JSON in and out, from this machine only.

The table `ACTIONS` at the end lists the calls; each takes a JSON object and documents its fields.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Any

from django.db import connections
from django.http import HttpRequest, HttpResponse, JsonResponse

from orders.stripe_sandbox import checkout, checkout_sessions, payouts, refunds, store
from orders.stripe_sandbox.api import DROP, ERROR, HANG
from orders.stripe_sandbox.cards import CARDS
from orders.stripe_sandbox.configuration import ConfigurationRefused, Delay
from orders.stripe_sandbox.errors import ApiError, Document, invalid
from orders.stripe_sandbox.events import deliver, webhook_delay, webhooks_are_on
from orders.stripe_sandbox.models import (
    Delivery,
    Fault,
    IdempotentAnswer,
    Job,
    RecordedRequest,
    Setting,
    StoredObject,
)
from orders.stripe_sandbox.server import run_due_jobs

Body = dict[str, Any]


def control(request: HttpRequest, action: str) -> HttpResponse:
    """One call of the control surface. 403 from another machine, 400 with `error` for what makes no sense."""
    if not ip_address(str(request.META["REMOTE_ADDR"])).is_loopback:
        return JsonResponse({"error": "only from this machine"}, status=403)
    # A form of a foreign page can't send this type: nobody steers the sandbox through a developer's browser.
    if request.method == "POST" and request.content_type != "application/json":
        return JsonResponse({"error": "send application/json"}, status=415)
    for method, pattern, run in ACTIONS:
        match = re.fullmatch(pattern, action)
        if match and method == request.method:
            try:
                body = json.loads(request.body or b"{}") if method == "POST" else dict(request.GET.items())
                if not isinstance(body, dict):
                    raise ValueError("not an object")
                return JsonResponse(run(body, *match.groups()))
            except ApiError as error:
                return JsonResponse({"error": error.message}, status=error.status)
            except (KeyError, ValueError, TypeError, ConfigurationRefused) as error:
                return JsonResponse({"error": f"{type(error).__name__}: {error}"}, status=400)
    return JsonResponse({"error": f"no such control: {request.method} {action}"}, status=404)


def health(_body: Body) -> Document:
    """Return that the sandbox answers, its time, and whether it delivers webhooks."""
    return {"ok": True, "now": store.now(), "webhooks": webhooks_are_on()}


def order_fault(body: Body) -> Document:
    """kind: error (status 500, 429, 503 …) | hang (seconds) | drop; times 1, skip 0, method, path (a prefix).

    after: hang or drop once the work is done (drop's default) instead of before it. A 500 is kept under the
    request's idempotency key as Stripe does; other errors turn the call away before it begins.
    """
    kind = body["kind"]
    if kind not in (ERROR, HANG, DROP):
        raise ValueError("kind is error, hang or drop")
    status, times = int(body.get("status", 500)), int(body.get("times", 1))
    if not 400 <= status <= 599 or times < 1:
        raise ValueError("status is 400 to 599, times at least 1")
    with store.writing():
        fault = Fault.objects.create(
            kind=kind,
            method=str(body.get("method", "")).upper(),
            path=str(body.get("path", "")),
            skip=int(body.get("skip", 0)),
            times=times,
            status=status,
            seconds=float(body.get("seconds", 0)),
            after=bool(body.get("after", kind == DROP)),
        )
    return {"fault": fault.id}


def list_faults(_body: Body) -> Document:
    """Faults that wait for a request to suffer them."""
    names = ("kind", "method", "path", "skip", "times", "status", "seconds", "after")
    return {"faults": list(Fault.objects.order_by("id").values(*names))}


def clear_faults(_body: Body) -> Document:
    with store.writing():
        Fault.objects.all().delete()
    return {}


def move_clock(body: Body) -> Document:
    """advance: seconds added to the sandbox's clock (negative takes back); reset: true returns to the machine's.

    Answers once everything that is due by then has happened, webhooks excepted.
    """
    with store.writing():
        offset = 0.0 if body.get("reset") else float(store.read_setting("clock_offset", 0))
        store.write_setting("clock_offset", offset + float(body.get("advance", 0)))
    run_due_jobs()
    return {"now": store.now()}


def pay_session(body: Body, session_id: str) -> Document:
    """card "4242", later (the saved card's behaviour off-session, default the same card), email, name, confirmed true.

    method "bank_debit" with succeeds true and seconds 2 leaves it unpaid and settles it later.
    """
    payer = _payer(body)
    if body.get("method") == "bank_debit":
        result = checkout.pay_by_debit(
            session_id,
            payer,
            succeeds=bool(body.get("succeeds", True)),
            seconds=float(body.get("seconds", 2)),
        )
    else:
        result = checkout.pay(
            session_id,
            payer,
            card=checkout.check_card(str(body.get("card", "4242"))),
            later=checkout.check_card(str(body["later"])) if body.get("later") else "",
            confirmed=bool(body.get("confirmed", True)),
        )
    return {"result": result, "session": store.get("checkout.session", session_id).body}


def refuse_session(body: Body, session_id: str) -> Document:
    """card "0002": whose refusal it is. The session stays open."""
    decline = CARDS[checkout.check_card(str(body.get("card", "0002")))].decline
    if decline is None:
        raise ValueError("this card is not refused")
    result = checkout.refuse(session_id, _payer(body), decline=decline)
    return {"result": result, "session": store.get("checkout.session", session_id).body}


def expire_session(_body: Body, session_id: str) -> Document:
    """As if its time had come."""
    with store.writing():
        return {
            "session": checkout_sessions.expire_session(
                store.get("checkout.session", session_id), by_clock=True
            )
        }


def deliver_events(body: Body) -> Document:
    """Send now, whatever was sent before: events [ids] or the whole pending queue, or all of a `type`.

    reverse: latest first; times: each so often; parallel: all at once. Answers what the shop answered to each.
    """
    if "events" in body:
        ids = [store.get("event", str(event_id)).id for event_id in body["events"]]
    elif "type" in body:
        found = StoredObject.objects.filter(kind="event", type=str(body["type"])).order_by("number")
        ids = list(found.values_list("id", flat=True))
    else:
        ids = list(Delivery.objects.filter(state="pending").order_by("id").values_list("event", flat=True))
    if body.get("reverse"):
        ids.reverse()
    ids = [event_id for event_id in ids for _ in range(int(body.get("times", 1)))]
    if body.get("parallel") and ids:
        with ThreadPoolExecutor(min(len(ids), 20)) as pool:
            answers = list(pool.map(_deliver_and_close, ids))
    else:
        answers = [deliver(event_id) for event_id in ids]
    return {
        "sent": [{"event": event_id, "answer": said} for event_id, said in zip(ids, answers, strict=True)]
    }


def _deliver_and_close(event_id: str) -> str:
    try:
        return deliver(event_id)
    finally:
        connections.close_all()


def switch_webhooks(body: Body) -> Document:
    """on: true or false; delay: "0", "0.2-2", "before" or "mixed". Kept until changed, over restarts too."""
    with store.writing():
        if "on" in body:
            store.write_setting("webhooks_on", bool(body["on"]))
        if "delay" in body:
            Delay.parse(str(body["delay"]))
            store.write_setting("webhook_delay", str(body["delay"]))
    return {"on": webhooks_are_on(), "longest_delay": webhook_delay().longest}


def open_dispute(body: Body) -> Document:
    """charge or payment_intent; reason "fraudulent"; amount in cents, all of it by default."""
    with store.writing():
        dispute = refunds.open_dispute(
            _charge(body), reason=str(body.get("reason", "fraudulent")), amount=body.get("amount")
        )
        return {"dispute": dispute.body}


def pay_out(_body: Body) -> Document:
    """Send the whole balance to the bank now; `payout` is null when there is nothing to send."""
    with store.writing():
        payout = payouts.pay_out(everything=True)
        return {"payout": payout.body if payout is not None else None}


def close_dispute(body: Body, dispute_id: str) -> Document:
    """status: won or lost."""
    if body["status"] not in ("won", "lost"):
        raise ValueError("status is won or lost")
    with store.writing():
        dispute = store.get("dispute", dispute_id)
        refunds.close_dispute(dispute, body["status"])
        return {"dispute": dispute.body}


def refund_from_dashboard(body: Body) -> Document:
    """charge or payment_intent; amount in cents, the rest by default: what a person does in Stripe's Dashboard."""
    with store.writing():
        refund = refunds.make_refund(_charge(body), amount=body.get("amount"), reason=None, metadata={})
        return {"refund": refund.body}


def plan_next_refund(body: Body) -> Document:
    """begins: succeeded or pending; ends: failed, succeeded or null (stays); seconds 0: when it ends."""
    begins, ends = body.get("begins", "succeeded"), body.get("ends", "failed")
    if begins not in ("succeeded", "pending") or ends not in ("failed", "succeeded", None):
        raise ValueError("begins is succeeded or pending, ends is failed, succeeded or null")
    with store.writing():
        plan = {"begins": begins, "ends": ends, "seconds": float(body.get("seconds", 0))}
        store.write_setting(refunds.NEXT_REFUND, plan)
    return {"plan": plan}


def settle_refund(body: Body, refund_id: str) -> Document:
    """status: failed or succeeded."""
    if body["status"] not in ("failed", "succeeded"):
        raise ValueError("status is failed or succeeded")
    with store.writing():
        refund = store.get("refund", refund_id)
        refunds.settle_refund(refund, body["status"])
        return {"refund": refund.body}


def change_card(body: Body, method_id: str) -> Document:
    """later: the test card whose behaviour the saved card shows from now on."""
    with store.writing():
        method = store.get("payment_method", method_id)
        method.private["later"] = checkout.check_card(str(body["later"]))
        store.save(method)
    return {"later": method.private["later"]}


def list_requests(body: Body) -> Document:
    """Calls of the API, oldest first; ?path= (a prefix) and ?method= narrow it down."""
    rows = RecordedRequest.objects.filter(path__startswith=body.get("path", "")).order_by("id")
    if "method" in body:
        rows = rows.filter(method=body["method"].upper())
    names = (
        "method",
        "path",
        "params",
        "idempotency_key",
        "request_id",
        "status",
        "replayed",
        "error",
        "created",
    )
    return {"requests": list(rows.values(*names))}


def clear_requests(_body: Body) -> Document:
    with store.writing():
        RecordedRequest.objects.all().delete()
    return {}


def list_events(body: Body) -> Document:
    """Events, oldest first, with the state of their delivery; ?type= narrows it down."""
    found = StoredObject.objects.filter(kind="event").order_by("number")
    if "type" in body:
        found = found.filter(type=body["type"])
    # Read before the deliveries: an event is never there without its own.
    rows = list(found)
    states = {delivery.event: delivery for delivery in Delivery.objects.all()}
    return {
        "events": [
            {
                "id": row.id,
                "type": row.type,
                "subject": row.private["subject"],
                "state": states[row.id].state,
                "tries": states[row.id].tries,
                "last_answer": states[row.id].last_answer,
            }
            for row in rows
        ]
    }


def reset(_body: Body) -> Document:
    """Forget everything, the clock's offset too."""
    with store.writing():
        store.last_reset = time.monotonic()
        for model in (Delivery, Fault, IdempotentAnswer, Job, RecordedRequest, Setting, StoredObject):
            model.objects.all().delete()
    return {}


def _payer(body: Body) -> checkout.Payer:
    return checkout.Payer(
        email=str(body.get("email", "camille@example.com")), name=str(body.get("name", "Camille Martin"))
    )


def _charge(body: Body) -> StoredObject:
    if "charge" in body:
        return store.get("charge", str(body["charge"]))
    intent = store.get("payment_intent", str(body["payment_intent"]))
    if intent.body["status"] != "succeeded":
        raise invalid("this payment has no paid charge")
    return store.require("charge", intent.body["latest_charge"])


_ID = r"([A-Za-z0-9_]+)"
ACTIONS: tuple[tuple[str, str, Callable[..., Document]], ...] = (
    ("GET", "health", health),
    ("GET", "faults", list_faults),
    ("POST", "faults", order_fault),
    ("POST", "faults/clear", clear_faults),
    ("POST", "clock", move_clock),
    ("POST", f"sessions/{_ID}/pay", pay_session),
    ("POST", f"sessions/{_ID}/refuse", refuse_session),
    ("POST", f"sessions/{_ID}/expire", expire_session),
    ("GET", "events", list_events),
    ("POST", "events/deliver", deliver_events),
    ("POST", "webhooks", switch_webhooks),
    ("POST", "disputes", open_dispute),
    ("POST", f"disputes/{_ID}/close", close_dispute),
    ("POST", "refunds", refund_from_dashboard),
    ("POST", "refunds/next", plan_next_refund),
    ("POST", f"refunds/{_ID}/settle", settle_refund),
    ("POST", f"payment_methods/{_ID}", change_card),
    ("POST", "payouts", pay_out),
    ("GET", "requests", list_requests),
    ("POST", "requests/clear", clear_requests),
    ("POST", "reset", reset),
)
