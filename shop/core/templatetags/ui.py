"""Small pieces of interface that a template can't write by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.core.paginator import Page
from django.template.context import Context
from django.templatetags.static import static
from django.urls import translate_url
from django.utils.formats import number_format
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from shop.core.images import ImageInfo
from shop.core.languages import active_language
from shop.core.money import format_amount
from shop.core.templatetags.seo import query_in

register = template.Library()

# Where the ruler stands and how long its ticks are, in per cent of the photo's width.
_RULER, _LONG, _SHORT = 96.5, 4.5, 2.3


# Pages show dozens; templates name them, so there are few.
@register.simple_tag
@lru_cache(maxsize=256)
def icon(name: str, size: str = "") -> SafeString:
    """A pictogram of `static/icons.svg`, hidden from screen readers. `size` is "large" or empty."""
    return format_html(
        '<svg class="icon{}" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        f" icon--{size}" if size else "",
        static("icons.svg"),
        name,
    )


@dataclass(frozen=True, slots=True)
class LanguageLink:
    """This page in one language; `url` is a path, so that it works on whatever host serves the page."""

    code: str
    label: str
    url: str
    current: bool


@register.filter
def megabytes(size: int) -> str:
    """The size of a file as everybody says it: « 0,4 Mo », where Django's filter says « 361,7 Kio »."""
    return _("%(size)s\u00a0Mo") % {
        "size": number_format(max(round(size / 1_000_000, 1), 0.1), decimal_pos=1)
    }


@register.filter
def round_amount(value: Decimal) -> str:
    """A limit rather than a price: « 50 € », and « 49,90 € » where there are cents."""
    return re.sub(r"[.,]00(?!\d)", "", format_amount(value, active_language()))


def language_links(context: Context) -> list[LanguageLink]:
    """Links to this page in every language, query included. A page that has no address in them links home."""
    request = context.get("request")
    current = active_language()
    if request is None:
        return []
    known: list[LanguageLink] | None = getattr(request, "language_links", None)
    if known is not None:
        return known
    asked = request.META.get("QUERY_STRING", "")
    alternates: Sequence[tuple[str, str, str]] = context.get("alternates") or ()
    paths = {code: url.removeprefix(settings.SITE_URL) for code, _label, url in alternates}
    match = getattr(request, "resolver_match", None)
    unknown_page = match is None or not match.view_name
    links = []
    for code, label in settings.LANGUAGES:
        if unknown_page:
            path = "/" if code == settings.LANGUAGE_CODE else f"/{code}"
        else:
            path = paths.get(code) or translate_url(request.path, code)
            query = query_in(context, code).urlencode() if context.get("query_words") else asked
            path += f"?{query}" if query else ""
        links.append(LanguageLink(code, label, path, code == current))
    # A page shows them three times.
    request.language_links = links
    return links


@register.filter
def document_number(number: str) -> SafeString:
    """« F-2026-00001 » on one line: a narrow page would break it behind a hyphen."""
    return format_html('<span class="document-number">{}</span>', number)


@register.simple_tag(takes_context=True)
def language_items(context: Context, css: str = "") -> SafeString:
    """`language_links` as links with their language, the current one marked; each in an item of a list without `css`,
    which is the class of a link in a menu."""
    links = [
        f'href="{escape(link.url)}" hreflang="{link.code}" lang="{link.code}"'
        + (' aria-current="true">' if link.current else ">")
        + f"{escape(link.label)}</a>"
        for link in language_links(context)
    ]
    items = [f'<a class="{escape(css)}" {link}' if css else f"<li><a {link}</li>" for link in links]
    return mark_safe("\n  ".join(items))  # noqa: S308 - what is not written here is escaped


@register.simple_tag(takes_context=True)
def menu_place(context: Context) -> str:
    """This page's path, where a menu may lead to it; "" for one of many alike, such as a product, and for no page."""
    match = getattr(context.get("request"), "resolver_match", None)
    if match is None or (match.kwargs and match.view_name != "catalog:collection"):
        return ""
    path: str = context["request"].path
    return path


@register.simple_tag
def page_numbers(page: Page[Any]) -> list[int | None]:
    """The numbers to show below a list; None stands for the gap between two of them."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return [number if isinstance(number, int) else None for number in numbers]


@register.simple_tag
def size_ruler(height_cm: Decimal | float | str | None, image: ImageInfo | None) -> SafeString:
    """The ruler beside a piece, as tall as the piece in this photo: one tick a centimetre, a long one every five.

    Half centimetres are ticked too below 10 cm; above 40 cm only every fifth centimetre is. Nothing without a
    sensible height, and nothing where it is not sure where the piece stands. The photo is shown as a square.
    """
    try:
        height = Decimal(str(height_cm)) if height_cm is not None else Decimal(0)
    except ArithmeticError:
        return SafeString("")
    if image is None or image.subject is None or not (height.is_finite() and 1 <= height <= 300):
        return SafeString("")
    top, foot = (_in_square(share, image) for share in image.subject)
    if not 0 <= top < foot <= 1:
        return SafeString("")
    step = Decimal("0.5") if height < 10 else Decimal(5) if height > 40 else Decimal(1)
    long_step = 1 if step < 1 else step * 5
    lines = [(_RULER, top, foot), (_RULER - _LONG, top, top)]
    mark = Decimal(0)
    while mark <= height:
        y = foot - (foot - top) * float(mark / height)
        lines.append((_RULER - (_SHORT if mark % long_step else _LONG), y, y))
        mark += step
    return format_html(
        '<svg class="size-ruler" aria-hidden="true" focusable="false">{}'
        '<text x="{}%" y="{}%" dy=".35em">{}</text></svg>',
        format_html_join(
            "",
            '<line x1="{}%" x2="{}%" y1="{}%" y2="{}%"/>',
            ((f"{x:g}", f"{_RULER:g}", f"{100 * y1:.2f}", f"{100 * y2:.2f}") for x, y1, y2 in lines),
        ),
        f"{_RULER - _LONG - 2:g}",
        f"{100 * top:.2f}",
        _("%(height)s\u00a0cm") % {"height": number_format(height.normalize() + Decimal(0), use_l10n=True)},
    )


def _in_square(share: float, image: ImageInfo) -> float:
    """Return where a share of the photo's height is in its square: a tall photo loses its head and foot."""
    if image.height <= image.width:
        return share
    shown = image.width / image.height
    return (share - (1 - shown) / 2) / shown
