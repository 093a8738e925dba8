"""Random histories of the catalogue: what staff and customers do to products, formats, finishes, categories, promotions
and units, in any order and at any moment.

After every step the shop must show and sell what the rows say, and cross out no price that the law forbids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import time_machine
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from catalog.models import Category, Product, ProductVariation, Promotion, Variant
from catalog.services.categories import delete_category, save_category
from catalog.services.prices import refresh_due_promotions
from catalog.services.product_copies import duplicate_product
from catalog.services.product_removal import (
    archive_products,
    delete_trashed,
    purge_trash,
    restore_products,
    trash_products,
    unarchive_products,
)
from catalog.services.promotions import delete_promotion, end_promotion, save_promotion
from catalog.services.staff_products import change_product, change_products, create_product
from catalog.services.stock import StockUnit, hold_stock, release_stock
from catalog.services.variant_grid import (
    GridRow,
    add_format,
    change_format,
    grid_version,
    remove_format,
    save_grid,
)
from catalog.tests.history_laws import HistoryLaws
from shop.core import boundaries
from shop.core.problems import Problem

BEGIN = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
MOST_PRODUCTS, MOST_FORMATS, MOST_PROMOTIONS = 4, 3, 3
WAITS = [timedelta(0), timedelta(minutes=1), timedelta(hours=7), timedelta(days=3), timedelta(days=31)]

numbers = st.integers(0, 3)
cents = st.sampled_from(
    [Decimal("0.02"), Decimal("9.99"), Decimal("40.00"), Decimal("60.00"), Decimal("79.90")]
)
maybe_cents = st.none() | cents
units = st.none() | st.integers(0, 4)
heights = st.sampled_from([None, Decimal("11.9"), Decimal("12.0"), Decimal("18.0")])
columns = st.fixed_dictionaries(
    {},
    optional={
        "price": cents,
        "original_price": st.none() | st.sampled_from([Decimal("60.00"), Decimal("120.00")]),
        "painted_price": maybe_cents,
        "unpainted_price": maybe_cents,
        "in_stock": st.booleans(),
        "stock_quantity": units,
        "is_published": st.booleans(),
        "height_cm": heights,
        "name_fr": st.sampled_from(["Golem", "Hibou gris", "Été"]),
        "name_de": st.sampled_from(["", "Eule"]),
        "promotion_active": st.booleans(),
        "promotion_type": st.sampled_from(["percent", "buy_2_get_1", "amount"]),
        "promotion_percent": st.sampled_from([1, 20, 99]),
        "promotion_amount": cents,
    },
)
moments = st.none() | st.sampled_from(
    [timedelta(days=-2), timedelta(0), timedelta(hours=8), timedelta(days=4)]
)


class CatalogueHistories(HistoryLaws, RuleBasedStateMachine):
    """Each history is rolled back when it has ended."""

    played: Counter[str] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.clock = BEGIN
        self.seen.clear()
        self.points.clear()
        self.frame = ExitStack()
        self.frame.enter_context(transaction.atomic())
        self.traveller = self.frame.enter_context(time_machine.travel(BEGIN, tick=False))
        boundaries._known = None

    def teardown(self) -> None:
        try:
            self.pages_and_search_agree()
            self.played["histories"] += 1
        finally:
            transaction.set_rollback(True)
            self.frame.close()

    @initialize(price=cents, painted=maybe_cents, rise=st.booleans())
    def begin(self, price: Decimal, painted: Decimal | None, rise: bool) -> None:
        """A piece that was on sale for long, perhaps dearer in the last days: a reduction may be shown now."""
        for slug, options in (
            ("figurines", {"offers_finishes": True, "offers_formats": True}),
            ("divers", {}),
        ):
            save_category(category=Category(slug=slug, name_fr=slug, name=slug, **options))
        self.create(0, {"name_fr": "Golem", "price": price, "painted_price": painted})
        self.time_passes(timedelta(days=40), True)
        self.what_is_sold_is_what_pages_offer()
        if rise:
            self.change(0, {"price": price + 30, "painted_price": painted and painted + 30})
            self.time_passes(timedelta(days=2), True)
            self.what_is_sold_is_what_pages_offer()

    # --- Products ---------------------------------------------------------------------------------------

    @precondition(lambda self: Product.objects.count() < MOST_PRODUCTS)
    @rule(category=numbers, values=columns)
    def create(self, category: int, values: dict[str, Any]) -> None:
        chosen = self.one(Category, category)
        assert chosen is not None
        self.staff(
            "created",
            create_product,
            values={"name_fr": "Renard", "price": Decimal("30.00"), **values, "category": chosen},
        )

    @rule(number=numbers, values=columns)
    def change(self, number: int, values: dict[str, Any]) -> None:
        product = self.one(Product, number)
        if product and values:
            self.staff("changed", change_product, product_id=product.pk, values=values)

    @rule(number=numbers, category=numbers)
    def move(self, number: int, category: int) -> None:
        product = self.one(Product, number)
        if product:
            self.staff(
                "moved",
                change_product,
                product_id=product.pk,
                values={"category": self.one(Category, category)},
            )

    @rule(values=columns)
    def change_all(self, values: dict[str, Any]) -> None:
        values = {name: value for name, value in values.items() if not name.startswith("name")}
        keys = list(Product.objects.values_list("pk", flat=True))
        if values:
            self.staff("changed at once", change_products, product_ids=keys, values=values)

    @rule(
        number=numbers,
        do=st.sampled_from([archive_products, unarchive_products, trash_products, restore_products]),
    )
    def remove_or_bring_back(self, number: int, do: Any) -> None:
        product = self.one(Product, number)
        if product:
            self.staff(do.__name__, do, product_ids=[product.pk])

    @rule(number=numbers)
    def delete(self, number: int) -> None:
        product = self.one(Product, number)
        if product:
            self.staff("deleted", delete_trashed, product_id=product.pk)

    @precondition(lambda self: Product.objects.count() < MOST_PRODUCTS)
    @rule(number=numbers)
    def duplicate(self, number: int) -> None:
        product = self.one(Product, number)
        if product:
            self.staff("copied", duplicate_product, product_id=product.pk)

    # --- Formats and variants -----------------------------------------------------------------------------

    @rule(
        number=numbers,
        name=st.sampled_from(["18 cm", "30 cm", "Bleu"]),
        adjustment=st.sampled_from([Decimal("0.00"), Decimal("-5.00"), Decimal("12.50")]),
        override=maybe_cents,
        is_default=st.booleans(),
    )
    def add_format(self, number: int, name: str, **values: Any) -> None:
        product = self.one(Product, number)
        if product and product.variations.count() < MOST_FORMATS:
            self.staff(
                "formats added",
                add_format,
                product_id=product.pk,
                values=self.of_format(name_fr=name, **values),
            )

    @rule(
        number=numbers,
        which=numbers,
        adjustment=st.sampled_from([Decimal("0.00"), Decimal("7.00")]),
        override=maybe_cents,
        is_default=st.booleans(),
        in_stock=st.booleans(),
    )
    def change_format(self, number: int, which: int, **values: Any) -> None:
        format_ = self.format(number, which)
        if format_:
            self.staff(
                "formats changed",
                change_format,
                product_id=format_.product_id,
                variation_id=format_.pk,
                values=self.of_format(**values),
            )

    @rule(number=numbers, which=numbers)
    def remove_format(self, number: int, which: int) -> None:
        format_ = self.format(number, which)
        if format_:
            self.staff(
                "formats removed", remove_format, product_id=format_.product_id, variation_id=format_.pk
            )

    @rule(
        number=numbers, which=numbers, price=maybe_cents, in_stock=st.booleans(), stock=units, height=heights
    )
    def change_variant(
        self, number: int, which: int, price: Any, in_stock: bool, stock: Any, height: Any
    ) -> None:
        product = self.one(Product, number)
        rows = list(product.variants.order_by("pk")) if product else []
        if product and rows:
            row = rows[which % len(rows)]
            values = {
                "price": price if row.variation_id else None,
                "in_stock": in_stock,
                "stock_quantity": stock,
                "height_cm": height,
            }
            version = grid_version(list(product.variations.all()), list(product.variants.all()), [])
            self.staff(
                "variants changed",
                save_grid,
                product_id=product.pk,
                rows=[GridRow(row.pk, values, seen_stock=row.stock_quantity)],
                version=version,
            )

    # --- Categories ---------------------------------------------------------------------------------------

    @rule(
        number=numbers,
        finishes=st.booleans(),
        formats=st.booleans(),
        name=st.sampled_from(["Mangas", "Divers"]),
    )
    def change_category(self, number: int, finishes: bool, formats: bool, name: str) -> None:
        category = self.one(Category, number)
        if category:
            category.offers_finishes, category.offers_formats, category.name_fr = finishes, formats, name
            with suppress(Problem), transaction.atomic():
                save_category(category=category)
                self.played["categories changed"] += 1

    @rule(number=numbers)
    def delete_category(self, number: int) -> None:
        category = self.one(Category, number)
        if category and Category.objects.count() > 1:
            with suppress(Problem), transaction.atomic():
                delete_category(category=category)
                self.played["categories deleted"] += 1

    # --- Promotions ---------------------------------------------------------------------------------------

    @precondition(lambda self: Promotion.objects.filter(product=None).count() < MOST_PROMOTIONS)
    @rule(
        number=numbers,
        category=numbers,
        kind=st.sampled_from(["percent", "amount", "buy_3_get_1"]),
        starts=moments,
        ends=moments,
        chosen=st.booleans(),
        amount=cents,
        percent=st.sampled_from([5, 50, 99]),
    )
    def promote(
        self,
        number: int,
        category: int,
        kind: str,
        starts: Any,
        ends: Any,
        chosen: bool,
        amount: Decimal,
        percent: int,
    ) -> None:
        product, shelf = self.one(Product, number), self.one(Category, category)
        promotion = Promotion(
            name="P",
            type=kind,
            percent=percent,
            amount=amount,
            starts_at=None if starts is None else self.clock + starts,
            ends_at=None if ends is None else self.clock + ends,
        )
        with suppress(Problem), transaction.atomic():
            save_promotion(
                promotion=promotion,
                products=[product] if chosen and product else [],
                categories=[] if chosen or not shelf else [shelf],
            )
            self.played["promoted"] += 1

    @rule(number=numbers, do=st.sampled_from([end_promotion, delete_promotion]))
    def end(self, number: int, do: Any) -> None:
        promotion = self.one(Promotion, number)
        if promotion:
            do(promotion=promotion)
            self.played[do.__name__] += 1

    # --- Customers and the clock ----------------------------------------------------------------------------

    @rule(number=numbers, which=numbers, quantity=st.integers(1, 3), kept=st.booleans())
    def order(self, number: int, which: int, quantity: int, kept: bool) -> None:
        """Units are held, and come back unless the order is paid."""
        product = self.one(Product, number)
        rows = list(product.variants.order_by("pk")) if product else []
        if not rows:
            return
        before = self.counted()
        with suppress(Problem), transaction.atomic():
            held = hold_stock(units=[StockUnit(rows[which % len(rows)].pk, quantity)])
            assert self.counted() == before - sum(unit.quantity for unit in held if unit.level)
            self.played["held"] += 1
            if not kept:
                release_stock(units=held)
                assert self.counted() == before
                self.played["released"] += 1

    @rule(wait=st.sampled_from(WAITS[1:]), heard=st.booleans())
    def time_passes(self, wait: timedelta, heard: bool) -> None:
        """The job that records promotions may be late."""
        self.clock += wait
        self.traveller.move_to(self.clock)
        if heard:
            refresh_due_promotions()
            purge_trash(now=self.clock)
        self.played["waited"] += 1

    # --- Choosing -------------------------------------------------------------------------------------------

    def staff(self, name: str, do: Callable[..., Any], **values: Any) -> None:
        """Whatever is refused changes nothing."""
        with suppress(Problem), transaction.atomic():
            do(**values, actor=None)
            self.played[name] += 1

    @staticmethod
    def of_format(*, adjustment: Decimal, override: Decimal | None, **values: Any) -> dict[str, Any]:
        return {**values, "price_adjustment": adjustment, "price_override": override}

    def format(self, number: int, which: int) -> ProductVariation | None:
        product = self.one(Product, number)
        rows = list(product.variations.order_by("pk")) if product else []
        return rows[which % len(rows)] if rows else None

    @staticmethod
    def counted() -> int:
        """All units that are counted, of products and of variants."""
        numbers = [
            *Product.objects.values_list("stock_quantity", flat=True),
            *Variant.objects.values_list("stock_quantity", flat=True),
        ]
        return sum(number or 0 for number in numbers)

    @staticmethod
    def one(model: Any, number: int) -> Any:
        found = list(model.objects.order_by("pk"))
        return found[number % len(found)] if found else None
