"""One product with everything that its page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Q
from django.utils.translation import gettext as _

from catalog import pricing
from catalog.models import Finish, PricePoint, Product, ProductImage, ProductVariation
from catalog.selectors import wording
from catalog.selectors.addresses import product_url
from catalog.selectors.availability import availability_of
from catalog.selectors.pictures import FinishPhotos, best_image, finish_photos, image_info
from shop.core.fragment_cache import cached_fragment
from shop.core.images import ImageInfo


@dataclass(frozen=True, slots=True)
class FinishChoice:
    """A finish as the page offers it; one without a price is shown but can't be chosen."""

    code: str
    label: str
    price: Decimal | None
    available: bool
    image: ImageInfo | None


@dataclass(frozen=True, slots=True)
class VariationChoice:
    """A format as the page offers it. `price` is the one in the default finish."""

    id: int
    name: str
    price: Decimal | None
    in_stock: bool
    is_default: bool
    sku: str


@dataclass(frozen=True, slots=True)
class OfferChoice:
    """One combination of the two choices, with its own price and crossed-out price."""

    finish: str
    variation_id: int | None
    price: Decimal
    original_price: Decimal | None
    available: bool
    quantity: int | None = None
    """Units that can be bought; None for made to order."""

    @property
    def stock_text(self) -> str:
        """What is said of a few last units; "" for the others."""
        return wording.stock_text(self.quantity) if self.available else ""


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo of the gallery and the choice that it shows."""

    image: ImageInfo
    finish: str
    variation_id: int | None


@dataclass(frozen=True, slots=True)
class Model3D:
    """A 3D model, its size in bytes, and the picture shown until it is asked for."""

    url: str
    size: int
    poster: ImageInfo


@dataclass(frozen=True, slots=True)
class ProductDetail:
    """A product's page. `price` to `price_to` is the range of what can be chosen; `original_price` belongs to the
    choice that is made at first (`selected_finish`, `selected_variation`), as does `selected_price`."""

    row: Product
    id: int
    name: str
    slug: str
    url: str
    teaser: str
    description: str
    full_description: str
    category: str
    category_slug: str
    category_kind: str
    colour: str
    price: Decimal
    price_to: Decimal | None
    original_price: Decimal | None
    selected_price: Decimal | None
    selected_finish: str
    selected_variation: int | None
    painted_price: Decimal | None
    unpainted_price: Decimal | None
    featured: bool
    available: bool
    in_stock: bool
    made_to_order: bool
    promotion_active: bool
    promotion_type: str
    promotion_buy_quantity: int | None
    promotion_get_quantity: int | None
    promotion_label: str
    promotion_text: str
    dimensions: str
    height_cm: Decimal | None
    weight: str
    material: str
    paint_type: str
    production_text: str
    production_days_min: int
    production_days_max: int
    source: str
    created_at: datetime
    updated_at: datetime
    finishes: tuple[FinishChoice, ...]
    variations: tuple[VariationChoice, ...]
    offers_formats: bool
    offers: tuple[OfferChoice, ...]
    photos: tuple[Photo, ...]
    specs: tuple[tuple[str, str], ...]
    model: Model3D | None

    @property
    def finish_photos(self) -> FinishPhotos | None:
        """The first photo in each finish, where both exist."""
        return finish_photos((photo.finish, photo.image) for photo in self.photos)

    @property
    def selected(self) -> OfferChoice | None:
        """The choice that is made at first; None where it has no price."""
        first = (self.selected_finish, self.selected_variation)
        return next((offer for offer in self.offers if (offer.finish, offer.variation_id) == first), None)

    @property
    def first_price(self) -> Decimal:
        """What the page shows before anything is chosen: the price of its first choice, else the lowest."""
        return self.price if self.selected_price is None else self.selected_price

    @property
    def images(self) -> tuple[ImageInfo, ...]:
        """The gallery without what each photo shows."""
        return tuple(photo.image for photo in self.photos)


def find_product(product_id: int) -> ProductDetail | None:
    """A published product, or None. Four queries (product with its category, variations, photos, prices over time),
    one more when the shop's settings are not cached; one when there is no such product."""
    return cached_fragment(lambda: _read(product_id), "product", product_id)


def current_points(product_id: int) -> dict[pricing.OfferKey, PricePoint]:
    """The point in force for each offer of a product. One query."""
    points = PricePoint.objects.filter(product_id=product_id).order_by("starts_at", "pk")
    return {pricing.OfferKey(point.variation_id, point.finish): point for point in points}


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
    variations = list(product.variations.order_by("sort_order", "pk"))
    photos = list(product.images.order_by("position", "pk"))
    points = current_points(product_id)
    return _detail(product, variations, photos, points)


def _detail(
    product: Product,
    variations: Sequence[ProductVariation],
    photos: Sequence[ProductImage],
    points: dict[pricing.OfferKey, PricePoint],
) -> ProductDetail:
    days = wording.production_days(product, wording.default_production_days())
    every_offer = list(pricing.offers(product, variations))
    shown = pricing.displayed_offers(product, every_offer)
    first_finish = pricing.default_finish(product)
    first_variation = pricing.default_variation(variations)
    choices = tuple(
        OfferChoice(
            finish=offer.finish,
            variation_id=offer.key.variation_id,
            price=offer.price,
            original_price=pricing.crossed_out_price(product, offer, points),
            available=level.available,
            quantity=level.quantity,
        )
        for offer in shown
        for level in [availability_of(product, offer.variation)]
    )
    selected_variation = None if first_variation is None else first_variation.pk
    selected = next(
        (
            choice
            for choice in choices
            if (choice.finish, choice.variation_id) == (first_finish, selected_variation)
        ),
        None,
    )
    low = min((choice.price for choice in choices), default=product.price)
    high = max((choice.price for choice in choices), default=product.price)
    production_text = wording.production_text(days)
    return ProductDetail(
        row=product,
        id=product.pk,
        name=product.name,
        slug=product.slug,
        url=product_url(product),
        teaser=wording.teaser(product),
        description=product.description,
        full_description=product.full_description,
        category=product.category.name,
        category_slug=product.category.slug,
        category_kind=product.category.kind,
        colour=product.category.colour,
        price=low,
        price_to=high if high > low else None,
        original_price=None if selected is None else selected.original_price,
        selected_price=None if selected is None else selected.price,
        selected_finish=first_finish,
        selected_variation=selected_variation,
        painted_price=product.painted_price,
        unpainted_price=product.unpainted_price,
        featured=product.featured,
        available=any(choice.available for choice in choices),
        in_stock=product.in_stock,
        made_to_order=product.stock_quantity is None,
        promotion_active=product.promotion_active,
        promotion_type=product.promotion_type,
        promotion_buy_quantity=product.promotion_buy_quantity,
        promotion_get_quantity=product.promotion_get_quantity,
        promotion_label=wording.promotion_label(product),
        promotion_text=wording.promotion_text(product),
        dimensions=product.dimensions,
        height_cm=product.height_cm,
        weight=product.weight,
        material=product.material,
        paint_type=product.paint_type,
        production_text=production_text,
        production_days_min=days.low,
        production_days_max=days.high,
        source=product.source,
        created_at=product.created_at,
        updated_at=product.updated_at,
        finishes=_finishes(product, first_variation, photos),
        variations=tuple(
            VariationChoice(
                id=variation.pk,
                name=variation.name,
                price=pricing.unit_price(product, variation, first_finish),
                in_stock=availability_of(product, variation).available,
                is_default=variation == first_variation,
                sku=variation.sku,
            )
            for variation in variations
        ),
        offers_formats=product.category.offers_formats and bool(variations),
        offers=choices,
        photos=tuple(
            Photo(image_info(photo, product.name), photo.finish, photo.variation_id) for photo in photos
        ),
        specs=_specs(product, production_text),
        model=_model(product),
    )


def _model(product: Product) -> Model3D | None:
    row = getattr(product, "model_3d", None)
    if row is None:
        return None
    return Model3D(url=row.model_file.url, size=row.model_bytes, poster=image_info(row, product.name))


def _finishes(
    product: Product, variation: ProductVariation | None, photos: Sequence[ProductImage]
) -> tuple[FinishChoice, ...]:
    """Both finishes where there is a choice to make, the one without a price as not available."""
    offered = pricing.offered_finishes(product)
    if not offered:
        return ()
    in_stock = availability_of(product, variation).available
    choices = []
    for finish in Finish:
        price = pricing.unit_price(product, variation, finish.value) if finish.value in offered else None
        photo = best_image(
            [photo for photo in photos if photo.finish == finish.value],
            variation_id=None,
            finish=finish.value,
        )
        choices.append(
            FinishChoice(
                code=finish.value,
                label=str(finish.label),
                price=price,
                available=price is not None and in_stock,
                image=None if photo is None else image_info(photo, product.name),
            )
        )
    return tuple(choices)


def _specs(product: Product, production_text: str) -> tuple[tuple[str, str], ...]:
    """The characteristics that are known, with their labels."""
    rows = (
        (_("Dimensions"), product.dimensions),
        (_("Poids"), product.weight),
        (_("Matière"), product.material),
        (_("Peinture"), product.paint_type),
        (_("Délai de fabrication"), production_text),
    )
    return tuple((label, value) for label, value in rows if value)
