"""Sitemaps, robots.txt and the icon. Every address of a sitemap is absolute, from SITE_URL, in all four languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from xml.sax.saxutils import escape

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from blog.selectors.sitemap import article_entries
from catalog.selectors.addresses import (
    SitemapEntry,
    category_url,
    paths_in_each_language,
    product_entries,
    sitemap_count,
)
from catalog.selectors.categories import CategoryCard, category_cards
from catalog.selectors.category_rows import all_categories
from shop.core.page_slugs import localized
from shop.core.site import absolute_url

_XML = "application/xml; charset=utf-8"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_URLSET = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
)
_PAGES = (
    "home",
    "catalog:list",
    "blog:list",
    "story",
    "contact",
    "faq",
    "catalog:review-rules",
    "blog:newsletter",
    "blog:newsletter-letters",
    "terms",
    "privacy",
    "cookies",
    "legal-notice",
)
# The pictures that stand in the templates themselves.
_SCENES = {"home": ("yeux",), "story": ("etabli", "plateau", "etagere")}
# Pages of one visitor, in the words of each language, and endpoints that are no pages. Cart and checkout are none of
# them: they are the same for everybody.
_CLOSED_PAGES = (
    "/%(payment_result)s",
    "/%(order)s/",
    "/%(tracking)s",
    "/%(auth)s",
    "/%(members)s",
    "/%(favourites)s",
    "/%(notices)s/",
    *(f"/%(newsletter)s/%({word})s" for word in ("asked", "confirm", "preferences", "unsubscribe")),
)
_CLOSED = ("/api/", "/webhooks/")


@require_safe
@cache_control(public=True, max_age=86400)
def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """`/favicon.ico`: where feed readers, previews of links and bookmarks look for the icon without reading a page."""
    return HttpResponseRedirect(static("favicon.ico"))


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What crawlers may read. The path of the administration is not named: it would be an invitation."""
    closed = list(_CLOSED)
    for code, _label in settings.LANGUAGES:
        with translation.override(code):
            prefix = "" if code == settings.LANGUAGE_CODE else f"/{code}"
            closed += [f"{prefix}{localized(page)}{end}" for page in _CLOSED_PAGES for end in _ends(page)]
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in closed),
        "Disallow: /*?*search=",
        "",
        f"Sitemap: {absolute_url('/sitemap.xml')}",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


def _ends(page: str) -> tuple[str, ...]:
    """What closes a page with all below it, and not the collection `/es/accesorios` with `/es/acceso` (RFC 9309)."""
    return ("",) if page.endswith("/") else ("$", "/", "?")


@require_safe
def sitemap_index(request: HttpRequest) -> HttpResponse:
    """List the sitemaps. One query."""
    paths = [reverse("sitemap-pages")]
    paths += [reverse("sitemap-products", args=[number]) for number in range(1, sitemap_count() + 1)]
    entries = "".join(f"<sitemap><loc>{escape(absolute_url(path))}</loc></sitemap>\n" for path in paths)
    return HttpResponse(
        f'{_HEAD}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</sitemapindex>\n',
        content_type=_XML,
    )


@require_safe
def page_sitemap(request: HttpRequest) -> HttpResponseBase:
    """List pages, categories and articles."""
    pages = [
        SitemapEntry(
            paths_in_each_language(partial(reverse, name)),
            tuple(static(f"scenes/{scene}-1280.jpg") for scene in _SCENES.get(name, ())),
        )
        for name in _PAGES
    ]
    rows = {row.slug: row for row in all_categories()}
    pages += [
        SitemapEntry(paths_in_each_language(partial(category_url, rows[card.slug])), _picture_of(card))
        for card in category_cards()
        if card.listed
    ]
    return StreamingHttpResponse(_urlset([*pages, *article_entries()]), content_type=_XML)


@require_safe
def product_sitemap(request: HttpRequest, number: int) -> HttpResponseBase:
    """One file of products with their pictures, `SITEMAP_SIZE` at most. 404 beyond the last one."""
    if not 1 <= number <= sitemap_count():
        raise Http404
    return StreamingHttpResponse(_urlset(product_entries(number)), content_type=_XML)


def _picture_of(card: CategoryCard) -> tuple[str, ...]:
    return (card.image.url,) if card.image else ()


def _urlset(entries: Iterable[SitemapEntry]) -> Iterator[str]:
    yield _HEAD + _URLSET
    for entry in entries:
        named = {**entry.paths, "x-default": entry.paths[settings.LANGUAGE_CODE]}
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{code}" href="{escape(absolute_url(path))}"/>'
            for code, path in named.items()
        )
        changed = (
            f"<lastmod>{timezone.localdate(entry.changed_at).isoformat()}</lastmod>"
            if entry.changed_at
            else ""
        )
        pictures = "".join(
            f"<image:image><image:loc>{escape(absolute_url(picture))}</image:loc></image:image>"
            for picture in entry.pictures
        )
        for path in entry.paths.values():
            yield f"<url><loc>{escape(absolute_url(path))}</loc>{changed}{links}{pictures}</url>\n"
    yield "</urlset>\n"
