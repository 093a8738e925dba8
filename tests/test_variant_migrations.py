"""A shop that counted by format is moved to variants, and back, without a unit lost or sold twice; its prices of
nothing are no prices any more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from tests.database import empty_tables

pytestmark = pytest.mark.both_engines

BEFORE = [("catalog", "0001_initial"), ("orders", "0001_initial")]
AFTER = [("catalog", "0002_variants"), ("orders", "0002_variants")]


def migrate(targets: list[tuple[str, str]]) -> Any:
    """The models of the database as it is then."""
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


@pytest.fixture(scope="module")
def database_of_then(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Taken back once for all tests of this module: the way there and back takes longer than they do."""
    with django_db_blocker.unblock():
        empty_tables()
        migrate(BEFORE)
        yield
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
        empty_tables()


@pytest.fixture
def old(database_of_then: None) -> Iterator[Any]:
    yield migrate(BEFORE)
    migrate(BEFORE)
    empty_tables()


class Shop:
    """A painted piece of two formats with an order of both, and a plain piece counted by itself."""

    def __init__(self, apps: Any) -> None:
        categories, products, formats = (
            apps.get_model("catalog", name).objects for name in ("Category", "Product", "ProductVariation")
        )
        mangas = categories.create(slug="mangas", name_fr="Mangas", kind="main", offers_finishes=True)
        goodies = categories.create(slug="goodies", name_fr="Goodies", kind="main")
        prices = {"painted_price": Decimal("129.00"), "unpainted_price": Decimal("62.00")}
        self.blade = products.create(
            name_fr="Lame", price=Decimal("129.00"), category=mangas, stock_quantity=10, **prices
        ).pk
        self.golem = products.create(
            name_fr="Golem",
            price=Decimal("40.00"),
            category=goodies,
            stock_quantity=3,
            painted_price=Decimal("9.00"),
        ).pk
        self.small = formats.create(
            product_id=self.blade, name_fr="9 cm", sku="LAM-09", stock_quantity=4, sort_order=1
        ).pk
        self.large = formats.create(
            product_id=self.blade, name_fr="18 cm", sku="LAM-18", in_stock=False, sort_order=2
        ).pk
        self.order = self._order(apps)

    def _order(self, apps: Any) -> Any:
        zero = Decimal("0.00")
        order = apps.get_model("orders", "Order").objects.create(
            reference="ABCD2345", email="lea@example.com", country="FR", status="pending", payment_mode="full",
            original_total=zero, promotion_savings=zero, subtotal=zero, shipping_cost=zero, total=zero,
            promised_by=date(2026, 12, 1), terms_accepted_at=timezone.now(), idempotency_key="one",
        )  # fmt: skip
        items, holds = (apps.get_model("orders", name).objects for name in ("OrderItem", "StockHold"))
        # product, format, finish, units, counted by the product, counted by the format
        for product, row, finish, quantity, of_product, of_format in (
            (self.blade, self.small, "painted", 2, True, True),
            (self.blade, self.large, "unpainted", 1, True, False),
            (self.golem, None, "", 1, True, False),
        ):
            own = {"order": order, "product_id": product, "variation_id": row, "quantity": quantity}
            items.create(**own, finish=finish, unit_price=zero, line_total=zero)
            holds.create(**own, state="held", product_counted=of_product, variation_counted=of_format)
        return order.pk


def variants(apps: Any) -> list[tuple[Any, ...]]:
    rows = apps.get_model("catalog", "Variant").objects.order_by("product", "variation", "finish")
    return list(rows.values_list("product", "variation", "finish", "sku", "in_stock", "stock_quantity"))


def test_formats_and_finishes_become_variants_and_units_stay_where_they_can_be_sold_once(old):
    shop = Shop(old)
    new = migrate(AFTER)
    assert variants(new) == [
        (shop.blade, shop.small, "painted", "LAM-09", True, 4),
        (shop.blade, shop.small, "unpainted", "", True, 0),
        (shop.blade, shop.large, "painted", "LAM-18", False, None),
        (shop.blade, shop.large, "unpainted", "", False, None),
        (shop.golem, None, "", "", True, None),
    ]
    products = new.get_model("catalog", "Product").objects
    assert dict(products.values_list("pk", "is_available")) == {shop.blade: True, shop.golem: True}
    assert dict(products.values_list("pk", "is_ready")) == {shop.blade: True, shop.golem: True}


def test_lines_and_holds_point_to_their_variant_and_give_back_what_was_taken_twice(old):
    shop = Shop(old)
    new = migrate(AFTER)
    sold = ["product", "variant__variation", "variant__finish"]
    expected = [
        (shop.blade, shop.small, "painted"),
        (shop.blade, shop.large, "unpainted"),
        (shop.golem, None, ""),
    ]
    items = new.get_model("orders", "OrderItem").objects.order_by("pk")
    holds = new.get_model("orders", "StockHold").objects.order_by("pk")
    assert list(items.values_list(*sold)) == expected
    assert list(holds.values_list(*sold, "level")) == [
        (*expected[0], "variant"),
        (*expected[1], "product"),
        (*expected[2], "product"),
    ]
    # The two of the small format were taken from it and from the product: it draws on its own number alone now.
    products = new.get_model("catalog", "Product").objects
    assert dict(products.values_list("pk", "stock_quantity")) == {shop.blade: 12, shop.golem: 3}


def test_going_back_formats_count_the_units_of_all_their_finishes(old):
    shop = Shop(old)
    new = migrate(AFTER)
    new.get_model("catalog", "Variant").objects.filter(variation=shop.small, finish="unpainted").update(
        stock_quantity=3
    )
    back = migrate(BEFORE)
    formats = back.get_model("catalog", "ProductVariation").objects.order_by("sort_order")
    assert list(formats.values_list("pk", "sku", "in_stock", "stock_quantity")) == [
        (shop.small, "LAM-09", True, 7),
        (shop.large, "LAM-18", False, None),
    ]
    items = back.get_model("orders", "OrderItem").objects.order_by("pk")
    assert list(items.values_list("product", "variation", "finish")) == [
        (shop.blade, shop.small, "painted"),
        (shop.blade, shop.large, "unpainted"),
        (shop.golem, None, ""),
    ]
    holds = back.get_model("orders", "StockHold").objects.order_by("pk")
    assert list(holds.values_list("variation", "product_counted", "variation_counted")) == [
        (shop.small, False, True),
        (shop.large, True, False),
        (None, True, False),
    ]


def test_an_empty_shop_goes_there_and_back(old):
    assert variants(migrate(AFTER)) == []
    migrate(BEFORE)


def test_a_price_of_nothing_is_dropped_and_what_had_no_other_leaves_the_catalogue(old):
    shop = Shop(old)
    zero, products = Decimal("0.00"), old.get_model("catalog", "Product").objects
    products.filter(pk=shop.golem).update(price=zero, painted_price=zero)
    products.filter(pk=shop.blade).update(unpainted_price=zero, original_price=zero)
    formats = old.get_model("catalog", "ProductVariation").objects
    formats.filter(pk=shop.small).update(price_override=zero)
    formats.filter(pk=shop.large).update(price_override=Decimal("99.00"))
    new = migrate([("catalog", "0006_positive_prices"), AFTER[1]])
    columns = ("pk", "price", "original_price", "painted_price", "unpainted_price", "is_published")
    assert list(new.get_model("catalog", "Product").objects.order_by("pk").values_list(*columns)) == [
        (shop.blade, Decimal("129.00"), None, Decimal("129.00"), None, True),
        (shop.golem, Decimal("0.01"), None, None, None, False),
    ]
    formats = new.get_model("catalog", "ProductVariation").objects.order_by("sort_order")
    assert list(formats.values_list("pk", "price_override")) == [
        (shop.small, None),
        (shop.large, Decimal("99.00")),
    ]
    rows = new.get_model("catalog", "Variant").objects.filter(in_stock=True)
    assert list(rows.values_list("product", "variation").distinct()) == [(shop.golem, None)]
    with pytest.raises(IntegrityError), transaction.atomic():
        new.get_model("catalog", "Product").objects.filter(pk=shop.blade).update(price=zero)
