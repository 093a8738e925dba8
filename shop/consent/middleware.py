"""The content security policy of pages that may load something from another company."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from shop.consent.selectors import policy_sources


class ConsentPolicyMiddleware:
    """Adds the hosts of the services that the page was written for; every other page keeps the shop's own policy.

    It is the same for all visitors, like the page: whoever does not agree is sent no script that would call them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        services = getattr(request, "measured_by", ())
        if services:
            update = {name: list(sources) for name, sources in getattr(response, "_csp_update", {}).items()}
            for directive, hosts in policy_sources(services).items():
                update.setdefault(directive, []).extend(hosts)
            response._csp_update = update  # type: ignore[attr-defined]
        return response
