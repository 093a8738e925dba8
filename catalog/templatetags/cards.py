"""`{% product_card card %}` and `{% product_cards page.object_list %}`: products in a list."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from catalog.models import Product
from catalog.selectors import wording
from catalog.selectors.cards import ProductCard
from shop.core.fragment_cache import cached_fragment

register = template.Library()

_PANEL_AFTER = 8


@register.filter
def language_of_text(row: Product, names: str) -> SafeString:
    """The attribute for `wording.language_of_text`."""
    language = wording.language_of_text(row, *names.split())
    return format_html(' lang="{}"', language) if language else SafeString("")


@register.simple_tag
def product_card(
    card: ProductCard, level: str = "h2", priority: bool = False, shared: bool = True, sizes: str = ""
) -> SafeString:
    """`components/card.html`, cached. `level` is the heading's; `priority` is for the first row of a page;
    `shared`: its photo takes part in the page transition; `sizes` as in `<img sizes>` where the grid is another."""

    def render() -> SafeString:
        values = {"card": card, "level": level, "priority": priority, "shared": shared, "sizes": sizes}
        return render_to_string("components/card.html", values)

    return cached_fragment(render, "card", card.id, level, priority, shared, sizes)


@register.simple_tag
def product_cards(cards: Sequence[ProductCard], waited_for: int = 0, panel: str = "") -> SafeString:
    """The items of a list, one a card. The first `waited_for` are what the visitor waits to see; `panel` is a template
    that stands among them after the eighth, in a shorter list at its end.

    A page has two dozen of them: written here, which costs a fifth of a loop in the template.
    """
    items: list[tuple[SafeString, SafeString]] = [
        (SafeString(""), product_card(card, priority=number < waited_for))
        for number, card in enumerate(cards)
    ]
    if panel:
        content = cached_fragment(lambda: render_to_string(panel), "card-panel", panel)
        items.insert(_PANEL_AFTER, (SafeString(' class="grid__wide"'), content))
    return format_html_join("\n    ", "<li{}>{}</li>", items)


@register.simple_tag
def question_subject(name: str, number: int) -> str:
    """The subject of a mail that asks about a product, for a `mailto:` address: to be URL-encoded."""
    return _("Question sur %(name)s (n°\u00a0%(number)s)") % {"name": name, "number": number}
