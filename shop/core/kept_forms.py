"""Forms that arrive when their session is over: what was typed is kept, and sent again by one press."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from rest_framework.exceptions import NotAuthenticated

from shop.core import limits
from shop.core.client_address import client_address
from shop.core.clocks import are_over
from shop.core.errors import page_expired
from shop.core.problems import Problem
from shop.core.request_kind import is_api

_KEY: Final = "kept_form"
# Beside passwords: what proves who asks is given anew.
_PROOFS: Final = ("csrfmiddlewaretoken", "code", "proof_code", "credential")
# A longer form, or one with files, waits in the browser: with the limit, no stranger fills the table of sessions.
_LONGEST: Final = 20_000
# Long enough to sign in, too short for who uses the same browser next.
_SECONDS: Final = 900

View = Callable[..., HttpResponseBase]


def members_only(view: View) -> View:
    """A view for who is signed in, cached nowhere. A form whose session had ended is offered again once they are."""

    @wraps(view)
    @never_cache
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return ask_to_sign_in(request)
        try:
            return offer_kept(request) or view(request, *args, **kwargs)
        except NotAuthenticated:
            # The account was closed since: nothing of what was typed is kept for it.
            return redirect_to_login(request.get_full_path())

    return guarded


def ask_to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Send whoever is not signed in there. What a form brings is kept until they are; where it can't be kept whole, the
    answer holds it, to be sent once they signed in beside it."""
    if request.method == "POST":
        typed = urlencode(_typed(request.POST))
        if request.FILES or len(typed) > _LONGEST:
            return send_again(request, request.POST, HTTPStatus.FORBIDDEN, asks_sign_in=True)
        try:
            limits.enforce(limits.KEPT_FORM_NETWORK, client_address(request))
        except Problem as refusal:
            return refusal.set_headers(render(request, "errors/429.html", status=refusal.status))
        request.session[_KEY] = [request.path, typed, int(time.time())]
    return redirect_to_login(request.get_full_path())


def keeps_form(request: HttpRequest, address: str) -> bool:
    """Return whether a form for this address waits until its sender has signed in."""
    path, _typed_then, kept_at = request.session.get(_KEY, ("", "", 0))
    return path == address.partition("?")[0] and not are_over(_SECONDS, kept_at)


def offer_kept(request: HttpRequest) -> HttpResponse | None:
    """Return the page that sends the form again that was kept for this address, once; None where there is none."""
    if request.method in ("GET", "HEAD") and (fields := _take(request)) is not None:
        return send_again(request, fields)
    return None


def csrf_failure(request: HttpRequest, reason: str = "", **kwargs: Any) -> HttpResponseBase:
    """A form of ours that another tab has outlived by signing in or out is offered again; nothing is lost."""
    is_ours = request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    if is_ours and not is_api(request):
        return send_again(request, request.POST, HTTPStatus.FORBIDDEN)
    return page_expired(request)


def send_again(
    request: HttpRequest, fields: QueryDict, status: int = 200, *, asks_sign_in: bool = False
) -> HttpResponse:
    """The page that sends a form again, as it was typed. Files can't be kept: the page says so. It is in no other
    language: a link there would lose the form, or ask for an address that takes forms alone."""
    request.language_links = []  # type: ignore[attr-defined]
    context = {
        "fields": _typed(fields),
        "has_files": bool(request.FILES),
        "asks_sign_in": asks_sign_in,
    }
    return render(request, "errors/send_again.html", context, status=status)


def _typed(fields: QueryDict) -> list[tuple[str, str]]:
    return [
        (name, value)
        for name, values in fields.lists()
        if name not in _PROOFS and "password" not in name
        for value in values
    ]


def _take(request: HttpRequest) -> QueryDict | None:
    """Return what was typed for this address, once."""
    path, typed, kept_at = request.session.get(_KEY, ("", "", 0))
    if path != request.path:
        return None
    del request.session[_KEY]
    return None if are_over(_SECONDS, kept_at) else QueryDict(typed)
