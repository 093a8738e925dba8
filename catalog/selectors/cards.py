"""Products as cards: the home page, similar products, and the pages of `catalog.selectors.listing`.

Cards read only the columns they show, in the visitor's language; their photos come in one query for the whole page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Case, Exists, F, QuerySet, Value, When
from django.db.models.functions import Abs
from django.utils import timezone

from catalog import pricing
from catalog.models import DRAWN_PLACE, DRAWN_PLACES, Finish, Product, ProductImage, Promotion, Variant
from catalog.selectors import wording
from catalog.selectors.addresses import product_url
from catalog.selectors.availability import availability_of, listed_offers
from catalog.selectors.pictures import FinishPhotos, finish_photos, image_info, images_of
from catalog.selectors.products import price_histories
from catalog.selectors.promotions import promotions_of
from catalog.selectors.variants import variants_of
from catalog.selectors.wording import ProductionDays
from shop.core.fragment_cache import cached_fragment, find_fragment, store_fragment
from shop.core.images import ImageInfo

# By their first publication.
NEWEST = ("-published_at", "-pk")
SIMILAR_LIMIT = 4
GALLERY_SIZE = 6

_TRANSLATED = ("name", "slug", "description")
_PLAIN = (
    "created_at",
    "price",
    "original_price",
    "price_from",
    "price_to",
    "crossed_out",
    "reduced_price",
    "featured",
    "is_available",
    "in_stock",
    "is_published",
    "stock_quantity",
    "painted_price",
    "unpainted_price",
    "category__offers_finishes",
    "category__offers_formats",
    "running_promotion__type",
    "running_promotion__buy_quantity",
    "running_promotion__get_quantity",
    "running_promotion__percent",
    "running_promotion__amount",
    "production_days_min",
    "production_days_max",
    "category__slug",
    "category__colour",
    "category__kind",
)


@dataclass(frozen=True, slots=True)
class ProductCard:
    """A product in a list. `price` is the lowest one; `price_to` is set when there are several.

    `available_quantity` is None for made to order. `original_price` is the price that may be shown crossed out beside
    `reduced_price`, which is `price` or one of the range. `badge` is the mark of a promotion or of a price that is
    lower than it was, "" without one; `stock_text` what is said of a few last units. `teaser_language` is named where
    it is not the page's.
    """

    id: int
    name: str
    url: str
    teaser: str
    teaser_language: str
    category: str
    category_slug: str
    colour: str
    price: Decimal
    price_to: Decimal | None
    original_price: Decimal | None
    reduced_price: Decimal | None
    image: ImageInfo | None
    second_image: ImageInfo | None
    photo_count: int
    featured: bool
    available: bool
    badge: str
    stock_text: str
    production_days_min: int
    production_days_max: int
    available_quantity: int | None


@dataclass(frozen=True, slots=True)
class FinishPair:
    """A product with a photo of it in each finish."""

    card: ProductCard
    photos: FinishPhotos


def build_cards(products: Sequence[Product]) -> list[ProductCard]:
    """Cards of products read with `card_columns`. One query for the photos, one for the variants, one for the shop's
    delay when it is not cached; none without products."""
    if not products:
        return []
    photos = images_of([product.pk for product in products])
    default_days = wording.default_production_days()
    variants = variants_of([product.pk for product in products])
    return [_card(product, variants[product.pk], photos[product.pk], default_days) for product in products]


def cards_of_keys(keys: Sequence[int]) -> list[ProductCard]:
    """The cards of these products in this order, without those that are gone. Cached ones cost nothing, all others
    together one query more than `build_cards`."""
    found = {key: card for key in keys if (card := find_fragment("product-card", key)) is not None}
    for card in build_cards(read_cards_of([key for key in keys if key not in found])):
        found[card.id] = store_fragment(card, "product-card", card.id)
    return [found[key] for key in keys if key in found]


def featured_cards(limit: int) -> list[ProductCard]:
    """The newest featured products."""
    return cached_fragment(lambda: _featured(limit), "featured-cards", limit)


def _featured(limit: int) -> list[ProductCard]:
    rows = Product.objects.filter(is_published=True, featured=True)
    return build_cards(read_cards(rows, *NEWEST, limit=limit))


def daily_gallery(day: date | None = None) -> list[ProductCard]:
    """Products drawn for one day: the same for everybody, others tomorrow; those with a photo that can be bought first.

    Each product has its place, a function of its key, and the day one from where on they are shown: a product added
    during the day changes the choice only if it is drawn itself.
    """
    return cached_fragment(lambda: _draw_gallery(day or timezone.localdate()), "daily-gallery", day)


def _draw_gallery(day: date) -> list[ProductCard]:
    """Those that follow a place drawn for the day, as the index `product_drawn` has them: twice as many as are shown,
    of which those with a photo go first. Two queries in a large shop, four at most, beside those of `build_cards`."""
    digest = hashlib.sha256(day.isoformat().encode()).digest()
    start = int.from_bytes(digest[:4], "big") % DRAWN_PLACES
    rows = Product.objects.filter(is_published=True).alias(place=DRAWN_PLACE).order_by("place", "pk")
    # A comparison, without which SQLite uses no index of a boolean.
    available, others = rows.filter(is_available__in=[True]), rows.filter(is_available__in=[False])
    keys: list[int] = []
    for part in (available.filter(place__gte=start), available.filter(place__lt=start), others):
        missing = 2 * GALLERY_SIZE - len(keys)
        keys += part.values_list("pk", flat=True)[:missing] if missing else ()
    candidates = build_cards(read_cards_of(keys))
    return sorted(candidates, key=lambda card: (card.image is None, not card.available))[:GALLERY_SIZE]


def similar_cards(product: Product) -> list[ProductCard]:
    """`similar_products` as cards: the queries of it and of `build_cards`, none when they are cached."""
    return cached_fragment(lambda: build_cards(similar_products(product)), "similar-cards", product.pk)


def similar_products(product: Product) -> list[Product]:
    """What else to look at: the products picked by staff, then the same category, then the nearest ones (of its kind,
    by their place in the shop); available ones first, newest first. Two queries; three where the category has few."""
    others = Product.objects.filter(is_published=True).exclude(pk=product.pk)
    first = (F("is_available").desc(), *NEWEST)
    picked = product.picked_similar.through.objects.filter(from_product=product.pk).values("to_product")
    found = read_cards(others.filter(pk__in=picked), *first, limit=SIMILAR_LIMIT)
    category = product.category
    nearest = (
        Case(When(category__kind=category.kind, then=Value(0)), default=Value(1)),
        Abs(F("category__position") - category.position),
    )
    same, far = others.filter(category=category), others.exclude(category=category)
    for products, order in ((same, first), (far, (*nearest, *first))):
        if len(found) < SIMILAR_LIMIT:
            left = products.exclude(pk__in=[row.pk for row in found])
            found += read_cards(left, *order, limit=SIMILAR_LIMIT - len(found))
    return found


def finish_pair() -> FinishPair | None:
    """A product photographed in both finishes, featured ones first."""
    return cached_fragment(_finish_pair, "finish-pair")


def _finish_pair() -> FinishPair | None:
    # In the words of the index `product_image_finish`, without which SQLite does not use it.
    photos_of_finishes = ProductImage.objects.exclude(finish="").order_by()
    painted, unpainted = (
        photos_of_finishes.filter(finish=finish).values("product")
        for finish in (Finish.PAINTED, Finish.UNPAINTED)
    )
    products = Product.objects.filter(is_published=True, pk__in=painted).filter(pk__in=unpainted)
    rows = read_cards(products, "-featured", *NEWEST, limit=1)
    if not rows:
        return None
    rows_of_photos = images_of([rows[0].pk])[rows[0].pk]
    photos = finish_photos((photo.finish, image_info(photo, rows[0].name)) for photo in rows_of_photos)
    # None where somebody removed one meanwhile.
    return None if photos is None else FinishPair(build_cards(rows)[0], photos)


def card_columns() -> list[str]:
    """The columns of a card in the active language, with the fallback's."""
    languages = wording.column_languages()
    translated = [f"{field}_{language}" for field in _TRANSLATED for language in languages]
    return [*translated, *_PLAIN, *(f"category__name_{language}" for language in languages)]


def read_cards(products: QuerySet[Product], *order: Any, limit: int) -> list[Product]:
    """The first products of an order, with the columns of their cards. One query: their keys come from an index
    where there is one for the order, and only the chosen rows are read."""
    keys = products.order_by(*order).values("pk")[:limit]
    return _read(_with_columns(keys).order_by(*order))


def read_cards_of(keys: Sequence[int]) -> list[Product]:
    """These products in this order, with the columns of their cards, without those that are gone. One query, none for
    no keys."""
    rows = {row.pk: row for row in _read(_with_columns(keys))} if keys else {}
    return [rows[key] for key in keys if key in rows]


def read_published_cards(keys: Sequence[int]) -> list[Product]:
    """Those of these products that are on sale, in no order. One query, none for no keys."""
    return _read(_with_columns(keys).filter(is_published=True)) if keys else []


def _read(products: QuerySet[Product]) -> list[Product]:
    """These rows at the prices of now. One query; three more while a start or end of a promotion has passed that
    nobody has recorded yet (`catalog.services.prices`): a list and the cart never name two prices."""
    now = timezone.now()
    is_late = Exists(Promotion.objects.filter(next_boundary__lte=now))
    rows: list[Product] = [*products.annotate(prices_are_late=is_late)]
    if rows and vars(rows[0])["prices_are_late"]:
        _bring_up_to(now, rows)
    return rows


def _bring_up_to(now: datetime, products: Sequence[Product]) -> None:
    keys = [product.pk for product in products]
    variants, histories, promotions = variants_of(keys), price_histories(keys), promotions_of(keys, now)
    for product in products:
        promotion = pricing.running_promotion(promotions[product.pk], now)
        offers = listed_offers(product, pricing.offers(product, variants[product.pk], promotion))
        pricing.fill_listed(product, offers, promotion, histories[product.pk])


def _with_columns(keys: Any) -> QuerySet[Product]:
    return (
        Product.objects.filter(pk__in=keys)
        .select_related("category", "running_promotion")
        .only(*card_columns())
    )


def _card(
    product: Product,
    variants: Sequence[Variant],
    photos: Sequence[ProductImage],
    default_days: ProductionDays,
) -> ProductCard:
    several = product.price_to > product.price_from
    shown = [image_info(photo, product.name) for photo in photos[:2]]
    # What the product's page opens on.
    listed = listed_offers(product, pricing.offers(product, variants))
    opening = pricing.first_offer(product, listed) or next(iter(listed), None)
    first = None if opening is None else opening.variant
    stock = None if first is None else availability_of(product, first)
    days = wording.production_days(product, first, default_days)
    return ProductCard(
        id=product.pk,
        name=product.name,
        url=product_url(product),
        teaser=wording.teaser(product),
        teaser_language=wording.language_of_text(product, "description"),
        category=product.category.name,
        category_slug=product.category.slug,
        colour=product.category.colour,
        price=product.price_from,
        price_to=product.price_to if several else None,
        original_price=product.crossed_out,
        reduced_price=product.reduced_price,
        image=shown[0] if shown else None,
        second_image=shown[1] if len(shown) > 1 else None,
        photo_count=len(photos),
        featured=product.featured,
        available=product.is_available,
        badge=wording.promotion_badge(product.running_promotion)
        or (wording.reduction_badge() if product.crossed_out is not None else ""),
        stock_text=wording.stock_text(stock.quantity) if stock is not None and stock.available else "",
        production_days_min=days.low,
        production_days_max=days.high,
        available_quantity=None if stock is None else stock.quantity,
    )
