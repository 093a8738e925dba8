"""The pages of the sandbox: Stripe's payment page, the bank's behind it, and the developer's overview at /.

Plain forms, no script, no cookie, in the shop's four languages; their texts are no part of the shop's catalogues.
"""

from __future__ import annotations

import json
import time
from datetime import datetime
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils import timezone

from orders.stripe_sandbox import checkout, store
from orders.stripe_sandbox.cards import CARDS
from orders.stripe_sandbox.checkout_sessions import EMAIL
from orders.stripe_sandbox.configuration import configuration
from orders.stripe_sandbox.errors import ApiError
from orders.stripe_sandbox.events import webhook_delay, webhooks_are_on
from orders.stripe_sandbox.models import Delivery, StoredObject

LANGUAGES = ("fr", "en", "es", "de")
FILES_DIR = Path(__file__).resolve().parent / "page_files"
_SEPARATORS = {"fr": ("\u00a0", ","), "en": (",", "."), "es": (".", ","), "de": (".", ",")}


def language_of(locale: str | None) -> str:
    """The page's language for a session's `locale`; French for any other than the four."""
    language = (locale or "").partition("-")[0]
    return language if language in LANGUAGES else LANGUAGES[0]


@cache
def texts(language: str) -> dict[str, Any]:
    """Return the texts of the pages in one of the four languages."""
    words: dict[str, Any] = json.loads((FILES_DIR / f"{language}.json").read_text(encoding="utf-8"))
    return words


def format_euros(cents: int, language: str) -> str:
    """1234567 → "12 345,67 €" in French, "€12,345.67" in English."""
    thousands, decimal = _SEPARATORS[language]
    whole = f"{cents // 100:,}".replace(",", thousands)
    amount = f"{whole}{decimal}{cents % 100:02d}"
    return f"€{amount}" if language == "en" else f"{amount}\u00a0€"


DEBIT_SECONDS = 5.0
EARLY_WAIT_SECONDS = 3.0


def pay(request: HttpRequest, session_id: str) -> HttpResponse:
    """The payment page: GET shows it, POST carries out the pressed button and goes on with a 303."""
    session = store.find("checkout.session", session_id)
    if session is None:
        return _closed(request, None, "unknown", status=404)
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponseNotAllowed(["GET", "POST"])
    if session.status != "open" or session.body["expires_at"] <= store.now():
        return _closed(request, session, "done" if session.status == "complete" else "expired")
    if request.method == "POST":
        email = request.POST.get("email", "").strip()
        if checkout.needs_email(session) and not EMAIL.match(email):
            return _form(request, session, problem="bad_email", status=400)
        try:
            result = _press(session, request.POST.get("action", ""), request)
        except ApiError as error:
            return HttpResponse(error.message, status=error.status, content_type="text/plain; charset=utf-8")
        return _go_on(session, result)
    return _form(request, session)


def confirm_with_bank(request: HttpRequest, session_id: str) -> HttpResponse:
    """The bank's page: accept or refuse."""
    session = store.find("checkout.session", session_id)
    if session is None:
        return _closed(request, None, "unknown", status=404)
    if request.method == "POST":
        return _go_on(
            session, checkout.answer_bank(session_id, accept=request.POST.get("action") == "accept")
        )
    intent = checkout.find_intent(session)
    if session.status != "open" or intent is None or intent.body["status"] != "requires_action":
        return _redirect(f"/c/pay/{session_id}")
    return _page(request, "bank", session, {})


def page_file(_request: HttpRequest, name: str) -> HttpResponse:
    """The one stylesheet."""
    if name != "page.css":
        raise Http404
    return HttpResponse((FILES_DIR / name).read_bytes(), content_type="text/css; charset=utf-8")


def _press(session: StoredObject, action: str, request: HttpRequest) -> str:
    payer = checkout.Payer(email=request.POST.get("email", "").strip())
    if action == "refuse":
        return checkout.refuse(session.id, payer)
    if action in ("debit", "debit_fails"):
        return checkout.pay_by_debit(session.id, payer, succeeds=action == "debit", seconds=DEBIT_SECONDS)
    if action not in ("pay", "secure"):
        raise ApiError(400, "invalid_request_error", "Unknown button")
    later = request.POST.get("later", "")
    return checkout.pay(
        session.id,
        payer,
        card=checkout.check_card(request.POST.get("card", "")),
        later=checkout.check_card(later) if later else "",
        ask_bank=action == "secure",
    )


def _go_on(session: StoredObject, result: str) -> HttpResponse:
    if result == checkout.COMPLETE:
        if webhooks_are_on() and webhook_delay().sample_early():
            _deliver_first(session.id)
        return _redirect(session.body["success_url"].replace("{CHECKOUT_SESSION_ID}", session.id))
    if result == checkout.AUTHENTICATE:
        return _redirect(f"/c/pay/{session.id}/banque")
    return _redirect(f"/c/pay/{session.id}")


def _deliver_first(session_id: str) -> None:
    """Let the webhooks overtake the customer, as they do now and then; not for ever if the shop is slow."""
    session = store.require("checkout.session", session_id)
    intent = checkout.find_intent(session)
    subjects = [session.id, *([intent.id, intent.body.get("latest_charge")] if intent else [])]
    events = StoredObject.objects.filter(kind="event", private__subject__in=subjects).values("id")
    waiting = Delivery.objects.filter(
        state="pending", tries=0, event__in=list(events.values_list("id", flat=True))
    )
    with store.writing():
        waiting.update(due=store.now())
    give_up = time.monotonic() + EARLY_WAIT_SECONDS
    while waiting.exists() and time.monotonic() < give_up:
        time.sleep(0.02)


def _form(
    request: HttpRequest, session: StoredObject, *, problem: str = "", status: int = 200
) -> HttpResponse:
    language = language_of(session.body["locale"])
    words = _words(session)
    stores_card = checkout.stores_card(session)
    refusal = checkout.last_refusal(session)
    message = words[problem] if problem else ""
    if refusal and not message:
        message = words["refusals"].get(refusal, words["refusals"]["generic_decline"])
    custom = session.body["custom_text"]["submit"]
    asked = session.private["payment_intent_data"]
    keeps_card = stores_card or asked.get("setup_future_usage") == "off_session"
    return _page(
        request,
        "pay",
        session,
        {
            "message": message,
            "lines": [
                {
                    "name": line["description"],
                    "quantity": line["quantity"],
                    "amount": format_euros(line["amount_total"], language),
                }
                for line in session.private["line_items"]
            ],
            "total": "" if stores_card else format_euros(session.body["amount_total"], language),
            "cards": [
                {"name": card.name, "label": words["cards"][card.name], "number": _grouped(card.number)}
                for card in CARDS.values()
            ],
            "chosen": request.POST.get("card", "4242"),
            "keeps_card": keeps_card,
            "asks_email": checkout.needs_email(session),
            "email": request.POST.get("email") or session.private.get("payer", {}).get("email", ""),
            "submit_text": custom["message"] if custom else "",
            "cancel_url": session.body["cancel_url"],
        },
        status=status,
    )


def _closed(
    request: HttpRequest, session: StoredObject | None, reason: str, *, status: int = 200
) -> HttpResponse:
    back = ""
    if session is not None:
        url = session.body["success_url"] if reason == "done" else session.body["cancel_url"]
        back = (url or "").replace("{CHECKOUT_SESSION_ID}", session.id)
    words = _words(session)
    context = {"heading": words[f"{reason}_title"], "text": words[f"{reason}_text"], "back": back}
    return _page(request, "closed", session, context, status=status)


def _page(
    request: HttpRequest,
    name: str,
    session: StoredObject | None,
    context: dict[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    language = language_of(session.body["locale"] if session else None)
    context |= {"language": language, "words": _words(session), "session": session}
    response = render(request, f"stripe_sandbox/{name}.html", context, status=status)
    # The form's answer sends the browser on to the shop, and browsers check that step against form-action too.
    origins = {_origin(session.body[field]) for field in ("success_url", "cancel_url")} if session else set()
    targets = " ".join(["'self'", *sorted(origin for origin in origins if origin)])
    response["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'self'; form-action {targets}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    response["Cache-Control"] = "no-store"
    return response


def _words(session: StoredObject | None) -> dict[str, Any]:
    """The page's words; a page that only stores a card has some of its own."""
    words = texts(language_of(session.body["locale"] if session else None))
    return words | words["setup"] if session is not None and checkout.stores_card(session) else words


def _origin(url: str | None) -> str:
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _grouped(number: str) -> str:
    return "\u00a0".join(number[start : start + 4] for start in range(0, len(number), 4))


def _redirect(url: str) -> HttpResponse:
    response = HttpResponse(status=303)
    response["Location"] = url
    response["Cache-Control"] = "no-store"
    return response


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
_DELIVERY_STATES = {
    "pending": "en attente",
    "delivered": "livré",
    "failed": "abandonné",
    "unasked": "non demandé",
}


def overview(request: HttpRequest) -> HttpResponse:
    """The latest objects with their states, for the developer. 403 from another machine."""
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
