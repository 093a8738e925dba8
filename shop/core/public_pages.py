"""Public pages are the same bytes for every visitor, so each is made once and cached whole.

A view says so with `@public_page`. A cached page is dropped the moment `content_changed` is called by a service that
changed something such a page shows, and after `PAGE_CACHE_SECONDS`, at midnight or at the next boundary
(`shop.core.boundaries`) in any case, because pages also speak of dates and of what starts or ends by itself. Of the
threads that miss a page at once, one makes it; those that have one whose seconds alone are over answer with that.
Browsers may store a page but must ask whether it is still the one (an ETag, answered 304). So must proxies, unless
`PROXY_CACHE_SECONDS` lets them answer for so long without asking: the answer to a change by staff then comes as much
later, so that whoever has seen it saved sees it everywhere.
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
from time import sleep
from typing import Any, Concatenate, NamedTuple, ParamSpec
from urllib.parse import urlencode

import brotli
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from shop.core.boundaries import seconds_to_boundary
from shop.core.content_version import SHARED_SECONDS, content_version, current_content_version
from shop.core.fragment_cache import FragmentCache, Makers, fragments_of
from shop.core.request_kind import is_staff_area

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
_GZIP_LEVEL = 5
# How long a thread waits for a page that another one makes, before it makes its own.
_PATIENCE_SECONDS = 5.0
_OF_THE_BODY = ("Content-Length", "Content-Encoding")


class Address(NamedTuple):
    """What a page is cached under."""

    secure: bool
    path: str
    query: str
    fragment: str


@dataclass(frozen=True, slots=True)
class PublicPage:
    """A page as it is sent, with all its headers. `compressed` by brotli it is what nearly every browser asks for, and
    a fifth of the plain bytes: those are not stored."""

    compressed: bytes
    headers: dict[str, str]
    etag: str
    _encoded: dict[str, tuple[bytes, dict[str, str]]] = field(default_factory=dict)

    def encoded(self, coding: str) -> tuple[bytes, dict[str, str]]:
        """Return the bytes in a content coding ("" for none) with their headers.

        Compression tells nothing here (BREACH): a public page holds no secret and nothing of who asks.
        """
        found = self._encoded.get(coding)
        if found is None:
            body = self.compressed if coding == "br" else brotli.decompress(self.compressed)
            if coding == "gzip":
                body = gzip.compress(body, _GZIP_LEVEL, mtime=0)
            headers = {**self.headers, "Content-Length": str(len(body))}
            if not coding:
                return body, headers
            headers["Content-Encoding"] = coding
            found = self._encoded[coding] = (body, headers)
        return found


@dataclass(frozen=True, slots=True)
class _Asked:
    """A page that is not cached, of the version of the content that it is to be made of."""

    address: Address
    version: str


class _FoundPage(HttpResponse):
    """Stands for a page that another thread has made meanwhile."""

    def __init__(self, page: PublicPage) -> None:
        super().__init__()
        self.page = page


page_cache: FragmentCache[Address, PublicPage] = FragmentCache(_MAX_PAGES)
_makers: Makers[Address] = Makers()


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
            request.is_public_page = True  # type: ignore[attr-defined]
            asked: _Asked | None = getattr(request, "asked_page", None)
            is_own = is_own_address(request)
            if is_own and asked is not None and (found := _made_by_another(asked)) is not None:
                return _FoundPage(found)
            with fragments_of(content_version() if asked is None else asked.version):
                response = view(request, *args, **kwargs)
            if isinstance(response, HttpResponse) and response.status_code == 200:
                response.public_page = is_own  # type: ignore[attr-defined]
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
        if request.method not in ("GET", "HEAD"):
            return self._after_others(request)
        address = _address(request)
        version = content_version() if address else None
        if address is None or version is None:
            return self._fresh(request, None)
        page = page_cache.find(address, version)
        if page is None:
            asked = request.asked_page = _Asked(address, version)  # type: ignore[attr-defined]
            try:
                return self._fresh(request, asked)
            finally:
                _makers.end(address)
        if not _names_the_shop(request):
            # Refused by a middleware that is skipped here, and answered with the headers of every page.
            return self._fresh(request, None)
        return _answer(request, page)

    def _fresh(self, request: HttpRequest, asked: _Asked | None) -> HttpResponseBase:
        since = timezone.now()
        response = self.get_response(request)
        if isinstance(response, _FoundPage):
            return _answer(request, response.page)
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            outdated = self._outdated(request)
            return response if outdated is None else _answer(request, outdated)
        if not isinstance(response, HttpResponse) or not hasattr(response, "public_page"):
            return response
        if response.cookies or "cookie" in response.headers.get("Vary", "").lower():
            return response
        cacheable = asked is not None and response.public_page and request.method == "GET"
        page = _page(response, quality=5 if cacheable else 1)
        if cacheable and asked is not None:
            most = settings.PAGE_CACHE_SECONDS
            true_for = seconds_to_boundary(since, asked.version, most=2 * most)
            page_cache.put(asked.address, page, asked.version, seconds=min(most, true_for), true_for=true_for)
        return _answer(request, page)

    def _after_others(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a change by staff when no other process and no proxy answers any more with a page from before it.

        It holds its thread meanwhile: a synchronous server ends an answer only in the thread that began it, and what
        browsers waited for after it would not hold programs back. Only who runs proxies that keep pages pays more than
        a moment for it, with a thread for two seconds a saved change that public pages show.
        """
        # A proxy counts whole seconds, and may have asked just before.
        proxies = settings.PROXY_CACHE_SECONDS + 1 if settings.PROXY_CACHE_SECONDS else 0
        seconds = proxies or (SHARED_SECONDS if settings.REDIS_URL else 0)
        if not seconds or not is_staff_area(request):
            return self.get_response(request)
        before = current_content_version()
        response = self.get_response(request)
        if current_content_version() != before:
            sleep(seconds)
        return response

    def _outdated(self, request: HttpRequest) -> PublicPage | None:
        """Return the last page of this address, for while the database is away. Whoever asked had a known host."""
        address = _address(request)
        return None if address is None else page_cache.find_outdated(address)


def _names_the_shop(request: HttpRequest) -> bool:
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True


def _made_by_another(asked: _Asked) -> PublicPage | None:
    """Return the page that another thread makes or has made, or None: this one is to make it."""
    made = _makers.begin(asked.address)
    if made is None:
        # Between the look into the cache and here it may have been made.
        return page_cache.find(asked.address, asked.version)
    shown = page_cache.find_while_made(asked.address, asked.version)
    if shown is None and made.wait(_PATIENCE_SECONDS):
        shown = page_cache.find(asked.address, asked.version)
    return shown


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
    """Return the page of an answer; `quality` is brotli's, from 1 (quick) to 11."""
    patch_vary_headers(response, ["Accept-Encoding"])
    content = response.content
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers: dict[str, Any] = {
        name: value for name, value in response.headers.items() if name not in _OF_THE_BODY
    }
    headers |= {"ETag": etag, "Cache-Control": _cache_control()}
    compressed = brotli.compress(content, mode=brotli.MODE_TEXT, quality=quality, lgwin=_WINDOW_BITS)
    return PublicPage(compressed, headers, etag)


def _cache_control() -> str:
    seconds = settings.PROXY_CACHE_SECONDS
    if not seconds:
        return "public, no-cache"
    # While the shop does not answer at all, an old page is better than none.
    return f"public, max-age=0, s-maxage={seconds}, stale-if-error=3600"


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
