"""Around every request: its id, its duration, and `/metrics`, before anything else of the shop is asked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare

from shop.core.log_lines import bind, context_of_request, unbind
from shop.loopback import is_loopback
from shop.watching.metrics import count_cached_page, request_seconds

METRICS_PATH = "/metrics"
# Requests that are answered before an address is looked up.
STATIC, HEALTH, NO_ROUTE = "(static)", "(health)", "(none)"
_HEALTH_PATHS = ("/healthz", "/readyz")
_FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")


class WatchMiddleware:
    """Binds the lines of the log to the request and counts it.

    Its id is answered as `X-Request-ID`, but for pages that are the same bytes for everybody. Those that come from the
    cache of pages are counted, not measured: they take less than the clock's histogram would.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info == METRICS_PATH:
            return metrics(request)
        started = perf_counter()
        token = bind(request)
        try:
            response = self.get_response(request)
        finally:
            unbind(token)
        match = request.resolver_match
        if match is not None:
            route = match.view_name or match.route
            if not hasattr(request, "is_public_page"):
                response.headers["X-Request-ID"] = context_of_request(request)["request_id"]
        else:
            route = _route_without_match(request, response)
        # What a full disk leaves no room to count does not cost the answer.
        with suppress(OSError):
            if route:
                seconds = request_seconds(route, request.method or "", response.status_code)
                seconds.observe(perf_counter() - started)
            else:
                count_cached_page(started)
        return response


def _route_without_match(request: HttpRequest, response: HttpResponseBase) -> str:
    """Return what a request without a route is counted as; "" for a page from the cache."""
    path = request.path_info
    if path.startswith(settings.STATIC_URL):
        return STATIC
    if path in _HEALTH_PATHS:
        return HEALTH
    return "" if response.status_code in (200, 304) else NO_ROUTE


def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics, for who has `METRICS_TOKEN`; without one, for this machine, when no proxy stands between."""
    if not _may_read(request):
        response = HttpResponse("forbidden", status=403, content_type="text/plain")
    else:
        # Imported by who asks: most processes never are.
        from shop.watching.scrape import CONTENT_TYPE, metrics_text

        response = HttpResponse(metrics_text(), content_type=CONTENT_TYPE)
    response.headers["Cache-Control"] = "no-store"
    return response


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        given = request.META.get("HTTP_AUTHORIZATION", "")
        return constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}")
    direct = not any(name in request.META for name in _FORWARDED)
    address = str(request.META.get("REMOTE_ADDR", ""))
    return direct and is_loopback(f"[{address}]" if ":" in address else address)
