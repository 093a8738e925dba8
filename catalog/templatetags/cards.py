"""`{% product_card card %}`: a product in a list."""

from __future__ import annotations

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from catalog.selectors.cards import ProductCard
from shop.core.kept import kept

register = template.Library()


@register.simple_tag
def product_card(
    card: ProductCard, level: str = "h2", priority: bool = False, shared: bool = True, sizes: str = ""
) -> SafeString:
    """`components/card.html`, kept between pages. `level` is the heading's; `priority` is for the first row of a page;
    `shared`: its photo takes part in the page transition; `sizes` as in `<img sizes>` where the grid is another."""

    def render() -> SafeString:
        values = {"card": card, "level": level, "priority": priority, "shared": shared, "sizes": sizes}
        return render_to_string("components/card.html", values)

    return kept(render, "card", card.id, level, priority, shared, sizes)
