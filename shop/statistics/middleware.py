"""Takes beacons before anything else of the shop is asked: sessions, languages and headers of pages are nothing to
them, and there are more of them than of pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation

from shop.core.request_kind import language_of
from shop.statistics.views import take_event, take_vitals

View = Callable[[HttpRequest], HttpResponseBase]


class BeaconMiddleware:
    """Answers the two calls of the statistics; what it answers in words is in the language asked for."""

    views: ClassVar[dict[str, View]] = {"/api/statistics/events": take_event, "/api/vitals": take_vitals}

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = self.views.get(request.path_info)
        if view is None or request.method != "POST":
            return self.get_response(request)
        with translation.override(language_of(request)):
            return view(request)
