"""What a cart line may be, and what one unit of it costs now: asked by `orders`, for many lines at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import chain

from django.utils import timezone

from catalog import pricing
from catalog.models import Category, Product, ProductImage, ProductVariation, Promotion, Variant
from catalog.pricing import ProductPromotion
from catalog.selectors import wording
from catalog.selectors.addresses import product_url
from catalog.selectors.availability import Level, availability_of
from catalog.selectors.pictures import best_image, image_info, images_of
from catalog.selectors.products import PriceHistory, price_histories
from catalog.selectors.promotions import (
    PROMOTION_COLUMNS,
    PROMOTION_JOIN,
    joined_promotion,
    moment_parameter,
)
from catalog.selectors.statements import columns_of, marks, part_of, rows_of
from catalog.selectors.wording import ProductionDays
from shop.core.fragment_cache import cached_fragment
from shop.core.images import ImageInfo
from shop.core.languages import SOURCE_LANGUAGE

UNKNOWN_PRODUCT = "unknown_product"
UNKNOWN_VARIATION = "unknown_variation"
FINISH_UNAVAILABLE = "finish_unavailable"
OUT_OF_STOCK = "out_of_stock"

_TRANSLATED = ("name", "slug", "description")
# Every change of a cart asks these two.
_PRODUCTS = """SELECT {columns}, {promotion}
FROM catalog_product AS product JOIN catalog_category AS category ON category.id = product.category_id
{join} WHERE product.id IN ({keys})"""
_VARIANTS = """SELECT {columns}
FROM catalog_variant AS variant LEFT JOIN catalog_productvariation AS variation ON variation.id = variant.variation_id
WHERE variant.product_id IN ({keys}) ORDER BY variation.sort_order, variation.id, variant.finish"""
_OF_PRODUCT = frozenset(
    {
        *("id", "category_id", "price", "original_price", "painted_price", "unpainted_price"),
        *("in_stock", "stock_quantity", "is_published", "production_days_min", "production_days_max"),
        *("hs_code", "origin_country", "weight_grams"),
    }
)
_OF_CATEGORY = frozenset({"id", "offers_finishes", "offers_formats"})
_OF_VARIATION = frozenset({"id", "price_adjustment", "price_override", "is_default"})


@dataclass(frozen=True, slots=True)
class SellableKey:
    """What a cart line asks for; no variation and finish `""` ask for the default ones."""

    product_id: int
    variation_id: int | None
    finish: str


@dataclass(frozen=True, slots=True)
class Sellable:
    """The answer for one key. `problem` is None when it can be bought; see the codes of this module.

    `variant_id` is the row that is sold, `variation_id` and `finish` its format and finish. `available_quantity` is
    None for made to order (unlimited). `stock_level` is the number of units it draws on (None: not counted), which
    several lines of a cart may share.
    `hs_code`, `origin_country` (ISO 3166-1) and `weight_grams` of one packed unit are what customs ask for; "" and None
    when nobody has filled them in.
    `unit_price` is known also for what is out of stock, and is the one of the running promotion; `original_price` is
    what may be shown crossed out beside it, as on the product's page. `buy` and `get` are those of a promotion that
    offers pieces. `french_name` and `french_variation_name` are those that the workshop reads.
    """

    requested: SellableKey
    product_id: int
    variant_id: int | None
    variation_id: int | None
    finish: str
    name: str
    variation_name: str
    category_name: str
    url: str
    sku: str
    unit_price: Decimal | None
    original_price: Decimal | None
    buy: int | None
    get: int | None
    available: bool
    available_quantity: int | None
    stock_level: Level | None
    production_days_min: int
    production_days_max: int
    promotion_badge: str
    teaser: str
    image: ImageInfo | None
    problem: str | None
    hs_code: str = ""
    origin_country: str = ""
    weight_grams: int | None = None
    french_name: str = ""
    french_variation_name: str = ""


def find_sellables(
    keys: Sequence[SellableKey], *, own: Mapping[Level, int] | None = None, now: datetime | None = None
) -> dict[SellableKey, Sellable]:
    """Every key answered, in the active language. Three queries however many keys (products, variants, photos),
    one more when the shop's settings are not cached, one more (the prices over time) when a price may be shown crossed
    out; none without keys.

    `own` are units held for who asks: they count as left. `now` is the moment whose promotions count.

    Keys out of the range of the database's numbers are unknown products, not errors.
    """
    wanted = dict.fromkeys(keys)
    if not wanted:
        return {}
    product_ids = {key.product_id for key in wanted if 0 < key.product_id < 2**63}
    moment = now or timezone.now()
    products, promotions = _read_products(product_ids, moment)
    variants: dict[int, list[Variant]] = {pk: [] for pk in products}
    for variant in _read_variants(products):
        variants[variant.product_id].append(variant)
    if own:
        for row in products.values():
            _add_units(row, own.get(("product", row.pk), 0))
        for variant in chain.from_iterable(variants.values()):
            _add_units(variant, own.get(("variant", variant.pk), 0))
    photos = images_of(products)
    default_days = wording.default_production_days()
    running = {pk: pricing.running_promotion(promotions[pk], moment) for pk in products}
    histories = price_histories(
        [pk for pk, row in products.items() if pricing.may_cross_out(row, running[pk])]
    )
    return {
        key: _sellable(
            key,
            product,
            variants[product.pk],
            photos[product.pk],
            default_days,
            running[product.pk],
            histories.get(product.pk, {}),
        )
        if (product := products.get(key.product_id)) is not None and product.is_published
        else _unknown(key, default_days)
        for key in wanted
    }


def _add_units(row: Product | Variant, quantity: int) -> None:
    if row.stock_quantity is not None:
        row.stock_quantity += quantity


def _read_products(
    keys: Collection[int], moment: datetime
) -> tuple[dict[int, Product], dict[int, list[ProductPromotion]]]:
    """These products with their categories, with the columns that a sellable is made of, and their promotions."""
    products: dict[int, Product] = {}
    promotions: dict[int, list[ProductPromotion]] = {}
    if not keys:
        return products, promotions
    codes = wording.column_languages()
    of_product = part_of(Product, "product", _OF_PRODUCT | _translated(_TRANSLATED, codes))
    of_category = part_of(Category, "category", _OF_CATEGORY | _translated(("name",), codes))
    query = _PRODUCTS.format(
        columns=f"{of_product.columns}, {of_category.columns}",
        promotion=PROMOTION_COLUMNS,
        join=PROMOTION_JOIN,
        keys=marks(keys),
    )
    for values in rows_of(query, [moment_parameter(moment), *keys]):
        # A row for each promotion that applies.
        product, rest = of_product.read(values)
        category, of_promotion = of_category.read(rest)
        if product.pk not in products:
            products[product.pk] = product
            promotions[product.pk] = []
            product.category = category
        if (promotion := joined_promotion(of_promotion)) is not None:
            promotions[product.pk].append(promotion)
    return products, promotions


def _read_variants(product_ids: Collection[int]) -> Iterable[Variant]:
    """All variants of these products with their formats, in their order."""
    if not product_ids:
        return
    of_variant = part_of(Variant, "variant", columns_of(Variant))
    names = _OF_VARIATION | _translated(("name",), wording.column_languages())
    of_variation = part_of(ProductVariation, "variation", names)
    query = _VARIANTS.format(columns=f"{of_variant.columns}, {of_variation.columns}", keys=marks(product_ids))
    for values in rows_of(query, [*product_ids]):
        variant, rest = of_variant.read(values)
        if variant.variation_id is not None:
            variant.variation, _rest = of_variation.read(rest)
        yield variant


def _translated(fields: Iterable[str], codes: Iterable[str]) -> frozenset[str]:
    return frozenset(f"{field}_{code}" for code in codes for field in fields)


def _unknown(key: SellableKey, default_days: ProductionDays) -> Sellable:
    return Sellable(
        requested=key,
        product_id=key.product_id,
        variant_id=None,
        variation_id=key.variation_id,
        finish=key.finish,
        name="",
        variation_name="",
        category_name="",
        url="",
        sku="",
        unit_price=None,
        original_price=None,
        buy=None,
        get=None,
        available=False,
        available_quantity=0,
        stock_level=None,
        production_days_min=default_days.low,
        production_days_max=default_days.high,
        promotion_badge="",
        teaser="",
        image=None,
        problem=UNKNOWN_PRODUCT,
    )


def _sellable(
    key: SellableKey,
    product: Product,
    variants: Sequence[Variant],
    photos: Sequence[ProductImage],
    default_days: ProductionDays,
    promotion: Promotion | None,
    history: PriceHistory,
) -> Sellable:
    problem: str | None = None
    offered = pricing.offered_variants(product, variants)
    formats = list(dict.fromkeys(row.variation for row in offered if row.variation is not None))
    if key.variation_id is None:
        variation = pricing.default_variation(formats)
    else:
        variation = next((row for row in formats if row.pk == key.variation_id), None)
        if variation is None:
            problem = UNKNOWN_VARIATION
    finish = key.finish or pricing.default_finish(product)
    variant = None
    if problem is None:
        variant = next((row for row in offered if (row.variation, row.finish) == (variation, finish)), None)
        problem = FINISH_UNAVAILABLE if variant is None else None
    stock = None if variant is None else availability_of(product, variant)
    if stock is not None and not stock.available:
        problem = OUT_OF_STOCK
    offer = None if variant is None else next(pricing.offers(product, [variant], promotion), None)
    quantities = None if promotion is None else promotion.quantities
    days = wording.production_days(product, variant, default_days)
    photo = best_image(photos, variation_id=None if variation is None else variation.pk, finish=finish)
    own_weight = None if variant is None else variant.weight_grams
    return Sellable(
        requested=key,
        product_id=product.pk,
        variant_id=None if variant is None else variant.pk,
        variation_id=key.variation_id if variation is None else variation.pk,
        finish=finish,
        name=product.name,
        variation_name="" if variation is None else variation.name,
        category_name=product.category.name,
        url=product_url(product),
        sku="" if variant is None else variant.sku,
        unit_price=None if offer is None else offer.price,
        original_price=None
        if offer is None
        else pricing.crossed_out_price(
            product, offer, history, None if promotion is None else promotion.starts_at
        ),
        buy=quantities.buy if quantities else None,
        get=quantities.get if quantities else None,
        available=problem is None,
        available_quantity=0 if stock is None else stock.quantity,
        stock_level=None if stock is None else stock.level,
        production_days_min=days.low,
        production_days_max=days.high,
        promotion_badge=wording.promotion_badge(promotion),
        teaser=wording.teaser(product),
        image=None
        if photo is None
        else cached_fragment(
            lambda: image_info(photo, product.name), "sellable-image", photo.pk, product.name
        ),
        problem=problem,
        hs_code=product.hs_code,
        origin_country=str(product.origin_country or ""),
        weight_grams=product.weight_grams if own_weight is None else own_weight,
        french_name=_french_name(product),
        french_variation_name="" if variation is None else _french_name(variation),
    )


def _french_name(row: Product | ProductVariation) -> str:
    return getattr(row, f"name_{SOURCE_LANGUAGE}") or ""
