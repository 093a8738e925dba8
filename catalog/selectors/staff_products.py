"""Products as staff look for them: every one, whether it is on sale, archived or in the trash."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django.db import models
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from catalog import pricing
from catalog.models import Product, ProductImage, ProductVariation, Promotion, Variant
from catalog.models.product import NOT_REMOVED
from catalog.pricing import OfferKey, ProductPromotion
from catalog.selectors import staff_search
from catalog.selectors.availability import available_condition, low_stock_condition
from catalog.selectors.products import price_histories, without_customs_data
from catalog.selectors.promotion_previews import PreviewRow, rows_of_product
from catalog.selectors.promotions import promotions_of
from catalog.selectors.variants import variants_of
from shop.core.keyset import BadCursor, read_moment
from shop.core.parsers import NOT_KEPT
from shop.core.row_keys import read_key

PAGE_SIZE, MOST_A_PAGE = 50, 200


class State(models.TextChoices):
    """Which of the products a list shows. Those in the trash are in no other list."""

    CURRENT = "current"
    PUBLISHED = "published"
    HIDDEN = "hidden"
    ARCHIVED = "archived"
    TRASHED = "trashed"
    SOLD_OUT = "sold_out"
    LOW_STOCK = "low_stock"
    FEATURED = "featured"
    PROMOTED = "promoted"
    STALE = "stale"
    CUSTOMS = "customs"


_CONDITIONS: dict[str, Q] = {
    State.CURRENT: NOT_REMOVED,
    State.PUBLISHED: Q(is_published=True),
    State.HIDDEN: NOT_REMOVED & Q(is_published=False),
    State.ARCHIVED: Q(archived_at__isnull=False, trashed_at__isnull=True),
    State.TRASHED: Q(trashed_at__isnull=False),
    State.FEATURED: NOT_REMOVED & Q(featured=True),
    State.PROMOTED: NOT_REMOVED & Q(running_promotion__isnull=False),
    State.STALE: NOT_REMOVED & ~Q(stale_texts=[]),
}

# By the name of an order: the column, and whether the greatest comes first. The key decides between equals.
ORDERS: dict[str, tuple[str, bool]] = {
    "newest": ("created_at", True),
    "oldest": ("created_at", False),
    "name": ("sort_name_fr", False),
    "-name": ("sort_name_fr", True),
    "price": ("price_from", False),
    "-price": ("price_from", True),
    "-updated": ("updated_at", True),
}
DEFAULT_ORDER = "newest"


@dataclass(frozen=True, slots=True)
class ProductQuery:
    """What a list is asked for. `state` is one of `State`, `ordering` one of `ORDERS`, `category` its key."""

    search: str = ""
    category: int | None = None
    state: str = State.CURRENT
    ordering: str = DEFAULT_ORDER


@dataclass(frozen=True, slots=True)
class ProductRows:
    """A part of a list with how many it has in all. `next_cursor` is empty on the last page."""

    products: list[Product]
    count: int
    next_cursor: str


@dataclass(frozen=True, slots=True)
class PricePeriod:
    """What an offer cost from `starts_at` on; `lowest_prior` is the lowest price of the 30 days before, if known."""

    starts_at: datetime
    amount: Decimal
    lowest_prior: Decimal | None


@dataclass(frozen=True, slots=True)
class OfferHistory:
    """The prices of one format and finish over time, the last one first."""

    label: str
    periods: tuple[PricePeriod, ...]


def find_products(
    query: ProductQuery, *, cursor: str = "", number: int = 1, size: int = PAGE_SIZE
) -> ProductRows:
    """Return a page: the one after `cursor`, else page `number`. Three queries: count, products, their photos;
    a search asks one more for each word.

    Raises BadCursor.
    """
    products = matching_products(query)
    ordered = _ordered(products, query.ordering)
    start = 0 if cursor else (number - 1) * size
    if query.search and not cursor:
        # They are looked for once, for the page and the count.
        keys = list(ordered.values_list("pk", flat=True))
        count, shown, start = len(keys), keys[start : start + size + 1], 0
        ordered = _ordered(Product.objects.filter(pk__in=shown), query.ordering)
    else:
        count = products.order_by().count()
    if cursor:
        ordered = _after(ordered, cursor, query.ordering)
    rows = ordered.select_related("category", "running_promotion").prefetch_related(
        Prefetch("images", ProductImage.objects.order_by("position", "pk"))
    )
    found = list(rows[start : start + size + 1])
    page = found[:size]
    following = _write_cursor(page[-1], query.ordering) if len(found) > size else ""
    return ProductRows(page, count, following)


def matching_products(query: ProductQuery) -> QuerySet[Product]:
    """The products of a list, in no order."""
    if query.state == State.SOLD_OUT:
        on_sale = Q(is_published=True) & ~available_condition()
        condition = NOT_REMOVED & (Q(in_stock=False) | on_sale)
    elif query.state == State.LOW_STOCK:
        condition = low_stock_condition()
    elif query.state == State.CUSTOMS:
        condition = Q(is_published=True) & without_customs_data()
    else:
        condition = _CONDITIONS[query.state]
    products = Product.objects.filter(condition)
    if query.category is not None:
        products = products.filter(category=query.category)
    return search_products(products, query.search)


def search_products(products: QuerySet[Product], text: str) -> QuerySet[Product]:
    """Those that have every word, as in the shop, or this very number, reference of a variant or external one."""
    words = staff_search.query_words(text)
    if not words:
        return products
    exact = text.strip()
    # Each by its own index.
    condition = Q(pk__in=Product.objects.filter(external_id=exact).order_by().values("pk"))
    condition |= Q(pk__in=Variant.objects.filter(sku=exact).order_by().values("product"))
    number = read_key(exact)
    if number is not None:
        condition |= Q(pk=number)
    return products.filter(staff_search.has_words(words) | condition)


def staff_product(product_id: int) -> Product | None:
    """One product with what its form shows, or None. Six queries: product, photos, formats, variants, picked similar
    products and its own promotion."""
    return (
        Product.objects.select_related("category", "running_promotion")
        .prefetch_related(
            Prefetch("images", ProductImage.objects.order_by("position", "pk")),
            "variations",
            Prefetch(
                "variants",
                Variant.objects.select_related("variation").order_by(
                    "variation__sort_order", "variation_id", "finish"
                ),
            ),
            "picked_similar",
            Prefetch("own_promotion", Promotion.objects.all()),
        )
        .filter(pk=product_id)
        .first()
    )


def offer_histories(product: Product) -> list[OfferHistory]:
    """The prices of each offer over time, those of formats that are no more among them. Three queries."""
    labels = {
        OfferKey(row.variation_id, row.finish): row.label for row in variants_of([product.pk])[product.pk]
    }
    history = price_histories([product.pk])[product.pk]
    formats = {row.pk: row for row in product.variations.all()}
    # Of a format that was removed nothing but its number is left.
    found = [(key in labels, labels.get(key) or _label(key, formats), key) for key in history]
    return [
        OfferHistory(
            label,
            tuple(
                PricePeriod(point.starts_at, point.amount, point.lowest_prior)
                for point in reversed(history[key])
            ),
        )
        for _is_there, label, key in sorted(found, key=lambda each: (not each[0], each[1]))
    ]


def _label(key: OfferKey, formats: Mapping[int, ProductVariation]) -> str:
    """What an offer that is no more was, as far as it is known."""
    row = Variant(variation=formats.get(key.variation_id or 0), finish=key.finish)
    if key.variation_id is None or row.variation is not None:
        return row.label
    name = _("Format supprimé n°\u00a0%(number)d") % {"number": key.variation_id}
    return " · ".join(filter(None, (name, row.label)))


def own_promotion_preview(product: Product, promotion: Promotion) -> list[PreviewRow]:
    """What each offer of the product costs once this becomes its own promotion; prices of the product that are not
    stored count as they stand in `product`. Three queries."""
    now = timezone.now()
    variants = variants_of([product.pk])[product.pk] if product.pk else []
    found = promotions_of([product.pk], now)[product.pk] if product.pk else []
    others = [each for each in found if each.promotion.product_id is None]
    history = price_histories([product.pk])[product.pk] if product.pk else {}
    promotion.pk = promotion.pk or max((each.promotion.pk for each in others), default=0) + 1
    then = pricing.running_promotion([*others, ProductPromotion(promotion, True)], now)
    current = pricing.running_promotion(found, now)
    return list(rows_of_product(product, variants, current, then, promotion, history, now))


def _ordered(products: QuerySet[Product], ordering: str) -> QuerySet[Product]:
    column, is_descending = ORDERS[ordering]
    return products.order_by(*((f"-{column}", "-pk") if is_descending else (column, "pk")))


def _after(products: QuerySet[Product], cursor: str, ordering: str) -> QuerySet[Product]:
    column, is_descending = ORDERS[ordering]
    value, key = _read_cursor(cursor, ordering)
    side, edge = ("lte", "gte") if is_descending else ("gte", "lte")
    # The first condition lets an index begin where the page does.
    return products.filter(**{f"{column}__{side}": value}).exclude(**{column: value, f"pk__{edge}": key})


def _write_cursor(product: Product, ordering: str) -> str:
    value = getattr(product, ORDERS[ordering][0])
    return urlsafe_b64encode(json.dumps([ordering, str(value), product.pk]).encode()).decode()


def _read_cursor(cursor: str, ordering: str) -> tuple[Any, int]:
    try:
        named, written, key = json.loads(urlsafe_b64decode(cursor.encode()))
        if named != ordering or type(key) is not int or not 0 < key < 2**63 or NOT_KEPT.search(written):
            raise BadCursor(cursor)
        column = ORDERS[ordering][0]
        if column == "sort_name_fr":
            return written, key
        if column == "price_from":
            price = Decimal(written)
            if not price.is_finite():
                raise BadCursor(cursor)
            return price, key
        return read_moment(written), key
    except (ValueError, TypeError, InvalidOperation) as error:
        raise BadCursor(cursor) from error
