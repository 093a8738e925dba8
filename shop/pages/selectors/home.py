"""Which sections the home page shows, and what each of them needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from catalog.models import CategoryKind
from catalog.selectors.cards import daily_gallery, featured_cards, finish_pair
from catalog.selectors.categories import category_cards
from catalog.selectors.reviews import latest_reviews, overall_rating
from shop.core.fragment_cache import cached_fragment
from shop.pages.models import FaqEntry, HomeSection, SeasonalBanner, SectionKind
from shop.pages.selectors.content import current_band, questions

HERO_SLIDES = 6
HOME_QUESTIONS = 10
Content = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Preview:
    """Rows that are shown whatever their dates."""

    entry: FaqEntry | None = None
    band: SeasonalBanner | None = None


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section with its template and what the template shows. `is_sheet`: on the lighter ground, every second one."""

    kind: str
    template: str
    content: Content
    is_sheet: bool


def home_sections(preview: Preview) -> list[ShownSection]:
    """The sections of today that have something to show, in their order; each kind once. One query for their rows."""
    shown: list[ShownSection] = []
    is_sheet = False
    for kind in _kinds():
        content = _CONTENT[kind](preview)
        if content is None:
            continue
        has_ground = kind not in _OWN_GROUND
        shown.append(ShownSection(kind, f"shop/home/{kind}.html", content, is_sheet and has_ground))
        if has_ground:
            is_sheet = not is_sheet
    return shown


def _kinds() -> list[str]:
    """The kinds to show: those of the rows, or those that the shop comes with while it has no row."""
    rows = cached_fragment(lambda: tuple(HomeSection.objects.order_by("position", "pk")), "home-sections")
    today = timezone.localdate()
    kinds = [row.kind for row in rows if row.is_visible and row.is_in_season(today)]
    return [kind for kind in dict.fromkeys(kinds if rows else SectionKind.values) if kind in _CONTENT]


def _hero(preview: Preview) -> Content:
    return {"hero": featured_cards(limit=HERO_SLIDES)}


def _gallery(preview: Preview) -> Content | None:
    cards = daily_gallery()
    return {"gallery": cards} if cards else None


def _finishes(preview: Preview) -> Content | None:
    pair = finish_pair()
    return {"pair": pair} if pair else None


def _season(preview: Preview) -> Content | None:
    band = current_band(preview=preview.band)
    return {"season": band} if band else None


def _categories(preview: Preview) -> Content | None:
    cards = [card for card in category_cards() if card.listed and card.in_season]
    main = [card for card in cards if card.kind == CategoryKind.MAIN]
    collections = [card for card in cards if card.kind == CategoryKind.COLLECTION]
    return {"categories": main, "collections": collections} if cards else None


def _faq(preview: Preview) -> Content | None:
    asked = questions(home=True, preview=preview.entry)[:HOME_QUESTIONS]
    return {"faq": asked} if asked else None


def _reviews(preview: Preview) -> Content | None:
    latest = latest_reviews()
    return {"latest": latest, "rating": overall_rating()} if latest else None


def _texts_alone(preview: Preview) -> Content:
    return {}


_CONTENT: dict[str, Callable[[Preview], Content | None]] = {
    SectionKind.HERO: _hero,
    SectionKind.GALLERY: _gallery,
    SectionKind.FINISHES: _finishes,
    SectionKind.PROCESS: _texts_alone,
    SectionKind.SEASON: _season,
    SectionKind.CATEGORIES: _categories,
    SectionKind.STORY: _texts_alone,
    SectionKind.FAQ: _faq,
    SectionKind.REVIEWS: _reviews,
    SectionKind.CONTACT: _texts_alone,
}
# The dark ones, and the one that is a card.
_OWN_GROUND = {SectionKind.HERO, SectionKind.SEASON, SectionKind.CONTACT}
