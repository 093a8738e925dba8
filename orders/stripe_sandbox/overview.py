"""The developer's overview at /: the latest sessions, payments, refunds and events. From this machine only."""

from __future__ import annotations

from datetime import datetime
from ipaddress import ip_address
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import render
from django.utils import timezone

from orders.stripe_sandbox import store
from orders.stripe_sandbox.configuration import configuration
from orders.stripe_sandbox.events import webhooks_are_on
from orders.stripe_sandbox.models import Delivery, StoredObject
from orders.stripe_sandbox.texts import format_euros

SHOWN = 20
_SESSION_STATES = {"open": "ouverte", "complete": "terminée", "expired": "expirée"}
_INTENT_STATES = {
    "requires_payment_method": "attend une carte",
    "requires_confirmation": "à confirmer",
    "requires_action": "attend la banque",
    "processing": "en cours",
    "succeeded": "payé",
    "canceled": "annulé",
}
_REFUND_STATES = {"succeeded": "effectué", "pending": "en cours", "failed": "échoué"}
_DELIVERY_STATES = {"pending": "en attente", "delivered": "livré", "failed": "abandonné"}


def overview(request: HttpRequest) -> HttpResponse:
    if not ip_address(str(request.META["REMOTE_ADDR"])).is_loopback:
        return HttpResponseForbidden("Réservé à cette machine.", content_type="text/plain; charset=utf-8")
    events = _latest("event")
    states = {row.event: row for row in Delivery.objects.filter(event__in=[row.id for row in events])}
    context = {
        "sessions": [
            _row(row, _SESSION_STATES, row.body["amount_total"]) for row in _latest("checkout.session")
        ],
        "payments": [_row(row, _INTENT_STATES, row.body["amount"]) for row in _latest("payment_intent")],
        "refunds": [_row(row, _REFUND_STATES, row.body["amount"]) for row in _latest("refund")],
        "events": [
            {
                "id": row.id,
                "when": _when(row),
                "type": row.type,
                "subject": row.private["subject"],
                "state": _DELIVERY_STATES[states[row.id].state],
                "tries": states[row.id].tries,
                "answer": states[row.id].last_answer,
            }
            for row in events
        ],
        "webhook_url": configuration().webhook_url,
        "webhooks_on": webhooks_are_on(),
        "now": datetime.fromtimestamp(store.now(), tz=timezone.get_current_timezone()),
    }
    response = render(request, "stripe_sandbox/overview.html", context)
    response["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    response["Cache-Control"] = "no-store"
    return response


def _latest(kind: str) -> list[StoredObject]:
    return list(StoredObject.objects.filter(kind=kind).order_by("-number")[:SHOWN])


def _row(row: StoredObject, states: dict[str, str], cents: int | None) -> dict[str, Any]:
    return {
        "id": row.id,
        "when": _when(row),
        "amount": "–" if cents is None else format_euros(cents, "fr"),
        "state": states.get(row.status, row.status),
        "url": row.body.get("url"),
        "reference": row.body.get("client_reference_id") or row.body.get("description") or "",
    }


def _when(row: StoredObject) -> datetime:
    return datetime.fromtimestamp(row.created, tz=timezone.get_current_timezone())
