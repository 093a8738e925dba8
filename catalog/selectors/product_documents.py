"""A product as programs read and write it: what is stored, under the names of the HTTP contract.

Other than `GET /api/products/{id}` it shows what staff entered, not what a shopper pays today.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils import translation

from catalog.models import (
    PRODUCT_TEXTS,
    PictureImport,
    Product,
    ProductImage,
    ProductVariation,
    Promotion,
    Variant,
)
from catalog.pricing import full_price, offered_variants
from catalog.selectors.addresses import product_url
from catalog.selectors.pictures import image_info
from catalog.selectors.staff_variants import format_marks, format_variants
from catalog.selectors.variants import variants_of
from catalog.selectors.wording import default_production_days, production_days, production_text
from shop.core.languages import SOURCE_LANGUAGE, TRANSLATIONS
from shop.core.money import amount_string
from shop.core.site import absolute_url

OWN_COLUMNS = (
    *("featured", "in_stock", "stock_quantity", "is_published", "dimensions", "weight", "weight_grams"),
    *("hs_code", "production_days_min", "production_days_max", "source", "external_id"),
    *("safety_class", "minimum_age", "maker"),
)
PRICES = ("price", "original_price", "painted_price", "unpainted_price")
VARIANT_COLUMNS = (
    *("sku", "in_stock", "stock_quantity", "weight_grams", "production_days_min", "production_days_max"),
    *("dimensions", "weight"),
)


def product_documents(product_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """The documents of these products by key, published or not, in French. Six queries, however many products."""
    products = Product.objects.filter(pk__in=product_ids).select_related("category")
    variations: dict[int, list[ProductVariation]] = {pk: [] for pk in product_ids}
    for variation in ProductVariation.objects.filter(product_id__in=product_ids):
        variations[variation.product_id].append(variation)
    variants: dict[int, list[Variant]] = {pk: [] for pk in product_ids}
    rows = Variant.objects.filter(product_id__in=product_ids).select_related("variation")
    for variant in rows.order_by("variation__sort_order", "variation_id", "finish"):
        variants[variant.product_id].append(variant)
    images: dict[int, list[ProductImage]] = {pk: [] for pk in product_ids}
    for image in ProductImage.objects.filter(product_id__in=product_ids).order_by("position", "pk"):
        images[image.product_id].append(image)
    imports: dict[int, list[PictureImport]] = {pk: [] for pk in product_ids}
    for waiting in PictureImport.objects.filter(product_id__in=product_ids).order_by("position", "pk"):
        imports[waiting.product_id].append(waiting)
    promotions = {row.product_id: row for row in Promotion.objects.filter(product_id__in=product_ids)}
    with translation.override(SOURCE_LANGUAGE):
        return {
            product.pk: _document(
                product,
                variations[product.pk],
                variants[product.pk],
                images[product.pk],
                imports[product.pk],
                promotions.get(product.pk),
            )
            for product in products
        }


def stock_rows() -> QuerySet[Variant]:
    """Every variant with its product, in a steady order, but for those of products in the trash."""
    rows = Variant.objects.filter(product__trashed_at=None).select_related("product__category")
    return rows.order_by("product_id", "pk")


def stock_documents(variants: Sequence[Variant]) -> list[dict[str, Any]]:
    """The units of these rows of `stock_rows`: each its own number, else its product's. What is not offered is not in
    stock. One query."""
    products = {row.product_id: row.product for row in variants}
    found = variants_of(products)
    offered = {row.pk for pk, product in products.items() for row in offered_variants(product, found[pk])}
    return [_stock_document(row, is_offered=row.pk in offered) for row in variants]


def _stock_document(variant: Variant, *, is_offered: bool) -> dict[str, Any]:
    own = variant.stock_quantity
    return {
        "product_id": variant.product_id,
        "variant_id": variant.pk,
        "variation_id": variant.variation_id,
        "finish": variant.finish or None,
        "sku": variant.sku,
        "stock_quantity": variant.product.stock_quantity if own is None else own,
        "in_stock": is_offered and variant.in_stock and variant.product.in_stock,
    }


def image_address(image: ProductImage) -> str:
    """The absolute address of a stored photo."""
    return absolute_url(image_info(image, "").url)


def own_addresses(image: ProductImage) -> set[str]:
    """Every address by which a program may name a photo: of the file that is shown, of the whole picture, which was
    shown before staff cropped it, and the one that it was copied from."""
    files = [image.file.name or "", *([image.whole["file"]] if image.whole else [])]
    paths = [image.file.storage.url(file) for file in files]
    return {*paths, *map(absolute_url, paths), image.source_url} - {""}


def _document(
    product: Product,
    variations: list[ProductVariation],
    variants: list[Variant],
    images: list[ProductImage],
    imports: list[PictureImport],
    promotion: Promotion | None,
) -> dict[str, Any]:
    days = production_days(product, None, default_production_days())
    gallery = [image_address(image) for image in images if image.variation_id is None]
    return {
        "id": product.pk,
        "url": absolute_url(product_url(product)),
        **{name: getattr(product, f"{name}_{SOURCE_LANGUAGE}") or "" for name in PRODUCT_TEXTS},
        "translations": {
            language: {name: getattr(product, f"{name}_{language}") or "" for name in PRODUCT_TEXTS}
            for language in TRANSLATIONS
        },
        "category": getattr(product.category, f"name_{SOURCE_LANGUAGE}"),
        "category_slug": product.category.slug,
        **{name: _amount(getattr(product, name)) for name in PRICES},
        **{name: getattr(product, name) for name in OWN_COLUMNS},
        "seen_stock_quantity": product.stock_quantity,
        "height_cm": _decimal(product.height_cm),
        "origin_country": str(product.origin_country.code or ""),
        "production_time": production_text(days),
        "price_from": amount_string(product.price_from),
        "price_to": amount_string(product.price_to),
        "archived": product.archived_at is not None,
        "promotion_active": promotion is not None and promotion.is_active,
        "promotion_type": None if promotion is None else promotion.type,
        "promotion_buy_quantity": None if promotion is None else promotion.buy_quantity,
        "promotion_get_quantity": None if promotion is None else promotion.get_quantity,
        "image_url": gallery[0] if gallery else None,
        "gallery_images": gallery,
        "pending_images": [
            {"url": row.url, "variation_id": row.variation_id, "state": row.state, "failure": row.failure}
            for row in imports
        ],
        "variations": [
            {
                "id": row.pk,
                "name": getattr(row, f"name_{SOURCE_LANGUAGE}"),
                "price_adjustment": amount_string(row.price_adjustment),
                "price_override": _amount(row.price_override),
                **format_marks(format_variants(product, row.pk, variants)),
                "is_default": row.is_default,
                "sort_order": row.sort_order,
                "gallery_images": (
                    shown := [image_address(image) for image in images if image.variation_id == row.pk]
                ),
                "image_url": shown[0] if shown else None,
            }
            for row in variations
        ],
        "variants": [
            {
                "id": row.pk,
                "variation_id": row.variation_id,
                "variation": None
                if row.variation is None
                else getattr(row.variation, f"name_{SOURCE_LANGUAGE}"),
                "finish": row.finish or None,
                "price": _amount(row.price),
                "full_price": _amount(full_price(product, row)),
                **{name: getattr(row, name) for name in VARIANT_COLUMNS},
                "seen_stock_quantity": row.stock_quantity,
                "height_cm": _decimal(row.height_cm),
            }
            for row in offered_variants(product, variants)
        ],
        "created_at": product.created_at.isoformat(),
        "updated_at": product.updated_at.isoformat(),
    }


def _amount(value: Decimal | None) -> str | None:
    return None if value is None else amount_string(value)


def _decimal(value: Decimal | None) -> str | None:
    return None if value is None else str(value)
