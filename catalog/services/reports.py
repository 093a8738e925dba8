"""What programs of others are told of products and stock. Nothing is read while nobody asks for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from catalog.models import Product, Variant
from catalog.selectors.availability import Level
from catalog.selectors.product_documents import product_documents
from shop.integrations.events import is_wanted, record_event, record_events
from shop.integrations.models import EventKind

_STOCK = ("stock_quantity", "in_stock")


def report_product(product_id: int, kind: EventKind = EventKind.PRODUCT_UPDATED) -> None:
    """Report a product as it is now, in the transaction of its change."""
    record_event(
        kind,
        subject=f"product:{product_id}",
        data=lambda: {"product": _reported([product_id])[product_id]},
    )


def report_products(product_ids: Collection[int]) -> None:
    """Report products that something beside them changed: a promotion, their category. Nine queries, however many."""
    record_events(
        EventKind.PRODUCT_UPDATED,
        data=lambda: {f"product:{pk}": {"product": row} for pk, row in _reported(product_ids).items()},
    )


def report_deletion(product: Product) -> None:
    """Report a product that is about to be deleted."""
    record_event(
        EventKind.PRODUCT_DELETED,
        subject=f"product:{product.pk}",
        data=lambda: {
            "product": {"id": product.pk, "name": product.name, "external_id": product.external_id}
        },
    )


def report_stock(levels: Iterable[Level]) -> None:
    """Report the numbers of units that were just changed. One query for products, one for variants."""
    if not is_wanted(EventKind.STOCK_CHANGED):
        return
    keys: dict[str, list[int]] = {"product": [], "variant": []}
    for kind, pk in levels:
        keys[kind].append(pk)
    for product in Product.objects.filter(pk__in=keys["product"]).order_by("pk"):
        _report_level("product", product.pk, {"product_id": product.pk, "variant_id": None}, product)
    variants = Variant.objects.filter(pk__in=keys["variant"]).order_by("pk")
    for variant in variants:
        named = {
            "product_id": variant.product_id,
            "variant_id": variant.pk,
            "variation_id": variant.variation_id,
            "finish": variant.finish or None,
            "sku": variant.sku,
        }
        _report_level("variant", variant.pk, named, variant)


@contextmanager
def watch_stock(product_ids: Iterable[int | None]) -> Iterator[None]:
    """Report what the block changes of the stock of these products and their variants."""
    keys = [pk for pk in product_ids if pk is not None]
    if not keys or not is_wanted(EventKind.STOCK_CHANGED):
        yield
        return
    before = _levels(keys)
    yield
    report_stock([level for level, stock in _levels(keys).items() if before.get(level) != stock])


def _reported(product_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """The documents without what only a program that sends one back needs."""
    documents = product_documents(product_ids)
    for document in documents.values():
        for told in (document, *document["variants"]):
            del told["seen_stock_quantity"]
    return documents


def _levels(product_ids: list[int]) -> dict[Level, tuple[Any, ...]]:
    products = Product.objects.filter(pk__in=product_ids).values_list("pk", *_STOCK)
    variants = Variant.objects.filter(product_id__in=product_ids).values_list("pk", *_STOCK)
    return {("product", pk): tuple(stock) for pk, *stock in products} | {
        ("variant", pk): tuple(stock) for pk, *stock in variants
    }


def _report_level(kind: str, pk: int, named: dict[str, Any], row: Product | Variant) -> None:
    data = {**named, **{name: getattr(row, name) for name in _STOCK}}
    record_event(EventKind.STOCK_CHANGED, subject=f"stock:{kind}:{pk}", data=lambda: {"stock": data})
