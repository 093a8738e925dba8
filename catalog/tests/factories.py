"""Rows for the tests of the catalogue, written through the services where the rules are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from io import BytesIO
from typing import Any

from django.contrib.auth import get_user_model
from PIL import Image

from catalog.models import (
    Category,
    CategoryKind,
    Product,
    ProductImage,
    ProductVariation,
    Promotion,
    Variant,
)
from catalog.services.products import save_product, save_variant, save_variation
from catalog.services.promotions import save_promotion, set_own_promotion


def make_category(slug: str = "goodies-divers", **fields: Any) -> Category:
    values: dict[str, Any] = {"name_fr": slug.replace("-", " ").title(), "kind": CategoryKind.MAIN, **fields}
    return Category.objects.get_or_create(slug=slug, defaults=values)[0]


def make_finish_category(slug: str = "mangas", **fields: Any) -> Category:
    return make_category(slug, offers_finishes=True, **fields)


def make_product(name: str = "Lame d'automne", price: str = "40.00", **fields: Any) -> Product:
    category = fields.pop("category", None) or make_category()
    own = {field: fields.pop(field) for field in list(fields) if field.startswith("promotion_")}
    for field in ("original_price", "painted_price", "unpainted_price"):
        if isinstance(fields.get(field), str):
            fields[field] = Decimal(fields[field])
    product = save_product(product=Product(name_fr=name, price=Decimal(price), category=category, **fields))
    if own:
        set_own_promotion(product=product, **{"promotion_active": False, "promotion_type": "", **own})
        product.refresh_from_db()
    return product


def make_promotion(*products: Product, categories: Sequence[Category] = (), **fields: Any) -> Promotion:
    """A promotion of some products or categories: 20 % off unless `fields` say otherwise."""
    values: dict[str, Any] = {"name": "Promotion", **fields}
    if "type" not in values:
        values |= {"type": "percent", "percent": values.get("percent", 20)}
    if isinstance(values.get("amount"), str):
        values["amount"] = Decimal(values["amount"])
    return save_promotion(promotion=Promotion(**values), products=products, categories=categories)


def make_variation(product: Product, name: str = "Petite", **fields: Any) -> ProductVariation:
    """A format; what a variant alone has (`stock_quantity`, `in_stock`, `sku`) goes to each of its finishes."""
    own = {field: fields.pop(field) for field in ("stock_quantity", "in_stock", "sku") if field in fields}
    for field in ("price_override", "price_adjustment"):
        if isinstance(fields.get(field), str):
            fields[field] = Decimal(fields[field])
    variation = save_variation(variation=ProductVariation(product=product, name_fr=name, **fields))
    if own:
        for variant in variation.variants.all():
            change_variant(variant, **own)
    return variation


def variant_of(product: Product, variation: ProductVariation | None = None, finish: str = "") -> Variant:
    """The row that is sold under these choices."""
    return product.variants.get(variation=variation, finish=finish)


def change_variant(variant: Variant, **fields: Any) -> Variant:
    for field, value in fields.items():
        setattr(variant, field, value)
    return save_variant(variant=variant)


def change_product(product: Product, **fields: Any) -> Product:
    """Written as staff do; reads the row first, so that what was changed meanwhile stays."""
    row = Product.objects.get(pk=product.pk)
    for field, value in fields.items():
        setattr(row, field, value)
    return save_product(product=row)


def make_image(product: Product, position: int = 1, **fields: Any) -> ProductImage:
    """A row alone: tests of pages need no file behind it."""
    values: dict[str, Any] = {
        "file": f"products/{product.pk}-{position}.jpg",
        "width": 1200,
        "height": 900,
        "colour": "#a0b0c0",
        "derivatives": {"widths": [360, 768]},
        **fields,
    }
    return ProductImage.objects.create(product=product, position=position, **values)


def picture(
    kind: str = "JPEG",
    size: tuple[int, int] = (60, 40),
    **options: Any,
) -> BytesIO:
    """An encoded picture of one colour."""
    written = BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(written, kind, **options)
    written.seek(0)
    return written


def make_user(email: str = "client@example.com") -> Any:
    return get_user_model().objects.create_user(email, "figurine-atelier-2026")
