"""Products as cards: the catalogue, collections, the home page, similar products.

Cards read only the columns they show, in the visitor's language; their photos come in one query for the whole page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.functional import cached_property

from catalog.models import Finish, Product, ProductImage
from catalog.selectors import search, wording
from catalog.selectors.addresses import product_url
from catalog.selectors.pictures import image_info, images_of
from shop.core.images import ImageInfo
from shop.core.models import ShopSettings

PAGE_SIZE = 24
# Results are counted exactly up to here: nobody turns more pages, and counting on would cost more than the search.
COUNT_CAP = 2000
SIMILAR_LIMIT = 3
GALLERY_SIZE = 6
# More digits than any page number has.
_MAX_PAGE_DIGITS = 9
NEWEST = ("-created_at", "-pk")

_TRANSLATED = ("name", "slug", "description")
_PLAIN = (
    "created_at",
    "price",
    "price_from",
    "price_to",
    "crossed_out",
    "featured",
    "in_stock",
    "stock_quantity",
    "promotion_active",
    "promotion_type",
    "promotion_buy_quantity",
    "promotion_get_quantity",
    "production_days_min",
    "production_days_max",
    "category__slug",
    "category__colour",
    "category__kind",
)


@dataclass(frozen=True, slots=True)
class ProductCard:
    """A product in a list. `price` is the lowest one; `price_to` is set when there are several.

    `original_price` is the price that may be shown crossed out beside a single price.
    """

    id: int
    name: str
    url: str
    teaser: str
    category: str
    category_slug: str
    colour: str
    price: Decimal
    price_to: Decimal | None
    original_price: Decimal | None
    image: ImageInfo | None
    second_image: ImageInfo | None
    photo_count: int
    featured: bool
    available: bool
    promotion_label: str
    production_text: str


class CountedPaginator(Paginator[ProductCard]):
    """Pages over a result that was counted beforehand; its rows are read for one page only."""

    def __init__(self, count: int, per_page: int) -> None:
        super().__init__((), per_page)
        self._known = count

    @cached_property
    def count(self) -> int:
        return self._known


@dataclass(frozen=True, slots=True)
class Results:
    """One page of products. `count` stops at `COUNT_CAP` for a search; `capped` says that there are more."""

    products: list[Product]
    count: int
    capped: bool
    number: int
    page_count: int


class PageOutOfRange(LookupError):
    """There is no page of this number."""


def page_number(text: str) -> int:
    """The page asked for in an address, 1 when none is.

    Raises `PageOutOfRange` for anything but a positive number in plain digits.
    """
    if not text:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_PAGE_DIGITS and int(text)):
        raise PageOutOfRange(text)
    return int(text)


def find_products(
    *,
    category_ids: Sequence[int],
    text: str = "",
    number: int = 1,
    size: int = PAGE_SIZE,
    known_count: int | None = None,
) -> Results:
    """One page of the published products of some categories that match a text, newest first.

    At most two queries: the count (none when `known_count` tells how many there are without a text) and the page.
    Raises `PageOutOfRange`; the first page of nothing exists.
    """
    words = search.query_words(text)
    if (text and not words) or not category_ids:
        count, capped = 0, False
        found = Product.objects.none()
    else:
        found = search.matching(_published(category_ids), words)
        if not words and known_count is not None:
            count, capped = known_count, False
        elif words:
            counted = found.order_by().values("pk")[: COUNT_CAP + 1].count()
            count, capped = min(counted, COUNT_CAP), counted > COUNT_CAP
        else:
            count, capped = found.count(), False
    page_count = max(1, -(-count // size))
    if not 1 <= number <= page_count:
        raise PageOutOfRange(number)
    start = (number - 1) * size
    products = _card_rows(found.order_by(*NEWEST)[start : min(start + size, count)]) if count else []
    return Results(products=products, count=count, capped=capped, number=number, page_count=page_count)


def card_page(results: Results, *, size: int = PAGE_SIZE) -> Page[ProductCard]:
    """The page as templates turn it. One query for the photos, one for the shop's delay when it is not cached."""
    return Page(build_cards(results.products), results.number, CountedPaginator(results.count, size))


def build_cards(products: Sequence[Product]) -> list[ProductCard]:
    """Cards of products read with `card_columns`. One query for the photos, one for the shop's delay when it is not
    cached; none without products."""
    if not products:
        return []
    photos = images_of([product.pk for product in products])
    shop = ShopSettings.load()
    delay = (shop.default_production_days_min, shop.default_production_days_max)
    return [_card(product, photos[product.pk], delay) for product in products]


def featured_cards(limit: int = 6) -> list[ProductCard]:
    """The newest featured products."""
    return build_cards(
        _card_rows(Product.objects.filter(is_published=True, featured=True).order_by(*NEWEST)[:limit])
    )


def daily_gallery(day: date | None = None, count: int = GALLERY_SIZE) -> list[ProductCard]:
    """Products drawn for one day: the same for everybody, others tomorrow; those with a photo first.

    The draw is a function of the day and of each product's key alone, so that a piece added during the day changes
    the choice only if it is drawn itself.
    """
    digest = hashlib.sha256((day or timezone.localdate()).isoformat().encode()).digest()
    # A prime keeps the order of the draw free of repetitions among as many neighbouring keys.
    prime = 99_991
    factor = 1 + int.from_bytes(digest[:4], "big") % (prime - 1)
    offset = int.from_bytes(digest[4:8], "big") % prime
    drawn = Product.objects.filter(is_published=True).order_by(
        (F("pk") % prime * factor + offset) % prime, "pk"
    )
    candidates = build_cards(_card_rows(drawn[: 2 * count]))
    return sorted(candidates, key=lambda card: card.image is None)[:count]


def similar_cards(product: Product, limit: int = SIMILAR_LIMIT) -> list[ProductCard]:
    """`similar_products` as cards. Two queries."""
    return build_cards(similar_products(product, limit))


def similar_products(product: Product, limit: int = SIMILAR_LIMIT) -> list[Product]:
    """What else to look at: the products picked by staff, then the same category; available ones first, newest first.
    One query."""
    picked = Product.picked_similar.through.objects.filter(from_product=product.pk, to_product=OuterRef("pk"))
    rows = (
        Product.objects.filter(is_published=True)
        .filter(Q(category_id=product.category_id) | Exists(picked))
        .exclude(pk=product.pk)
        .order_by(
            Case(When(Exists(picked), then=Value(0)), default=Value(1)),
            Case(When(available_condition(), then=Value(0)), default=Value(1)),
            *NEWEST,
        )
    )
    return _card_rows(rows[:limit])


def finish_pair() -> tuple[ProductCard, ImageInfo, ImageInfo] | None:
    """A product photographed in both finishes, featured ones first: its card, its painted and its unpainted photo."""

    def photographed(finish: str) -> Exists:
        return Exists(ProductImage.objects.filter(product=OuterRef("pk"), finish=finish))

    rows = _card_rows(
        Product.objects.filter(
            photographed(Finish.PAINTED), photographed(Finish.UNPAINTED), is_published=True
        ).order_by("-featured", *NEWEST)[:1]
    )
    if not rows:
        return None
    photos = images_of([rows[0].pk])[rows[0].pk]
    painted, unpainted = (
        next(image_info(photo, rows[0].name) for photo in photos if photo.finish == finish)
        for finish in Finish.values
    )
    return build_cards(rows)[0], painted, unpainted


def available_condition() -> Q:
    """Products that can be bought, as far as their own row tells."""
    return Q(in_stock=True) & (Q(stock_quantity__isnull=True) | Q(stock_quantity__gt=0))


def is_available(product: Product) -> bool:
    """`available_condition` for a row that was read."""
    return product.in_stock and product.stock_quantity != 0


def card_columns() -> list[str]:
    """The columns of a card in the active language, with the fallback's."""
    languages = dict.fromkeys((wording.language(), *settings.MODELTRANSLATION_FALLBACK_LANGUAGES))
    translated = [f"{field}_{language}" for field in _TRANSLATED for language in languages]
    return [*translated, *_PLAIN, *(f"category__name_{language}" for language in languages)]


def _published(category_ids: Iterable[int]) -> QuerySet[Product]:
    return Product.objects.filter(is_published=True, category_id__in=list(category_ids))


def _card_rows(rows: QuerySet[Product]) -> list[Product]:
    """Reads a page in one query: its keys from an index, then only the columns of these products."""
    order = rows.query.order_by
    keys = rows.values("pk")
    found = Product.objects.filter(pk__in=keys).select_related("category").only(*card_columns())
    return list(found.order_by(*order))


def _card(product: Product, photos: Sequence[ProductImage], delay: tuple[int, int]) -> ProductCard:
    several = product.price_to > product.price_from
    shown = [image_info(photo, product.name) for photo in photos[:2]]
    return ProductCard(
        id=product.pk,
        name=product.name,
        url=product_url(product),
        teaser=wording.teaser(product),
        category=product.category.name,
        category_slug=product.category.slug,
        colour=product.category.colour,
        price=product.price_from,
        price_to=product.price_to if several else None,
        original_price=None if several else product.crossed_out,
        image=shown[0] if shown else None,
        second_image=shown[1] if len(shown) > 1 else None,
        photo_count=len(photos),
        featured=product.featured,
        available=is_available(product),
        promotion_label=wording.promotion_label(product),
        production_text=wording.production_text(product, delay),
    )
