"""Public pages are the same bytes for every visitor, so each is made once and cached whole.

A view says so with `@public_page`. A cached page is dropped the moment `content_changed` is called by a service that
changed something such a page shows, and after `PAGE_CACHE_SECONDS`, at midnight or at the next boundary
(`shop.core.boundaries`) in any case, because pages also speak of dates and of what starts or ends by itself. Browsers
and proxies may store a page but must ask whether it is still the one (an ETag, answered 304).
While the database is away the last page of an address is answered, however old, rather than an error.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from http import HTTPStatus
from typing import Any, Concatenate, NamedTuple, ParamSpec
from urllib.parse import urlencode

import brotli
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from shop.core.boundaries import seconds_to_boundary
from shop.core.content_version import content_version
from shop.core.fragment_cache import FragmentCache, fragments_of

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
Allowed = Callable[[str], bool]

FRAGMENT_HEADER = "X-Fragment"
_LATER_PAGE = re.compile(r"[2-9]|[1-9][0-9]{1,8}")
# A page's address names it; longer ones are somebody's experiment.
_LONGEST_ADDRESS = 300
# Of one process: some 20 MB at most.
_MAX_PAGES = 256
# Brotli's window: 256 KB hold any page, and four threads do not take 4 MB each.
_WINDOW_BITS = 18
_OF_THE_BODY = ("Content-Length", "Content-Encoding")


class Address(NamedTuple):
    """What a page is cached under."""

    secure: bool
    path: str
    query: str
    fragment: str


@dataclass(frozen=True, slots=True)
class PublicPage:
    """A page as it is sent, with all its headers. `quality` is brotli's, from 1 (quick) to 11."""

    content: bytes
    headers: dict[str, str]
    etag: str
    quality: int
    _encoded: dict[str, tuple[bytes, dict[str, str]]] = field(default_factory=dict)

    def encoded(self, coding: str) -> tuple[bytes, dict[str, str]]:
        """Return the bytes in a content coding ("" for none) with their headers; compressed when first asked for.

        Compression tells nothing here (BREACH): a public page holds no secret and nothing of who asks.
        """
        found = self._encoded.get(coding)
        if found is None:
            body = self.content
            if coding == "br":
                body = brotli.compress(body, mode=brotli.MODE_TEXT, quality=self.quality, lgwin=_WINDOW_BITS)
            elif coding == "gzip":
                body = gzip.compress(body, self.quality, mtime=0)
            headers = {**self.headers, "Content-Length": str(len(body))}
            if coding:
                headers["Content-Encoding"] = coding
            found = self._encoded[coding] = (body, headers)
        return found


page_cache: FragmentCache[Address, PublicPage] = FragmentCache(_MAX_PAGES)


def is_later_page(text: str) -> bool:
    """Return whether `text` is a page's number as the shop's own links write it: the first page has none."""
    return _LATER_PAGE.fullmatch(text) is not None


def public_page(
    *, params: Mapping[str, Allowed] | None = None, fragments: Collection[str] = ()
) -> Callable[[View[P]], View[P]]:
    """Mark a view whose page is the same for everybody, made of fragments (`shop.core.fragment_cache`).

    `params` are the query parameters that change it, each with the test that its known values pass, and `fragments`
    the parts that the header `X-Fragment` may ask for. Asked for with anything else, a parameter given twice included,
    the page is made anew each time: only addresses that the shop itself writes can take a place in the cache.
    """
    allowed = dict(params or {})

    def is_own_address(request: HttpRequest) -> bool:
        given = [(name, value) for name, values in request.GET.lists() for value in values]
        return (
            request.headers.get(FRAGMENT_HEADER, "") in ("", *fragments)
            and len(given) == len(request.GET)
            and all(name in allowed and allowed[name](value) for name, value in given)
            # The page's links to other languages repeat the query: only as the shop writes it.
            and request.META.get("QUERY_STRING", "") == urlencode(given)
        )

    def mark(view: View[P]) -> View[P]:
        @wraps(view)
        def marked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            with fragments_of(content_version()):
                response = view(request, *args, **kwargs)
            if isinstance(response, HttpResponse) and response.status_code == 200:
                response.public_page = is_own_address(request)  # type: ignore[attr-defined]
            return response

        return marked

    return mark


class PublicPageMiddleware:
    """Answers cached pages before anything else runs, and caches those that a view has marked.

    It stands outside every other middleware that changes answers, so that a page is cached with all its headers.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        address = _address(request)
        version = content_version() if address else None
        if address is None or version is None:
            return self._fresh(request, None, "")
        page = page_cache.find(address, version)
        if page is None:
            return self._fresh(request, address, version)
        # Refuses a foreign Host header, as the middleware that is skipped would.
        request.get_host()
        return _answer(request, page)

    def _fresh(self, request: HttpRequest, address: Address | None, version: str) -> HttpResponseBase:
        since = timezone.now()
        response = self.get_response(request)
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            outdated = self._outdated(request)
            return response if outdated is None else _answer(request, outdated)
        if not isinstance(response, HttpResponse) or not hasattr(response, "public_page"):
            return response
        if response.cookies or "cookie" in response.headers.get("Vary", "").lower():
            return response
        cacheable = address is not None and response.public_page and request.method == "GET"
        page = _page(response, quality=5 if cacheable else 1)
        if cacheable and address is not None:
            seconds = seconds_to_boundary(since, version, most=settings.PAGE_CACHE_SECONDS)
            page_cache.put(address, page, version, seconds=seconds)
        return _answer(request, page)

    def _outdated(self, request: HttpRequest) -> PublicPage | None:
        """Return the last page of this address, for while the database is away. Whoever asked had a known host."""
        address = _address(request)
        return None if address is None else page_cache.find_outdated(address)


def _address(request: HttpRequest) -> Address | None:
    """Return the key of a cached page; None where none is cached. Plain HTTP is sent to HTTPS and has other headers."""
    if request.method not in ("GET", "HEAD") or not settings.PAGE_CACHE_SECONDS:
        return None
    path, query = request.path_info, request.META.get("QUERY_STRING", "")
    fragment = request.headers.get(FRAGMENT_HEADER, "")
    if len(path) + len(query) + len(fragment) > _LONGEST_ADDRESS:
        return None
    return Address(request.is_secure(), path, query, fragment)


def _page(response: HttpResponse, *, quality: int) -> PublicPage:
    patch_vary_headers(response, ["Accept-Encoding"])
    content = response.content
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers: dict[str, Any] = {
        name: value for name, value in response.headers.items() if name not in _OF_THE_BODY
    }
    headers |= {"ETag": etag, "Cache-Control": "public, no-cache"}
    return PublicPage(content, headers, etag, quality)


def _answer(request: HttpRequest, page: PublicPage) -> HttpResponse:
    condition = request.META.get("HTTP_IF_NONE_MATCH")
    if condition and _matches(condition, page.etag):
        return HttpResponseNotModified(headers=page.headers)
    body, headers = page.encoded(_best_coding(request.META.get("HTTP_ACCEPT_ENCODING", "")))
    return HttpResponse(body, headers=headers)


def _matches(condition: str, etag: str) -> bool:
    """Return whether the browser has this very page; a weak comparison, as conditional GETs use."""
    known = parse_etags(condition)
    return etag in known or etag.removeprefix("W/") in known or "*" in known


@lru_cache(maxsize=128)
def _best_coding(accepted: str) -> str:
    """Return the best coding that `Accept-Encoding` names: "br", "gzip", or "" for plain bytes."""
    wanted = set()
    for part in accepted.lower().split(","):
        name, _, parameter = part.partition(";")
        if parameter.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            wanted.add(name.strip())
    return next((coding for coding in ("br", "gzip") if coding in wanted), "")
