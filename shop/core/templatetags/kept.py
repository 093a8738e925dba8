"""`{% kept "name" … %}`: a part of a public page that is rendered once for all pages."""

from __future__ import annotations

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString

from shop.core.kept import kept

register = template.Library()


@register.tag("kept")
def kept_part(parser: Parser, token: Token) -> KeptNode:
    """`{% kept "header" view %}…{% endkept %}`: what stands inside may depend on nothing but the content of the shop,
    the language and the values named here."""
    bits = token.split_contents()[1:]
    if not bits:
        raise template.TemplateSyntaxError("kept needs a name.")
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode([parser.compile_filter(bit) for bit in bits], nodelist)


class KeptNode(template.Node):
    """A kept part; outside of public pages it is rendered each time."""

    def __init__(self, key: list[FilterExpression], nodelist: NodeList) -> None:
        self.key = key
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        key = (expression.resolve(context) for expression in self.key)
        return kept(lambda: self.nodelist.render(context), "template", *key)
