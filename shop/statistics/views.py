"""The two calls that browsers report to. `navigator.sendBeacon` sends no token, and nobody reads the answer."""

from __future__ import annotations

from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from shop.core.client_address import client_address
from shop.core.limits import STATISTICS_NETWORK
from shop.core.problems import Problem, problem_response
from shop.statistics.events import MAX_BODY, UnreadableError, read_event, read_vitals
from shop.statistics.network_limit import network_limit
from shop.statistics.recorder import recorder
from shop.statistics.robots import is_robot
from shop.statistics.visits import visit_key


@csrf_exempt
@require_POST
def take_event(request: HttpRequest) -> HttpResponseBase:
    """`POST /api/statistics/events` with `{kind, path, device}` and, by kind, `referrer`, `source`, `medium`,
    `campaign` of a page, `search` and `found` of a search: 204, counted or not."""
    return _take(request, _count_event)


@csrf_exempt
@require_POST
def take_vitals(request: HttpRequest) -> HttpResponseBase:
    """`POST /api/vitals` with `{name, value, rating, path, device}` or a list of them: 204, counted or not."""
    return _take(request, _count_vitals)


def _take(request: HttpRequest, count: Callable[[HttpRequest, str, bytes], None]) -> HttpResponseBase:
    address = client_address(request)
    if not network_limit.allows(address):
        refusal = Problem(STATISTICS_NETWORK.code, str(STATISTICS_NETWORK.refusal), 429, retry_after=60)
        return problem_response(refusal)
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY:
            raise UnreadableError("too long")
        if _is_counted(request):
            count(request, address, request.body[: MAX_BODY + 1])
    except UnreadableError:
        return problem_response(Problem("invalid", _("Ces données de mesure ne sont pas lisibles.")))
    except DatabaseError:
        # Nobody's page waits for a statistic.
        pass
    return HttpResponse(status=204)


def _is_counted(request: HttpRequest) -> bool:
    """Return whether somebody who does not object reads a page of this shop."""
    headers = request.headers
    return (
        headers.get("DNT") != "1"
        and headers.get("Sec-GPC") != "1"
        # Sent by the browser itself: a page of another site cannot report for the shop's.
        and headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
        and not is_robot(headers.get("User-Agent", ""))
    )


def _count_event(request: HttpRequest, address: str, body: bytes) -> None:
    event = read_event(body)
    if event is not None:
        today = timezone.localdate()
        key = visit_key(today, address, request.headers.get("User-Agent", ""))
        recorder.record_event(today, key, event)


def _count_vitals(request: HttpRequest, address: str, body: bytes) -> None:
    vitals = read_vitals(body)
    if vitals:
        recorder.record_vitals(timezone.localdate(), vitals)
