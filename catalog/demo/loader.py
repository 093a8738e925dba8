"""Puts the demonstration catalogue into the database. What is there already is left as it is."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from catalog.models import (
    SLUG_FIELDS,
    Category,
    CategoryFeature,
    Product,
    ProductVariation,
    Promotion,
    Variant,
)
from catalog.pricing import Offer, offers
from catalog.selectors.product_documents import PRICES, VARIANT_COLUMNS
from catalog.services.media import MODELS, PHOTOS, add_product_image, set_product_model, store_model
from catalog.services.price_history import PastPrice, record_history
from catalog.services.products import complete_variants, refresh_product
from catalog.services.promotions import OFFER_FIELDS, save_promotion, set_own_promotion
from shop.core.images import store_shipped_image

FOLDER = Path(__file__).parent
SOURCE = "demo"
_COPIED = (
    "dimensions",
    "weight",
    "hs_code",
    "origin_country",
    "weight_grams",
    "production_days_min",
    "production_days_max",
    "featured",
    "in_stock",
    "is_published",
    "stock_quantity",
)
_TEXTS = ("slug", "name", "description", "full_description", "material", "paint_type")

Entry = dict[str, Any]


def load_catalogue() -> None:
    """Categories, products with their photos and earlier prices, promotions; again, it adds only what is missing."""
    load_categories()
    now = timezone.now()
    known = set(Product.objects.filter(source=SOURCE).values_list("external_id", flat=True))
    categories = {category.slug: category for category in Category.objects.all()}
    for entry in read_entries("products.json"):
        if f"{SOURCE}:{entry['key']}" not in known:
            _load_product(entry, categories[entry["category"]], now)
    planned = set(Promotion.objects.values_list("name", flat=True))
    for entry in read_entries("promotions.json"):
        if entry["name"] not in planned:
            _load_promotion(entry, now)


def load_categories() -> int:
    """The categories that the shop starts with; returns how many were missing. Changes made by staff are kept."""
    known = set(Category.objects.values_list("slug", flat=True))
    missing = [entry for entry in read_entries("categories.json") if entry["slug"] not in known]
    for entry in missing:
        with transaction.atomic():
            category = Category.objects.create(
                **{
                    field: entry[field]
                    for field in (
                        *SLUG_FIELDS.values(),
                        *("kind", "colour", "position", "menu_place", "in_footer"),
                        *("offers_finishes", "offers_formats", "safety_class"),
                    )
                },
                **_translated(entry, "name", "title", "description", "intro"),
            )
            for position, feature in enumerate(entry["features"], start=1):
                CategoryFeature.objects.create(
                    category=category, position=position, **_translated(feature, "title", "text")
                )
    return len(missing)


def _load_product(entry: Entry, category: Category, now: datetime) -> None:
    created_at = now - timedelta(days=entry["created_days_ago"])
    with transaction.atomic():
        product = Product.objects.create(
            category=category,
            source=SOURCE,
            external_id=f"{SOURCE}:{entry['key']}",
            created_at=created_at,
            published_at=created_at,
            **{field: entry[field] for field in _COPIED},
            **{field: _amount(entry[field]) for field in (*PRICES, "height_cm")},
            **_translated(entry, *_TEXTS),
        )
        variations = {
            variation["key"]: _load_variation(variation, product) for variation in entry["variations"]
        }
        variants = complete_variants(products=[product])[product.pk]
        for variant in entry["variants"]:
            _fill_variant(variant, variants, variations)
        keys = {variation.pk: key for key, variation in variations.items()}
        for offer in offers(product, variants):
            record_history(product=product, offer=offer, prices=_earlier_prices(entry, offer, keys, now))
        refresh_product(product_id=product.pk, now=now)
        if entry["promotion_type"]:
            set_own_promotion(product=product, **{field: entry[field] for field in OFFER_FIELDS})
        for image in entry["images"]:
            row = add_product_image(
                product=product,
                image=store_shipped_image(FOLDER / "pictures" / image["file"], PHOTOS),
                finish=image["finish"],
                position=image["position"],
            )
            alt = _translated(image, "alt")
            for field, text in alt.items():
                setattr(row, field, text)
            row.save(update_fields=list(alt))
        if entry["model"]:
            _load_model(entry["model"], product)


def _load_promotion(entry: Entry, now: datetime) -> None:
    # As people choose it.
    minute = now.replace(second=0, microsecond=0)
    save_promotion(
        promotion=Promotion(
            name=entry["name"],
            type=entry["type"],
            percent=entry["percent"],
            starts_at=minute + timedelta(days=entry["starts_in_days"]),
            ends_at=minute + timedelta(days=entry["ends_in_days"]),
        ),
        products=Product.objects.filter(external_id__in=[f"{SOURCE}:{key}" for key in entry["products"]]),
        categories=Category.objects.filter(slug__in=entry["categories"]),
        now=now,
    )


def _load_model(entry: dict[str, str], product: Product) -> None:
    models = FOLDER / "models"
    with (models / entry["glb"]).open("rb") as file:
        model = store_model(file=file, name=entry["glb"])
    set_product_model(
        product=product, model=model, poster=store_shipped_image(models / entry["poster"], MODELS)
    )


def _load_variation(entry: Entry, product: Product) -> ProductVariation:
    return ProductVariation.objects.create(
        product=product,
        price_override=_amount(entry["price_override"]),
        price_adjustment=Decimal(entry["price_adjustment"]),
        is_default=entry["is_default"],
        sort_order=entry["sort_order"],
        **_translated(entry, "name"),
    )


def _fill_variant(entry: Entry, variants: list[Variant], variations: dict[str, ProductVariation]) -> None:
    variation = None if entry["variation"] is None else variations[entry["variation"]]
    [variant] = [row for row in variants if (row.variation, row.finish) == (variation, entry["finish"])]
    for field in VARIANT_COLUMNS:
        if field in entry:
            setattr(variant, field, entry[field])
    if "height_cm" in entry:
        variant.height_cm = Decimal(entry["height_cm"])
    variant.save()


def _earlier_prices(entry: Entry, offer: Offer, keys: dict[int, str], now: datetime) -> list[PastPrice]:
    variation_id = offer.variant.variation_id
    key = None if variation_id is None else keys[variation_id]
    recorded = [
        PastPrice(now - timedelta(days=point["days_ago"]), Decimal(point["amount"]))
        for point in entry["price_history"]
        if (point["variation"], point["finish"]) == (key, offer.variant.finish)
    ]
    return recorded or [PastPrice(now - timedelta(days=entry["created_days_ago"]), offer.price)]


def _translated(entry: Entry, *fields: str) -> dict[str, str]:
    """The columns of translated texts; a text that is null stays empty."""
    return {
        f"{field}_{language}": text for field in fields for language, text in (entry[field] or {}).items()
    }


def _amount(value: str | None) -> Decimal | None:
    return None if value is None else Decimal(value)


def read_entries(name: str) -> list[Entry]:
    """The entries of one of the JSON files beside this module."""
    entries: list[Entry] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return entries
