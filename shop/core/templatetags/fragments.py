"""`{% fragment "name" … %}`: a part of a public page that is rendered once for all pages."""

from __future__ import annotations

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString

from shop.core.fragment_cache import cached_fragment

register = template.Library()


@register.tag("fragment")
def fragment(parser: Parser, token: Token) -> FragmentNode:
    """`{% fragment "header" view %}…{% endfragment %}`: what stands inside may depend on nothing but the content of the
    shop, the language and the values named here."""
    bits = token.split_contents()[1:]
    if not bits:
        raise template.TemplateSyntaxError("fragment needs a name.")
    nodelist = parser.parse(("endfragment",))
    parser.delete_first_token()
    return FragmentNode([parser.compile_filter(bit) for bit in bits], nodelist)


class FragmentNode(template.Node):
    """A cached fragment; outside of public pages it is rendered each time."""

    def __init__(self, key: list[FilterExpression], nodelist: NodeList) -> None:
        self.key = key
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        key = (expression.resolve(context) for expression in self.key)
        return cached_fragment(lambda: self.nodelist.render(context), "template", *key)
