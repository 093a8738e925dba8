"""Addresses of the shop's own pages: absolute ones, and the home page in each language."""

from __future__ import annotations

from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import URLPattern, URLResolver
from django.urls.resolvers import LocalePrefixPattern
from django.views.decorators.http import require_safe

from shop.core.languages import active_language


def absolute_url(path: str) -> str:
    """Return a page's full address, made from ``SITE_URL`` and never from the Host header of a request.

    ``path`` starts with a slash. Mails are written with it, so a forged Host puts no foreign link in.
    """
    return f"{settings.SITE_URL}{path}"


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
    path = "/" + quote((rest or "").replace("\\", "/").lstrip("/"))
    query = request.META.get("QUERY_STRING", "")
    return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)
