"""What every history of the catalogue must keep, after each step and at its end."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from django.db import transaction
from django.http import QueryDict
from django.test import Client
from hypothesis.stateful import invariant

from catalog import pricing
from catalog.models import Category, PricePoint, Product, Variant
from catalog.selectors.addresses import product_url
from catalog.selectors.availability import LAST_UNIT, availability_of, low_stock_condition
from catalog.selectors.cards import build_cards, read_cards_of
from catalog.selectors.categories import listed_categories
from catalog.selectors.filters import CHOICES, read_filters
from catalog.selectors.listing import find_filtered, find_products, search_products
from catalog.selectors.sellables import Sellable, SellableKey, find_sellables
from catalog.selectors.variants import variants_of
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import refresh_product

PERIOD = timedelta(days=30)
STORED = (
    *(f"sort_name_{language}" for language in ("fr", "en", "es", "de")),
    *("published_at", "search_text", "price_from", "price_to", "crossed_out", "reduced_price"),
    *("running_promotion_id", "is_available", "is_ready", "has_small", "has_medium", "has_large"),
)
Seen = tuple[datetime, Decimal]


class HistoryLaws:
    """What a state machine inherits that plays the catalogue."""

    clock: datetime
    played: Counter[str]
    # What shoppers could read of the price of each variant, and when.
    seen: ClassVar[defaultdict[tuple[int, int | None, str], list[Seen]]] = defaultdict(list)
    points: ClassVar[dict[int, list[Any]]] = {}

    @invariant()
    def what_lists_read_is_up_to_date(self) -> None:
        """A refresh finds nothing to do, but to record the promotions that are due."""
        with transaction.atomic():
            refresh_due_promotions()
            before = self.derived()
            for pk in before[0]:
                refresh_product(product_id=pk)
            after = self.derived()
            transaction.set_rollback(True)
        assert before == after

    @staticmethod
    def derived() -> tuple[Any, ...]:
        columns = {row.pop("pk"): row for row in Product.objects.values("pk", *STORED)}
        variants = set(Variant.objects.values_list("pk", "product", "variation", "finish", "stock_quantity"))
        return columns, variants, PricePoint.objects.count()

    @invariant()
    def what_is_sold_is_what_pages_offer(self) -> None:
        for product in Product.objects.select_related("category"):
            offered = offered_of(product)
            assert offered
            default = SellableKey(product.pk, None, "")
            sold = find_sellables([*map(key_of, offered), default])
            if not product.is_published:
                assert {row.problem for row in sold.values()} == {"unknown_product"}
                continue
            assert sold[default].variant_id == (pricing.first_variant(product, offered) or offered[0]).pk
            for row in offered:
                self.is_sold_as_offered(product, row, sold[key_of(row)])
            assert product.is_available == any(availability_of(product, row).available for row in offered)
            lasts = any(is_last(product, row) for row in offered)
            assert Product.objects.filter(low_stock_condition(), pk=product.pk).exists() == lasts

    def is_sold_as_offered(self, product: Product, row: Variant, sold: Sellable) -> None:
        available = availability_of(product, row)
        assert sold.variant_id == row.pk
        assert sold.problem == (None if available.available else "out_of_stock")
        assert sold.available_quantity == available.quantity or not available.available
        assert sold.unit_price is not None
        assert sold.unit_price > 0
        self.no_price_is_crossed_out_that_was_not_asked(sold, sold.unit_price)

    def no_price_is_crossed_out_that_was_not_asked(self, sold: Sellable, price: Decimal) -> None:
        """Nor one above the lowest of the thirty days before (L112-1-1)."""
        seen = self.seen[sold.product_id, sold.variation_id, sold.finish]
        seen.append((self.clock, price))
        if sold.original_price is None:
            return
        self.played["crossed out"] += 1
        others = [number for number, (_moment, other) in enumerate(seen) if other != price]
        began, _price = seen[others[-1] + 1 if others else 0]
        before = [other for moment, other in seen if began - PERIOD < moment < began]
        assert price < sold.original_price <= min(before, default=sold.original_price), seen

    @invariant()
    def prices_over_time_are_added_never_changed(self) -> None:
        rows = PricePoint.objects.values_list("pk", "product", "variation", "finish", "amount", "starts_at")
        points = {pk: row for pk, *row in rows}
        assert points.items() >= self.points.items()
        self.points.update(points)

    @invariant()
    def lists_count_what_they_show(self) -> None:
        categories = set(Category.objects.values_list("pk", flat=True))
        asked = [QueryDict(f"{choice.name}={choice.value}") for choice in CHOICES]
        asked += [
            QueryDict(),
            QueryDict("price_min=10&price_max=60"),
            QueryDict("finish=painted&availability=ready"),
        ]
        for query in asked:
            filters = read_filters(query)
            shown = find_filtered(category_ids=categories, filters=filters)
            assert (
                shown.count
                == len(shown.keys)
                == find_products(category_ids=categories, condition=filters.condition()).count
            )

    @invariant()
    def cards_and_records_say_what_is_charged(self) -> None:
        """Once what is due is recorded, as the job and every change do first."""
        with transaction.atomic():
            refresh_due_promotions()
            keys = list(Product.objects.filter(is_published=True).values_list("pk", flat=True))
            for card in build_cards(read_cards_of(keys)):
                sold = find_sellables(
                    [*map(key_of, offered_of(Product.objects.select_related("category").get(pk=card.id)))]
                )
                listed = [row for row in sold.values() if row.problem is None] or [*sold.values()]
                prices = {row.unit_price for row in listed if row.unit_price is not None}
                assert (card.price, card.price_to) == (min(prices), max(prices) if len(prices) > 1 else None)
                assert card.available == any(row.problem is None for row in sold.values())
                crossed = {(row.unit_price, row.original_price) for row in listed if row.original_price}
                shown = card.original_price and (card.reduced_price or card.price, card.original_price)
                assert shown in crossed if crossed else shown is None
                for key, row in sold.items():
                    points = PricePoint.objects.filter(
                        product=key.product_id, variation=key.variation_id, finish=key.finish
                    )
                    amounts = points.order_by("starts_at", "pk").values_list("amount", flat=True)
                    assert amounts.last() == row.unit_price
            transaction.set_rollback(True)

    @invariant()
    def categories_count_what_they_hold(self) -> None:
        for card in listed_categories(with_collections=True):
            own = Product.objects.filter(category=card.pk, is_published=True)
            assert (card.listed, card.count) == (own.count(), own.filter(is_available=True).count())

    def pages_and_search_agree(self) -> None:
        client = Client()
        for product in Product.objects.all():
            assert client.get(product_url(product)).status_code == (200 if product.is_published else 404)
            assert (product.pk in search_products(text=product.name).keys) == product.is_published


def offered_of(product: Product) -> list[Variant]:
    return pricing.offered_variants(product, variants_of([product.pk])[product.pk])


def key_of(row: Variant) -> SellableKey:
    return SellableKey(row.product_id, row.variation_id, row.finish)


def is_last(product: Product, row: Variant) -> bool:
    """Whether a variant on sale has its last unit, or none."""
    own = product.stock_quantity if row.stock_quantity is None else row.stock_quantity
    return product.in_stock and row.in_stock and own is not None and own <= LAST_UNIT
