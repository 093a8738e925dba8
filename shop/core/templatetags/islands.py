"""Template tags for the front-end build: `{% asset %}`, `{% island %}`, `{% preload_island %}`."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.utils.html import format_html, format_html_join, json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from shop.core import assets
from shop.core.islands import props_class

register = template.Library()

WHEN = ("load", "idle", "use", "visible", "interaction", "cart")
_NAME = re.compile(r"""^(["'])([a-z][a-z0-9-]*)\1$""")
_TEXT = re.compile(r"""^(["'])([^"']*)\1$""")


@register.simple_tag
def asset(name: str) -> str:
    """The address of a built file: `{% asset "app.css" %}`. An unknown name is a template error."""
    try:
        return assets.asset(name).url
    except assets.UnknownAssetError as error:
        raise template.TemplateSyntaxError(str(error)) from error


@register.simple_tag
def preload_island(name: str) -> SafeString:
    """For the page's head: fetches an island, React and its words at once instead of one after another.

    At most one island a page: the one that the visitor came for. Styles, fonts and pictures come first.
    """
    return format_html_join(
        "\n",
        '<link rel="modulepreload" href="{}" fetchpriority="low">',
        ((url,) for url in _modules(name)),
    )


@register.simple_tag
def island_modules(name: str) -> str:
    """The same addresses in one attribute, for a script that decides whether they are worth fetching."""
    return " ".join(_modules(name))


@register.tag
def island(parser: Parser, token: Token) -> IslandNode:
    """`{% island "gallery" on="visible" props=gallery_props %}what the server renders{% endisland %}`

    The content is what visitors without JavaScript have, and what stays if the island fails. `on` is one of `load`
    (default), `idle` (once the page's pictures are there, or the page is used), `use` (once somebody points, touches
    or types anywhere in the page), `visible`, `interaction` or `cart` (as soon as the cart holds something). `props` is
    an instance of the serializer registered for the island. Islands do not stand inside islands.
    """
    bits = token.split_contents()[1:]
    name = _NAME.match(bits[0]) if bits else None
    if not name:
        raise template.TemplateSyntaxError("island needs its name in quotes first.")
    on, props = "load", None
    for bit in bits[1:]:
        key, _, value = bit.partition("=")
        text = _TEXT.match(value)
        if key == "props" and value:
            props = parser.compile_filter(value)
        elif key == "on" and text and text[2] in WHEN:
            on = text[2]
        else:
            raise template.TemplateSyntaxError(f"island {name[2]!r} does not understand {bit!r}.")
    nodelist = parser.parse(("endisland",))
    parser.delete_first_token()
    if nodelist.get_nodes_by_type(IslandNode):
        raise template.TemplateSyntaxError(f"island {name[2]!r} holds another island.")
    return IslandNode(name[2], on, props, nodelist)


class IslandNode(template.Node):
    """An island's place: the custom element, its props and the server's version."""

    def __init__(self, name: str, on: str, props: FilterExpression | None, nodelist: NodeList) -> None:
        self.name = name
        self.on = on
        self.props = props
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        _island_file(self.name)
        return format_html(
            '<x-island name="{}" on="{}">{}<div data-fallback>{}</div></x-island>',
            self.name,
            self.on,
            self._props_script(context),
            mark_safe(self.nodelist.render(context)),  # noqa: S308 - template output, escaped where it was made
        )

    def _props_script(self, context: template.Context) -> SafeString:
        expected = props_class(self.name)
        props: Any = self.props.resolve(context) if self.props else None
        if expected is None:
            if self.props is not None:
                raise TypeError(f"The island {self.name!r} has no registered props serializer.")
            return SafeString("")
        if not isinstance(props, expected):
            raise TypeError(
                f"The props of island {self.name!r} are a {expected.__name__}, not a {type(props).__name__}."
            )
        return json_script(props.data)


def _island_file(name: str) -> assets.BuiltFile:
    try:
        return assets.island_file(name)
    except assets.UnknownAssetError as error:
        raise template.TemplateSyntaxError(str(error)) from error


def _modules(name: str) -> list[str]:
    """Return what a browser needs before it can run an island on a page of this language."""
    built = _island_file(name)
    words = assets.locale_file(get_language() or "")
    return [built.url, *built.import_urls, *([words] if words else [])]
