"""Addresses of the shop's own pages: absolute ones, and the home page in each language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import NoReverseMatch, Resolver404, URLPattern, URLResolver, get_resolver, resolve, reverse
from django.urls.resolvers import LocalePrefixPattern
from django.utils import translation
from django.views.decorators.http import require_safe

from shop.core.languages import active_language, language_of_path

# The one page whose address is a word of staff's choice.
COLLECTION_VIEW = "catalog:collection"
# Of a route (`media/<path>`) or of a pattern (`^avis-clients$`).
_FIRST_WORD = re.compile(r"\^?([-\w.]+)")


def absolute_url(path: str) -> str:
    """Return a page's full address, made from ``SITE_URL`` and never from the Host header of a request.

    ``path`` starts with a slash, or is the address of a picture in S3 storage, which is returned as it is. Mails are
    written with it, so a forged Host puts no foreign link in.
    """
    return f"{settings.SITE_URL}{path}" if path.startswith("/") else path


class LanguageRoot(LocalePrefixPattern):
    """A language prefix that is the whole path (`/`, `/en`, `/es`, `/de`), without the slash that Django would add.

    Other pages stand under `i18n_patterns`, whose prefix ends in `/`.
    """

    @property
    def language_prefix(self) -> str:
        code = active_language()
        return "" if code == settings.LANGUAGE_CODE else code

    @classmethod
    def resolver(cls, pages: list[URLPattern]) -> URLResolver:
        """Return the resolver to put into `urlpatterns`; `pages` holds the one page of the empty path."""
        return URLResolver(cls(prefix_default_language=False), pages)


@require_safe
def redirect_from_prefix(request: HttpRequest, rest: str | None = None) -> HttpResponsePermanentRedirect:
    """Lead from the prefix that the source language does not have (`/fr/faq`) to the page itself (301)."""
    # A path that began with several slashes, or a backslash, would be read as another host.
    return redirect_for_good("/" + quote((rest or "").replace("\\", "/").lstrip("/")), request)


def redirect_for_good(path: str, request: HttpRequest) -> HttpResponsePermanentRedirect:
    """Lead to a page's own address (301) with the query that was asked for: a choice, or the words of a campaign."""
    query = request.META.get("QUERY_STRING", "")
    return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)


def path_in_own_words(path: str) -> str | None:
    """Return where a page of the shop stands that `path` names in another language's words: `/de/warenkorb` for
    `/de/panier` and `/de/cart`, `/panier` for `/fr/panier`, or with capitals in its prefix (`/DE/warenkorb`). None for
    any other path, and for what has no language.
    """
    language = language_of_path(path)
    if language is None:
        return None
    prefix = f"/{language}"
    rest = path[len(prefix) :] if path.lower().startswith(prefix) else path
    for words, _name in settings.LANGUAGES:
        asked = (rest if words == settings.LANGUAGE_CODE else f"/{words}{rest}") or "/"
        with translation.override(words):
            try:
                match = resolve(asked)
            except Resolver404:
                continue
        if not match.view_name or match.view_name == COLLECTION_VIEW:
            continue
        addresses = _in_each_language(match.view_name, match.kwargs)
        # What has no language, such as a call, is the same in each.
        if addresses.get(words) == asked and len(set(addresses.values())) > 1 and addresses[language] != path:
            return addresses[language]
    return None


@lru_cache(maxsize=2)
def page_words(*, without_operators: bool = False) -> frozenset[str]:
    """Return every word that begins an address of the shop, in any language: no category may be called so.

    `without_operators`: but that of ADMIN_PATH."""
    words = {"admin", *(code for code, _name in settings.LANGUAGES)}
    words |= {settings.STATIC_URL.strip("/"), settings.MEDIA_URL.strip("/")}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            words |= set(
                _first_words(
                    entry
                    for entry in get_resolver().url_patterns
                    if not (without_operators and getattr(entry, "app_name", None) == "admin")
                )
            )
    return frozenset(word.lower() for word in words)


def _first_words(patterns: Iterable[URLPattern | URLResolver]) -> Iterator[str]:
    for entry in patterns:
        pattern = entry.pattern
        route = str(pattern)
        found = _FIRST_WORD.match(route)
        if found:
            yield found[1]
        if isinstance(entry, URLResolver) and (isinstance(pattern, LocalePrefixPattern) or not route):
            yield from _first_words(entry.url_patterns)


def _in_each_language(view_name: str, kwargs: dict[str, Any]) -> dict[str, str]:
    addresses = {}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            try:
                addresses[code] = reverse(view_name, kwargs=kwargs)
            except NoReverseMatch:
                return {}
    return addresses
