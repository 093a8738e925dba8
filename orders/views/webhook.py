"""The address that Stripe calls."""

import logging

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from orders.mails import alert_clock
from orders.services.reconciliation.webhook_events import NotYetKnown, process_event, store_event
from orders.stripe import gateway, webhook_calls
from shop.core.problems import Problem, problem_response, waited_too_long

logger = logging.getLogger(__name__)

MAX_BODY = 256 * 1024
MAX_LENGTH_DIGITS = 18


@csrf_exempt
@require_POST
def stripe_webhook(request: HttpRequest) -> HttpResponseBase:
    """400 for what is not Stripe's, 413 past 256 KB, 503 for what must come again, else 200.

    A message that Stripe signed more than five minutes ago or ahead is refused too, and the workshop receives a mail
    about the clock: with the right time reconciliation fetches it. The message is stored before it is acted on;
    repeated, unknown and late ones are 200 without effect.
    """
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()):
        return _unreadable()
    if len(length) > MAX_LENGTH_DIGITS or int(length) > MAX_BODY:
        return problem_response(Problem("too_large", _("La demande est trop volumineuse."), 413))
    payload = request.body
    try:
        facts = webhook_calls.read_event(payload, request.headers.get("Stripe-Signature", ""))
    except webhook_calls.OutOfTime as error:
        alert_clock("webhook", seconds=error.seconds)
        return _unreadable()
    except webhook_calls.BadSignature:
        logger.warning("a webhook call with a wrong signature was refused")
        return _unreadable()
    try:
        process_event(store_event(facts))
    except (gateway.GatewayError, NotYetKnown) as error:
        logger.warning("event %s will be tried again: %s", facts.event_id, error)
        return _again()
    except OperationalError as error:
        if not waited_too_long(error):
            raise
        logger.warning("event %s will be tried again: its order is held by somebody else", facts.event_id)
        return _again()
    return HttpResponse(status=200)


def _unreadable() -> HttpResponseBase:
    return problem_response(Problem("malformed", _("La requête n'est pas lisible."), 400))


def _again() -> HttpResponseBase:
    return problem_response(Problem("busy", _("Réessayez dans un instant."), 503))
