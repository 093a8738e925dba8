"""What search engines and link previews read: structured data, canonical addresses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.template.context import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from shop.core import structured_data

register = template.Library()

# What could end the script element or be read as markup, as JSON's own escapes.
_ESCAPES = {
    ord(">"): "\\u003E",
    ord("<"): "\\u003C",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


@register.simple_tag
def json_ld(data: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None) -> SafeString:
    """A data block for search engines. It is not a script: no browser runs it, whatever its texts contain."""
    if not data:
        return SafeString("")
    text = json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False).translate(_ESCAPES)
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
def shop_data(context: Context) -> SafeString:
    """The data block of the shop and its site, for the home page."""
    shop = context["shop"]
    return json_ld(
        [
            structured_data.organization(
                name=shop.shop_name,
                logo=static("icon-512.png"),
                email=shop.email,
                phone=shop.phone,
                address_lines=shop.address_lines,
            ),
            structured_data.website(
                name=shop.shop_name, language=get_language() or "fr", search_path=reverse("catalog:list")
            ),
        ]
    )


@register.simple_tag(takes_context=True)
def kept_query(context: Context, *names: str) -> str:
    """`?category=…&page=…`: the named parameters of this request that say which page this is, in a fixed order.

    The first page of a list has no number. Everything else (search, campaign tags) is left out.
    """
    request = context.get("request")
    if request is None:
        return ""
    kept = [(name, request.GET[name]) for name in names if request.GET.get(name)]
    kept = [(name, value) for name, value in kept if (name, value) != ("page", "1")]
    return f"?{urlencode(kept)}" if kept else ""
