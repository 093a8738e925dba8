"""What a cart line may be, and what one unit of it costs now: asked by `orders`, for many lines at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from catalog import pricing
from catalog.models import Category, Product, ProductImage, ProductVariation
from catalog.selectors import wording
from catalog.selectors.addresses import product_url
from catalog.selectors.availability import Level, availability_of
from catalog.selectors.pictures import best_image, image_info, images_of
from catalog.selectors.wording import ProductionDays
from shop.core.images import ImageInfo

UNKNOWN_PRODUCT = "unknown_product"
UNKNOWN_VARIATION = "unknown_variation"
FINISH_UNAVAILABLE = "finish_unavailable"
OUT_OF_STOCK = "out_of_stock"

_TRANSLATED = ("name", "slug", "description")
# Every change of a cart asks these two. Django takes longer to write them than the database to answer them, so they are
# written here: 320 quotes of five lines a second instead of 234.
_PRODUCTS = """SELECT product.id, product.category_id, product.price, product.painted_price, product.unpainted_price,
    product.in_stock, product.stock_quantity, product.is_published, product.promotion_active, product.promotion_type,
    product.promotion_buy_quantity, product.promotion_get_quantity,
    product.production_days_min, product.production_days_max,
    product.hs_code, product.origin_country, product.weight_grams,
    category.offers_finishes AS category_offers_finishes, {texts}
FROM catalog_product AS product JOIN catalog_category AS category ON category.id = product.category_id
WHERE product.id IN ({keys})"""
_VARIATIONS = (
    """SELECT * FROM catalog_productvariation WHERE product_id IN ({keys}) ORDER BY sort_order, id"""
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
    products = {product.pk: product for product in _read_products(product_ids)}
    variations: dict[int, list[ProductVariation]] = {pk: [] for pk in products}
    for variation in _read_variations(products):
        variations[variation.product_id].append(variation)
    if own:
        for row in products.values():
            _add_units(row, own.get(("product", row.pk), 0))
        for variation in chain.from_iterable(variations.values()):
            _add_units(variation, own.get(("variation", variation.pk), 0))
    photos = images_of(products)
    default_days = wording.default_production_days()
    return {
        key: _sellable(key, product, variations[product.pk], photos[product.pk], default_days)
        if (product := products.get(key.product_id)) is not None and product.is_published
        else _unknown(key, default_days)
        for key in wanted
    }


def _add_units(row: Product | ProductVariation, quantity: int) -> None:
    if row.stock_quantity is not None:
        row.stock_quantity += quantity


def _read_products(keys: Collection[int]) -> list[Product]:
    """These products with their categories, with the columns that a sellable is made of."""
    if not keys:
        return []
    codes = wording.column_languages()
    texts = [f"product.{field}_{code}" for field in _TRANSLATED for code in codes]
    texts += [f"category.name_{code} AS category_name_{code}" for code in codes]
    category_fields = ("id", *(f"name_{code}" for code in codes), "offers_finishes")
    products = list(Product.objects.raw(_PRODUCTS.format(texts=", ".join(texts), keys=_marks(keys)), [*keys]))
    for product in products:
        values = [vars(product)[f"category_{field}"] for field in category_fields]
        product.category = Category.from_db(product._state.db, category_fields, values)
    return products


def _read_variations(product_ids: Collection[int]) -> Iterable[ProductVariation]:
    """All variations of these products, in their order."""
    if not product_ids:
        return ()
    return ProductVariation.objects.raw(_VARIATIONS.format(keys=_marks(product_ids)), [*product_ids])


def _marks(keys: Collection[int]) -> str:
    return ", ".join(["%s"] * len(keys))


def _unknown(key: SellableKey, default_days: ProductionDays) -> Sellable:
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
        production_days_min=default_days.low,
        production_days_max=default_days.high,
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
    default_days: ProductionDays,
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
    stock = availability_of(product, variation)
    if problem is None and not stock.available:
        problem = OUT_OF_STOCK
    promotion = pricing.promotion_quantities(product)
    days = wording.production_days(product, default_days)
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
        buy=promotion.buy if promotion else None,
        get=promotion.get if promotion else None,
        promotion_type=product.promotion_type if promotion else "",
        available=problem is None,
        available_quantity=stock.quantity if problem in (None, OUT_OF_STOCK) else 0,
        product_stock=product.stock_quantity,
        variation_stock=None if variation is None else variation.stock_quantity,
        production_days_min=days.low,
        production_days_max=days.high,
        promotion_label=wording.promotion_label(product),
        teaser=wording.teaser(product),
        image=None if photo is None else image_info(photo, product.name),
        problem=problem,
        hs_code=product.hs_code,
        origin_country=str(product.origin_country or ""),
        weight_grams=product.weight_grams,
    )
