"""Units of products and variants, and what the rows and the lists say of them."""

from __future__ import annotations

from catalog.models import Product, Variant
from catalog.services.stock import StockUnit
from catalog.tests.factories import make_finish_category, make_product, variant_of


def levels(*rows: Product | Variant) -> list[int | None]:
    return [type(row).objects.get(pk=row.pk).stock_quantity for row in rows]


def state(product: Product) -> tuple[bool, bool]:
    """Whether lists say that it can be bought, and that it can leave at once."""
    return Product.objects.values_list("is_available", "is_ready").get(pk=product.pk)


def unit(row: Product | Variant, quantity: int = 1) -> StockUnit:
    return StockUnit((variant_of(row) if isinstance(row, Product) else row).pk, quantity)


def counted(row: Product | Variant, quantity: int = 1) -> StockUnit:
    """Such a unit once it is held."""
    kind = "product" if isinstance(row, Product) else "variant"
    return StockUnit(unit(row).variant_id, quantity, (kind, row.pk))


def painted_and_raw(**fields: object) -> tuple[Product, Variant, Variant]:
    product = make_product(
        price="129.00",
        category=make_finish_category(),
        painted_price="129.00",
        unpainted_price="62.00",
        **fields,
    )
    return product, variant_of(product, finish="painted"), variant_of(product, finish="unpainted")
