"""`{% fragment "name" … %}`: a part of a public page that is rendered once for all pages.

`{% listing_fragment "name" … %}`: one that depends on a search or a filter."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString

from shop.core.fragment_cache import cached_fragment, cached_listing

register = template.Library()


_CACHES: dict[str, Any] = {"fragment": cached_fragment, "listing_fragment": cached_listing}


@register.tag("fragment")
@register.tag("listing_fragment")
def fragment(parser: Parser, token: Token) -> FragmentNode:
    """`{% fragment "header" view %}…{% endfragment %}`: what stands inside may depend on nothing but the content of the
    shop, the language and the values named here."""
    tag, *bits = token.split_contents()
    if not bits:
        raise template.TemplateSyntaxError(f"{tag} needs a name.")
    nodelist = parser.parse((f"end{tag}",))
    parser.delete_first_token()
    return FragmentNode([parser.compile_filter(bit) for bit in bits], nodelist, _CACHES[tag])


class FragmentNode(template.Node):
    """A cached fragment; outside of public pages it is rendered each time."""

    def __init__(self, key: list[FilterExpression], nodelist: NodeList, cached: Any) -> None:
        self.key = key
        self.nodelist = nodelist
        self.cached = cached

    def render(self, context: Context) -> SafeString:
        key = (expression.resolve(context) for expression in self.key)
        markup: SafeString = self.cached(lambda: self.nodelist.render(context), "template", *key)
        return markup
