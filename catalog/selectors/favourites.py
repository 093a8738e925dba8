"""The favourites of members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from catalog.models import Favourite, Product
from catalog.selectors.cards import ProductCard, build_cards, read_published_cards
from shop.core.row_keys import read_keys

MAX_FAVOURITES = 200
"""More than anybody looks through, and as many as one page shows."""


MOST_WANTED = 200


@dataclass(frozen=True, slots=True)
class FavouriteCard:
    """A favourite as the member area lists it."""

    card: ProductCard
    notify_when_back: bool


def favourite_ids(user_id: int) -> list[int]:
    """The products among a member's favourites that are on sale, latest first. One query."""
    rows = Favourite.objects.filter(user_id=user_id, product__is_published=True)
    return list(rows.values_list("product_id", flat=True)[:MAX_FAVOURITES])


def favourite_cards(user_id: int) -> list[FavouriteCard]:
    """The same as cards. Three queries, one more when the shop's settings are not cached."""
    rows = Favourite.objects.filter(user_id=user_id, product__is_published=True)
    wishes = dict(rows.values_list("product_id", "notify_when_back")[:MAX_FAVOURITES])
    return [FavouriteCard(card, wishes[card.id]) for card in cards_of(list(wishes))]


def cards_of(ids: Sequence[int]) -> list[ProductCard]:
    """Published products in the order of `ids`, without those that are not on sale. Two queries."""
    return build_cards(products_of(ids))


def products_of(ids: Sequence[int]) -> list[Product]:
    """`cards_of` before it is made into cards. One query."""
    found = {product.pk: product for product in read_published_cards(ids)}
    return [found[pk] for pk in dict.fromkeys(ids) if pk in found]


def parse_ids(text: str) -> list[int]:
    """`"3,1,3"` → `[3, 1]`: what is no key of a product is left out, and what is beyond the limit."""
    keys = read_keys(text[:4000].split(","))
    return list(dict.fromkeys(key for key in keys if key))[:MAX_FAVOURITES]


def wanted_products() -> QuerySet[Product]:
    """Return the pieces in members' lists, the most wanted first, `MOST_WANTED` at most: `saved` counts the members,
    `to_tell` those who want a mail when it is back. One query."""
    wish = Q(favourites__notify_when_back=True)
    counted = Product.objects.annotate(saved=Count("favourites"), to_tell=Count("favourites", filter=wish))
    return counted.filter(saved__gt=0).order_by("-saved", "pk")[:MOST_WANTED]
