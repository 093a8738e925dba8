"""Small pieces of interface that a template can't write by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import template
from django.conf import settings
from django.core.paginator import Page
from django.template.context import Context
from django.templatetags.static import static
from django.urls import translate_url
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from shop.core.money import format_amount

register = template.Library()


@register.simple_tag
def icon(name: str, size: str = "") -> SafeString:
    """A pictogram of `static/icons.svg`, hidden from screen readers. `size` is "small", "large" or empty."""
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
def round_amount(value: Decimal) -> str:
    """A limit rather than a price: « 50 € », and « 49,90 € » where there are cents."""
    return re.sub(r"[.,]00(?!\d)", "", format_amount(value, (get_language() or settings.LANGUAGE_CODE)[:2]))


@register.simple_tag(takes_context=True)
def language_links(context: Context) -> list[LanguageLink]:
    """Links to this page in every language, query included. A page that has no address in them links home."""
    request = context.get("request")
    current = get_language() or settings.LANGUAGE_CODE
    if request is None:
        return []
    query = request.META.get("QUERY_STRING", "")
    alternates: Sequence[tuple[str, str, str]] = context.get("alternates") or ()
    paths = {code: url.removeprefix(settings.SITE_URL) for code, _label, url in alternates}
    unknown_page = getattr(request, "resolver_match", None) is None
    links = []
    for code, label in settings.LANGUAGES:
        if unknown_page:
            path = translate_url("/", code)
        else:
            path = paths.get(code) or translate_url(request.path, code)
            path += f"?{query}" if query else ""
        links.append(LanguageLink(code, label, path, code == current))
    return links


@register.simple_tag
def page_numbers(page: Page[Any]) -> list[int | None]:
    """The numbers to show below a list; None stands for the gap between two of them."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return [number if isinstance(number, int) else None for number in numbers]


@register.simple_tag
def toise(height_cm: Decimal | float | str | None) -> SafeString:
    """The ruler beside a piece: one tick a centimetre, a long one every five. Nothing without a sensible height.

    Half centimetres are ticked too below 10 cm; above 40 cm only every fifth centimetre is.
    """
    try:
        height = Decimal(str(height_cm)) if height_cm is not None else Decimal(0)
    except ArithmeticError:
        return SafeString("")
    if not (height.is_finite() and 1 <= height <= 300):
        return SafeString("")
    step = Decimal("0.5") if height < 10 else Decimal(5) if height > 40 else Decimal(1)
    ticks = []
    mark = Decimal(0)
    while mark <= height:
        start = 0 if mark % (step * 5 if step >= 1 else 1) == 0 else 5
        ticks.append(f"M{start} {height - mark:f}H10")
        mark += step
    label = _("%(height)s cm") % {"height": number_format(height.normalize() + Decimal(0), use_l10n=True)}
    return format_html(
        '<svg class="toise" viewBox="0 0 10 {}" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<path vector-effect="non-scaling-stroke" fill="none" d="M10 0V{}M2 0H10{}"/></svg>'
        '<p class="toise__label">{}</p>',
        f"{height:f}",
        f"{height:f}",
        mark_safe("".join(ticks)),  # noqa: S308 - made of numbers above
        label,
    )
