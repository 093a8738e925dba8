"""What search engines and link previews read: structured data, canonical addresses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import unescape
from textwrap import shorten
from typing import Any
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import QueryDict
from django.template.context import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from shop.core import structured_data
from shop.core.images import ImageInfo
from shop.core.languages import active_language
from shop.core.site import absolute_url

register = template.Library()

SUMMARY_LENGTH = 155

# What could end the script element or be read as markup, as JSON's own escapes.
_ESCAPES = {
    ord(">"): "\\u003E",
    ord("<"): "\\u003C",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}

# As link previews name the four languages: the country is where the shop's readers of it are.
_LOCALES = {"fr": "fr_FR", "en": "en_GB", "es": "es_ES", "de": "de_DE"}


@register.simple_block_tag
def summary(content: str) -> SafeString:
    """What the page is about, for search results and for link previews, in as many whole words as they show. Holds the
    text, escaped as templates do.

    A block inside it can be overridden, but knows no `block.super`.
    """
    text = shorten(unescape(content), SUMMARY_LENGTH, placeholder="…")
    return format_html(
        '<meta name="description" content="{}">\n  <meta property="og:description" content="{}">', text, text
    )


@register.simple_tag
def share_image(image: ImageInfo | str | None = None) -> SafeString:
    """The picture of link previews with its size and text: the page's own, else the shop's.

    What a template does not find is an empty text: it is no picture either.
    """
    if not isinstance(image, ImageInfo):
        address, width, height = static("og-default.jpg"), 1200, 630
        alt = _("Une figurine rousse aux oreilles de renard, sa lanterne à la main, sur le tapis de découpe")
    else:
        address, width, height, alt = image.url, image.width, image.height, image.alt
    return format_html_join(
        "\n  ",
        '<meta property="og:image{}" content="{}">',
        (
            ("", absolute_url(address)),
            (":type", "image/jpeg"),
            (":width", width),
            (":height", height),
            (":alt", alt),
        ),
    )


@register.simple_tag
def share_locales() -> SafeString:
    """The page's language and the others that it exists in, as link previews name them."""
    current = active_language()
    others = [code for code, _label in settings.LANGUAGES if code != current]
    return format_html_join(
        "\n  ",
        '<meta property="og:locale{}" content="{}">',
        (("", _LOCALES[current]), *((":alternate", _LOCALES[code]) for code in others)),
    )


@register.simple_tag
def json_ld(data: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None) -> SafeString:
    """A data block for search engines. It is not a script: no browser runs it, whatever its texts contain."""
    if not data:
        return SafeString("")
    text = json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":")).translate(
        _ESCAPES
    )
    return format_html(
        '<script type="application/ld+json">{}</script>',
        mark_safe(text),  # noqa: S308 - escaped just above
    )


@register.simple_tag
def breadcrumb_data(breadcrumbs: Sequence[tuple[str, str | None]] | None) -> SafeString:
    """The trail's data block; nothing for a single level, which is not shown either."""
    if not breadcrumbs or len(breadcrumbs) < 2:
        return SafeString("")
    return json_ld(structured_data.breadcrumb_list(breadcrumbs))


@register.simple_tag
def product_list_data(name: str, cards: Sequence[Any]) -> SafeString:
    """The data block of a list of product cards; nothing for an empty one."""
    if not cards:
        return SafeString("")
    return json_ld(structured_data.item_list(name=name, items=[(card.name, card.url) for card in cards]))


@register.simple_tag(takes_context=True)
def shop_data(context: Context, countries: Sequence[str] = ()) -> SafeString:
    """The data block of the shop and its site, for the home page. `countries`: where it delivers."""
    shop = context["shop"]
    return json_ld(
        [
            structured_data.organization(
                name=shop.shop_name,
                logo=static("icon-512.png"),
                legal_name=shop.trader_name,
                email=shop.email,
                phone=shop.phone,
                address_lines=shop.address_lines,
                elsewhere=(shop.instagram_url, shop.facebook_url),
                countries=countries,
                terms_path=reverse("terms"),
            ),
            structured_data.website(
                name=shop.shop_name, language=active_language(), search_path=reverse("catalog:list")
            ),
        ]
    )


@register.simple_tag(takes_context=True)
def canonical_query(context: Context, *names: str, language: str = "") -> str:
    """`?category=…&page=…`: the named parameters of this request that say which page this is, in a fixed order, as they
    are written in a language (the page's own unless given).

    The first page of a list has no number, nor have the pages of a list that `is_filtered`: each is a part of the whole
    list. Everything else (search, filters, campaign tags) is left out.
    """
    request = context.get("request")
    if request is None:
        return ""
    if context.get("is_filtered"):
        names = tuple(name for name in names if name != "page")
    # Most pages are asked for without: a copy of the query costs more than the look.
    if not any(name in request.GET for name in names):
        return ""
    asked = query_in(context, language)
    given = [(name, asked[name]) for name in names if asked.get(name)]
    given = [(name, value) for name, value in given if (name, value) != ("page", "1")]
    return f"?{urlencode(given)}" if given else ""


def query_in(context: Context, language: str) -> QueryDict:
    """The request's query as it is written in a language: a view names in `query_words` the parameters that have a word
    in each, as `{"category": {"fr": "noel", "de": "weihnachten"}}`."""
    query: QueryDict = context["request"].GET.copy()
    for name, words in (context.get("query_words") or {}).items():
        if name in query and language in words:
            query[name] = words[language]
    return query
