"""Public pages are the same bytes for every visitor, so each is made once and kept whole.

A view says so with `@public_page`. What is kept is dropped the moment `content_changed` is called by a service that
changed something such a page shows, and after `PAGE_CACHE_SECONDS` in any case, because pages also speak of dates.
Browsers and proxies may keep a page but must ask whether it is still the one (an ETag, answered 304).
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import brotli
from django.conf import settings
from django.core.cache import cache, caches
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

_VERSION = "public-pages:version"
_KEPT_HEADERS = ("Content-Type", "Content-Language", "Link", "X-Robots-Tag")
_FRAGMENT = "HTTP_X_FRAGMENT"
# A page's address names it; longer ones are somebody's experiment.
_LONGEST_ADDRESS = 300


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as it is sent: its bytes, the same compressed, and the headers that belong to it."""

    body: bytes
    compressed: bytes
    etag: str
    headers: tuple[tuple[str, str], ...]
    vary: str


def public_page(*, params: tuple[str, ...] = ()) -> Callable[[View[P]], View[P]]:
    """Marks a view whose page is the same for everybody. `params` are the query parameters that change it;
    with any other one the page is made anew each time, so that nobody can fill the cache."""

    def mark(view: View[P]) -> View[P]:
        @wraps(view)
        def marked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            response = view(request, *args, **kwargs)
            if isinstance(response, HttpResponse) and response.status_code == 200:
                response.public_page = set(request.GET) <= set(params)  # type: ignore[attr-defined]
            return response

        return marked

    return mark


def content_changed() -> None:
    """What public pages show has changed: every kept page is dropped once the transaction is committed."""
    transaction.on_commit(lambda: caches["shared"].set(_VERSION, uuid.uuid4().hex, None), robust=True)


class PublicPageMiddleware:
    """Answers kept pages before anything else runs, and keeps those that a view has marked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not settings.PAGE_CACHE_SECONDS:
            return self._fresh(request, None)
        address = request.get_full_path()
        if len(address) > _LONGEST_ADDRESS:
            return self._fresh(request, None)
        # Refuses a foreign Host header before a kept page could answer it.
        request.get_host()
        key = self._key(address, request.META.get(_FRAGMENT, ""))
        kept: KeptPage | None = cache.get(key)
        if kept is None:
            return self._fresh(request, key)
        return _answer(request, kept)

    def _fresh(self, request: HttpRequest, key: str | None) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or not hasattr(response, "public_page"):
            return response
        if response.cookies or "cookie" in response.headers.get("Vary", "").lower():
            return response
        page = _keep(response)
        if key is not None and response.public_page and request.method == "GET":
            cache.set(key, page, settings.PAGE_CACHE_SECONDS)
        return _answer(request, page)

    @staticmethod
    def _key(address: str, fragment: str) -> str:
        version = caches["shared"].get(_VERSION, "")
        named = f"{version}|{timezone.localdate()}|{fragment[:40]}|{address}"
        return f"public-page:{hashlib.sha256(named.encode()).hexdigest()}"


def _keep(response: HttpResponse) -> KeptPage:
    body = response.content
    patch_vary_headers(response, ["Accept-Encoding"])
    return KeptPage(
        body=body,
        compressed=brotli.compress(body, mode=brotli.MODE_TEXT, quality=5),
        etag=f'"{hashlib.sha256(body).hexdigest()[:32]}"',
        headers=tuple((name, response.headers[name]) for name in _KEPT_HEADERS if name in response.headers),
        vary=response.headers["Vary"],
    )


def _answer(request: HttpRequest, page: KeptPage) -> HttpResponse:
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    response: HttpResponse
    if page.etag in known or f"W/{page.etag}" in known or "*" in known:
        response = HttpResponseNotModified()
    elif "br" in {
        coding.partition(";")[0].strip() for coding in request.META.get("HTTP_ACCEPT_ENCODING", "").split(",")
    }:
        response = HttpResponse(page.compressed)
        response.headers["Content-Encoding"] = "br"
    else:
        response = HttpResponse(page.body)
    headers: dict[str, Any] = dict(page.headers)
    if response.status_code == 304:
        headers.pop("Content-Type", None)
    for name, value in headers.items():
        response.headers[name] = value
    response.headers["ETag"] = f"W/{page.etag}"
    response.headers["Vary"] = page.vary
    response.headers["Cache-Control"] = "public, no-cache"
    if response.status_code == 200:
        response.headers["Content-Length"] = str(len(response.content))
    return response
