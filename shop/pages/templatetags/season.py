"""The season's entry in the menus."""

from django import template

from shop.pages.selectors.content import Band, current_band

register = template.Library()


@register.simple_tag
def season_entry() -> Band | None:
    """The band in force that wants a place in the menu, if there is one. At most one query a minute."""
    band = current_band()
    return band if band is not None and band.in_menu else None
