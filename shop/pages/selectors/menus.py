"""What the header's menus and the footer lead to: the categories in season, where staff have put them."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.models import Category, MenuPlace
from catalog.selectors.addresses import category_url
from catalog.selectors.categories import menu_categories
from shop.core.fragment_cache import cached_fragment
from shop.pages.selectors.content import current_band


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A link of a menu. `is_season` is that of the seasonal band."""

    label: str
    url: str
    colour: str
    is_season: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """The links under « Produits », those beside it, and those of the footer."""

    products: tuple[MenuEntry, ...]
    top: tuple[MenuEntry, ...]
    footer: tuple[MenuEntry, ...]


def shop_menu() -> Menu:
    """The menu of today. One query for the categories and at most one a minute for the band; none on a cached page."""
    return cached_fragment(_menu, "menu")


def _menu() -> Menu:
    rows = [(row, _entry(row)) for row in menu_categories()]
    season = _season_entry({entry.url: entry.colour for _row, entry in rows})
    # A season's entry takes the place of the collection that it leads to.
    placed = [(row.menu_place, entry) for row, entry in rows if season is None or entry.url != season.url]
    return Menu(
        products=(
            *((season,) if season else ()),
            *(entry for place, entry in placed if place == MenuPlace.PRODUCTS),
        ),
        top=tuple(entry for place, entry in placed if place == MenuPlace.TOP),
        footer=tuple(entry for row, entry in rows if row.in_footer),
    )


def _season_entry(colours: dict[str, str]) -> MenuEntry | None:
    band = current_band()
    if band is None or not band.in_menu:
        return None
    return MenuEntry(band.title, band.link, colours.get(band.link, "noel"), is_season=True)


def _entry(row: Category) -> MenuEntry:
    return MenuEntry(row.name, category_url(row), row.colour)
