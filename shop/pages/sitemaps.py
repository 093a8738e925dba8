"""Sitemaps and robots.txt. Every address is absolute, made from SITE_URL, in all four languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_safe

from catalog.selectors.categories import collection_categories, main_categories
from catalog.selectors.sitemap import product_addresses, sitemap_count
from shop.core.site import absolute_url

_XML = "application/xml; charset=utf-8"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
_PAGES = (
    "home",
    "catalog:list",
    "story",
    "contact",
    "faq",
    "catalog:review-rules",
    "terms",
    "privacy",
    "legal-notice",
)
# Pages of one visitor, and endpoints that are no pages.
_CLOSED = (
    "/api/",
    "/webhooks/",
    "/panier",
    "/checkout",
    "/payment-success",
    "/commande/",
    "/auth",
    "/espace-membre",
    "/favoris",
    "/avis/",
)

Addresses = dict[str, str]


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What crawlers may read. The path of the administration is not named: it would be an invitation."""
    prefixes = ["", *(f"/{code}" for code, _label in settings.LANGUAGES if code != settings.LANGUAGE_CODE)]
    closed = [
        f"Disallow: {prefix}{path}"
        for prefix in prefixes
        for path in _CLOSED
        if not (prefix and path in ("/api/", "/webhooks/"))
    ]
    lines = [
        "User-agent: *",
        *closed,
        "Disallow: /*?*search=",
        "",
        f"Sitemap: {absolute_url('/sitemap.xml')}",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
def sitemap_index(request: HttpRequest) -> HttpResponse:
    """Lists the sitemaps. One query."""
    paths = [reverse("sitemap-pages")]
    paths += [reverse("sitemap-products", args=[number]) for number in range(1, sitemap_count() + 1)]
    entries = "".join(f"<sitemap><loc>{escape(absolute_url(path))}</loc></sitemap>\n" for path in paths)
    return HttpResponse(
        f'{_HEAD}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</sitemapindex>\n',
        content_type=_XML,
    )


@require_safe
def page_sitemap(request: HttpRequest) -> HttpResponseBase:
    """Pages and categories. Two queries."""
    pages = [_in_each_language(name) for name in _PAGES]
    pages += [
        _in_each_language("catalog:collection", slug=card.slug)
        for card in collection_categories()
        if card.count
    ]
    pages += [
        {code: f"{path}?category={card.slug}" for code, path in _in_each_language("catalog:list").items()}
        for card in main_categories()
        if card.count
    ]
    return _answer((addresses, "") for addresses in pages)


@require_safe
def product_sitemap(request: HttpRequest, number: int) -> HttpResponseBase:
    """One file of products, `SITEMAP_SIZE` at most. 404 beyond the last one."""
    if not 1 <= number <= sitemap_count():
        raise Http404
    return _answer(
        (addresses, changed_at.date().isoformat()) for addresses, changed_at in product_addresses(number)
    )


def _in_each_language(name: str, **kwargs: str) -> Addresses:
    addresses = {}
    for code, _label in settings.LANGUAGES:
        with translation.override(code):
            addresses[code] = reverse(name, kwargs=kwargs or None)
    return addresses


def _answer(entries: Iterable[tuple[Addresses, str]]) -> StreamingHttpResponse:
    return StreamingHttpResponse(_urlset(entries), content_type=_XML)


def _urlset(entries: Iterable[tuple[Addresses, str]]) -> Iterator[str]:
    yield _HEAD + _URLSET
    for addresses, changed_on in entries:
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{code}" href="{escape(absolute_url(path))}"/>'
            for code, path in addresses.items()
        )
        changed = f"<lastmod>{changed_on}</lastmod>" if changed_on else ""
        for path in addresses.values():
            yield f"<url><loc>{escape(absolute_url(path))}</loc>{changed}{links}</url>\n"
    yield "</urlset>\n"
