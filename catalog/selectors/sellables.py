"""What a cart line may be, and what one unit of it costs now: asked by `orders`, for many lines at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import chain

from django.conf import settings

from catalog.models import Product, ProductImage, ProductVariation
from catalog.selectors import wording
from catalog.selectors.addresses import product_url
from catalog.selectors.pictures import best_image, image_info, images_of
from catalog.services import pricing
from catalog.services.stock import Level
from shop.core.images import ImageInfo
from shop.core.models import ShopSettings
from shop.core.statements import RowsByKey

UNKNOWN_PRODUCT = "unknown_product"
UNKNOWN_VARIATION = "unknown_variation"
FINISH_UNAVAILABLE = "finish_unavailable"
OUT_OF_STOCK = "out_of_stock"

_TRANSLATED = ("name", "slug", "description")
_PLAIN = (
    "price",
    "painted_price",
    "unpainted_price",
    "in_stock",
    "stock_quantity",
    "is_published",
    "promotion_active",
    "promotion_type",
    "promotion_buy_quantity",
    "promotion_get_quantity",
    "production_days_min",
    "production_days_max",
    "hs_code",
    "origin_country",
    "weight_grams",
)


@dataclass(frozen=True, slots=True)
class SellableKey:
    """What a cart line asks for; no variation and finish `""` ask for the default ones."""

    product_id: int
    variation_id: int | None
    finish: str


@dataclass(frozen=True, slots=True)
class Sellable:
    """The answer for one key. `problem` is None when it can be bought; see the codes of this module.

    `variation_id` and `finish` are the resolved ones. `available_quantity` is None for made to order (unlimited).
    `product_stock` and `variation_stock` are the two levels it draws on (None: not counted), which several lines of a
    cart may share.
    `hs_code`, `origin_country` (ISO 3166-1) and `weight_grams` of one packed unit are what customs ask for; "" and None
    when nobody has filled them in.
    `unit_price` is known also for what is out of stock; `buy` and `get` are those of a running promotion.
    """

    requested: SellableKey
    product_id: int
    variation_id: int | None
    finish: str
    name: str
    variation_name: str
    category_name: str
    url: str
    sku: str
    unit_price: Decimal | None
    buy: int | None
    get: int | None
    promotion_type: str
    available: bool
    available_quantity: int | None
    product_stock: int | None
    variation_stock: int | None
    production_days_min: int
    production_days_max: int
    promotion_label: str
    teaser: str
    image: ImageInfo | None
    problem: str | None
    hs_code: str = ""
    origin_country: str = ""
    weight_grams: int | None = None


def find_sellables(
    keys: Sequence[SellableKey], *, own: Mapping[Level, int] | None = None
) -> dict[SellableKey, Sellable]:
    """Every key answered, in the active language. Three queries however many keys (products, variations, photos),
    one more when the shop's settings are not cached; none without keys.

    `own` are units held for who asks: they count as left.

    Keys out of the range of the database's numbers are unknown products, not errors.
    """
    wanted = dict.fromkeys(keys)
    if not wanted:
        return {}
    product_ids = {key.product_id for key in wanted if 0 < key.product_id < 2**63}
    products = {product.pk: product for product in _products(wording.language()).find(product_ids)}
    variations: dict[int, list[ProductVariation]] = {pk: [] for pk in products}
    for variation in _variations().find(products):
        variations[variation.product_id].append(variation)
    if own:
        for row in products.values():
            _give(row, own.get(("product", row.pk), 0))
        for variation in chain.from_iterable(variations.values()):
            _give(variation, own.get(("variation", variation.pk), 0))
    photos = images_of(products)
    shop = ShopSettings.load()
    delay = (shop.default_production_days_min, shop.default_production_days_max)
    return {
        key: _sellable(key, product, variations[product.pk], photos[product.pk], delay)
        if (product := products.get(key.product_id)) is not None and product.is_published
        else _unknown(key, delay)
        for key in wanted
    }


def _give(row: Product | ProductVariation, quantity: int) -> None:
    if row.stock_quantity is not None:
        row.stock_quantity += quantity


def stock_problem(product: Product, variation: ProductVariation | None) -> tuple[bool, int | None]:
    """(available, quantity or None for unlimited) of a product in one variation: the scarcer level decides."""
    levels = [product.stock_quantity, None if variation is None else variation.stock_quantity]
    quantity = min((level for level in levels if level is not None), default=None)
    on_sale = product.is_published and product.in_stock and (variation is None or variation.in_stock)
    return on_sale and quantity != 0, quantity


@cache
def _products(language: str) -> RowsByKey[Product]:
    languages = dict.fromkeys((language, *settings.MODELTRANSLATION_FALLBACK_LANGUAGES))
    translated = [f"{field}_{code}" for field in _TRANSLATED for code in languages]
    category = ["offers_finishes", *(f"name_{code}" for code in languages)]
    return RowsByKey(Product, "pk", [*translated, *_PLAIN, "category_id"], joined={"category": category})


@cache
def _variations() -> RowsByKey[ProductVariation]:
    columns = [field.attname for field in ProductVariation._meta.concrete_fields]
    return RowsByKey(ProductVariation, "product_id", columns, order_by=("sort_order", "pk"))


def _unknown(key: SellableKey, delay: tuple[int, int]) -> Sellable:
    return Sellable(
        requested=key,
        product_id=key.product_id,
        variation_id=key.variation_id,
        finish=key.finish,
        name="",
        variation_name="",
        category_name="",
        url="",
        sku="",
        unit_price=None,
        buy=None,
        get=None,
        promotion_type="",
        available=False,
        available_quantity=0,
        product_stock=None,
        variation_stock=None,
        production_days_min=delay[0],
        production_days_max=delay[1],
        promotion_label="",
        teaser="",
        image=None,
        problem=UNKNOWN_PRODUCT,
    )


def _sellable(
    key: SellableKey,
    product: Product,
    variations: Sequence[ProductVariation],
    photos: Sequence[ProductImage],
    delay: tuple[int, int],
) -> Sellable:
    problem: str | None = None
    if key.variation_id is None:
        variation = pricing.default_variation(variations)
    else:
        variation = next((row for row in variations if row.pk == key.variation_id), None)
        if variation is None:
            problem = UNKNOWN_VARIATION
    finish = key.finish or pricing.default_finish(product)
    price = None if problem else pricing.unit_price(product, variation, finish)
    if problem is None and price is None:
        problem = FINISH_UNAVAILABLE
    available, quantity = stock_problem(product, variation)
    if problem is None and not available:
        problem = OUT_OF_STOCK
    buy, get = pricing.promotion_quantities(product) or (None, None)
    photo = best_image(photos, variation_id=None if variation is None else variation.pk, finish=finish)
    return Sellable(
        requested=key,
        product_id=product.pk,
        variation_id=key.variation_id if variation is None else variation.pk,
        finish=finish,
        name=product.name,
        variation_name="" if variation is None else variation.name,
        category_name=product.category.name,
        url=product_url(product),
        sku="" if variation is None else variation.sku,
        unit_price=price,
        buy=buy,
        get=get,
        promotion_type=product.promotion_type if buy else "",
        available=problem is None,
        available_quantity=quantity if problem in (None, OUT_OF_STOCK) else 0,
        product_stock=product.stock_quantity,
        variation_stock=None if variation is None else variation.stock_quantity,
        production_days_min=delay[0] if product.production_days_min is None else product.production_days_min,
        production_days_max=delay[1] if product.production_days_max is None else product.production_days_max,
        promotion_label=wording.promotion_label(product),
        teaser=wording.teaser(product),
        image=None if photo is None else image_info(photo, product.name),
        problem=problem,
        hs_code=product.hs_code,
        origin_country=str(product.origin_country or ""),
        weight_grams=product.weight_grams,
    )
