"""One product with everything that its page shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Q
from django.utils import timezone

from catalog import pricing
from catalog.models import PricePoint, Product, ProductImage, Promotion, Variant
from catalog.pricing import Offer, OfferKey
from catalog.safety import safety_of
from catalog.selectors import wording
from catalog.selectors.addresses import product_url
from catalog.selectors.availability import availability_of, listed_offers
from catalog.selectors.pictures import image_info, images_of_variant
from catalog.selectors.product_detail import Model3D, OfferChoice, Photo, ProductDetail
from catalog.selectors.promotions import promotions_of
from catalog.selectors.statements import columns_of, marks, part_of, rows_of
from catalog.selectors.variants import variants_of
from catalog.selectors.wording import ProductionDays
from shop.core.fragment_cache import cached_fragment

PriceHistory = dict[OfferKey, list[PricePoint]]

_HISTORIES = """SELECT {columns} FROM catalog_pricepoint AS point
WHERE point.product_id IN ({keys}) ORDER BY point.starts_at, point.id"""


def find_product(product_id: int) -> ProductDetail | None:
    """A published product with its first choice made, or None. Five queries (product with its category, variants,
    photos, prices over time, promotions), one more when the shop's settings are not cached; one when there is no such
    product."""
    return cached_fragment(lambda: _read(product_id), "product", product_id)


def price_histories(product_ids: Collection[int]) -> dict[int, PriceHistory]:
    """What each offer of these products cost over time, oldest first. One query, none without products."""
    found: dict[int, PriceHistory] = {pk: {} for pk in product_ids}
    if not found:
        return found
    of_point = part_of(PricePoint, "point", columns_of(PricePoint))
    for values in rows_of(_HISTORIES.format(columns=of_point.columns, keys=marks(found)), [*found]):
        point, _rest = of_point.read(values)
        found[point.product_id].setdefault(OfferKey(point.variation_id, point.finish), []).append(point)
    return found


def without_customs_data() -> Q:
    """Products that a parcel outside the Union can't declare: the code, the origin or the weight is not filled in."""
    return Q(hs_code="") | Q(origin_country="") | Q(weight_grams=None)


def _read(product_id: int) -> ProductDetail | None:
    product = (
        Product.objects.filter(pk=product_id, is_published=True)
        .select_related("category", "model_3d")
        .first()
    )
    if product is None:
        return None
    variants = variants_of([product_id])[product_id]
    photos = list(product.images.order_by("position", "pk"))
    now = timezone.now()
    promotion = pricing.running_promotion(promotions_of([product_id], now)[product_id], now)
    return _detail(product, variants, photos, price_histories([product_id])[product_id], promotion)


def _detail(
    product: Product,
    variants: Sequence[Variant],
    photos: Sequence[ProductImage],
    history: PriceHistory,
    promotion: Promotion | None,
) -> ProductDetail:
    default_days = wording.production_days(product, None, wording.default_production_days())
    shown = list(pricing.offers(product, variants, promotion))
    first = pricing.first_offer(product, shown)
    choices = [_choice(product, offer, photos, history, promotion, default_days) for offer in shown]
    prices = [offer.price for offer in listed_offers(product, shown)] or [product.price]
    low, high = min(prices), max(prices)
    has_figure = pricing.is_true_figure(
        promotion, [(choice.price, choice.original_price) for choice in choices]
    )
    formats = dict.fromkeys(row.variation for row in variants if row.variation is not None)
    return ProductDetail(
        row=product,
        id=product.pk,
        name=product.name,
        url=product_url(product),
        teaser=wording.teaser(product),
        category=product.category.name,
        colour=product.category.colour,
        price=low,
        price_to=high if high > low else None,
        selected=next((each for each in choices if first and each.variant_id == first.variant.pk), None),
        available=any(choice.available for choice in choices),
        promotion=promotion,
        promotion_badge=wording.promotion_badge(promotion),
        promotion_text=wording.promotion_text(promotion, with_figure=has_figure),
        promotion_label=wording.promotion_label(promotion, with_figure=has_figure),
        formats=tuple(formats),
        offers_formats=product.category.offers_formats and bool(formats),
        offers=tuple(choices),
        photos=tuple(Photo(image_info(photo, product.name), photo.finish) for photo in photos),
        default_days=default_days,
        model=_model(product),
        safety=safety_of(product),
    )


def _choice(
    product: Product,
    offer: Offer,
    photos: Sequence[ProductImage],
    history: PriceHistory,
    promotion: Promotion | None,
    default_days: ProductionDays,
) -> OfferChoice:
    variant = offer.variant
    stock = availability_of(product, variant)
    own = images_of_variant(photos, variation_id=variant.variation_id, finish=variant.finish)
    return OfferChoice(
        variant_id=variant.pk,
        label=variant.label,
        finish=variant.finish,
        variation_id=variant.variation_id,
        sku=variant.sku,
        price=offer.price,
        original_price=pricing.crossed_out_price(
            product, offer, history, None if promotion is None else promotion.starts_at
        ),
        available=stock.available,
        stock=stock.quantity,
        production_days=wording.production_days(product, variant, default_days),
        dimensions=variant.dimensions or product.dimensions,
        height_cm=product.height_cm if variant.height_cm is None else variant.height_cm,
        weight=variant.weight or product.weight,
        images=tuple(photos.index(photo) for photo in own or photos),
        has_own_images=bool(own) or not photos or not variant.label,
    )


def _model(product: Product) -> Model3D | None:
    row = getattr(product, "model_3d", None)
    if row is None:
        return None
    return Model3D(url=row.model_file.url, size=row.model_bytes, poster=image_info(row, product.name))
