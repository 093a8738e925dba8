"""One product with everything that its page shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from catalog import pricing
from catalog.models import Finish, PricePoint, Product, ProductImage, ProductVariation, Promotion, Variant
from catalog.pricing import Offer, OfferKey
from catalog.safety import Safety, safety_of
from catalog.selectors import wording
from catalog.selectors.addresses import choice_query, product_url
from catalog.selectors.availability import availability_of
from catalog.selectors.pictures import FinishPhotos, finish_photos, image_info, images_of_variant
from catalog.selectors.promotions import promotions_of
from catalog.selectors.statements import columns_of, marks, part_of, rows_of
from catalog.selectors.variants import variants_of
from catalog.selectors.wording import ProductionDays
from shop.core.fragment_cache import cached_fragment
from shop.core.images import ImageInfo

PriceHistory = dict[OfferKey, list[PricePoint]]

_HISTORIES = """SELECT {columns} FROM catalog_pricepoint AS point
WHERE point.product_id IN ({keys}) ORDER BY point.starts_at, point.id"""


@dataclass(frozen=True, slots=True)
class FinishChoice:
    """A finish as the page offers it: its price in the chosen format, or None where that has none; `available` in some
    format. One without a price in any format is shown but can't be chosen."""

    code: str
    label: str
    price: Decimal | None
    available: bool
    image: ImageInfo | None


@dataclass(frozen=True, slots=True)
class VariationChoice:
    """A format as the page offers it, its price and availability in the chosen finish."""

    id: int
    name: str
    price: Decimal | None
    in_stock: bool
    is_default: bool


@dataclass(frozen=True, slots=True)
class OfferChoice:
    """A variant as the page offers it, with what differs from the product's filled in.

    `stock` is the number of units left, None for made to order. `images` are the places in the gallery of the photos
    that show it, best first; `has_own_images` says that they show this very finish and format, or any.
    """

    variant_id: int
    label: str
    finish: str
    variation_id: int | None
    sku: str
    price: Decimal
    original_price: Decimal | None
    available: bool
    stock: int | None
    production_days: ProductionDays
    dimensions: str
    height_cm: Decimal | None
    weight: str
    images: tuple[int, ...]
    has_own_images: bool

    @property
    def choice(self) -> OfferKey:
        """What identifies it among those of the product."""
        return OfferKey(self.variation_id, self.finish)

    @property
    def query(self) -> str:
        """The query of the page's address with this choice made, "" where there is no choice."""
        return choice_query(self.finish, self.variation_id)

    @property
    def stock_text(self) -> str:
        """What is said of a few last units; "" for the others."""
        return wording.stock_text(self.stock) if self.available else ""


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
    """A product's page with one choice made, at first the default one. `price` to `price_to` is the range of what can
    be chosen; `selected` is None for a product of which nothing has a price."""

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
    selected: OfferChoice | None
    painted_price: Decimal | None
    unpainted_price: Decimal | None
    featured: bool
    available: bool
    in_stock: bool
    promotion: Promotion | None
    promotion_badge: str
    promotion_text: str
    material: str
    paint_type: str
    source: str
    created_at: datetime
    updated_at: datetime
    formats: tuple[ProductVariation, ...]
    offers_formats: bool
    offers: tuple[OfferChoice, ...]
    photos: tuple[Photo, ...]
    default_days: ProductionDays
    model: Model3D | None
    safety: Safety

    @property
    def finish_photos(self) -> FinishPhotos | None:
        """The first photo in each finish, where both exist."""
        return finish_photos((photo.finish, photo.image) for photo in self.photos)

    @property
    def opening(self) -> OfferChoice | None:
        """The choice that the page opens on: the one that is made, unless it is sold out and another can be bought,
        the first of them in the page's order."""
        chosen = self.selected
        if chosen is None or chosen.available:
            return chosen
        return next((offer for offer in self.offers if offer.available), chosen)

    @property
    def first_price(self) -> Decimal:
        """The price of the choice that is made, else the lowest."""
        return self.price if self.selected is None else self.selected.price

    @property
    def images(self) -> tuple[ImageInfo, ...]:
        """All photos without what each shows."""
        return tuple(photo.image for photo in self.photos)

    @property
    def shown_images(self) -> tuple[ImageInfo, ...]:
        """The photos of the choice that is made, best first."""
        return self.images if self.selected is None else tuple(self.images[i] for i in self.selected.images)

    @property
    def production_days(self) -> ProductionDays:
        """Of the choice that is made."""
        return self.default_days if self.selected is None else self.selected.production_days

    @property
    def production_text(self) -> str:
        return wording.production_text(self.production_days)

    @property
    def height_cm(self) -> Decimal | None:
        """Of the choice that is made."""
        return self.row.height_cm if self.selected is None else self.selected.height_cm

    @property
    def specs(self) -> list[tuple[str, str]]:
        """The characteristics of the choice that is made, as far as they are known, with their labels."""
        chosen = self.selected
        rows = (
            (_("Référence"), "" if chosen is None else chosen.sku),
            (
                _("Dimensions"),
                wording.measures_text(self.row.dimensions if chosen is None else chosen.dimensions),
            ),
            (_("Poids"), wording.measures_text(self.row.weight if chosen is None else chosen.weight)),
            (_("Matière"), self.material),
            (_("Peinture"), "" if chosen and chosen.finish == Finish.UNPAINTED else self.paint_type),
            (_("Délai de fabrication"), self.production_text),
        )
        return [(label, value) for label, value in rows if value]

    @property
    def sold_out_offers(self) -> list[OfferChoice]:
        """What can't be bought now, though something of the product can."""
        return [offer for offer in self.offers if not offer.available] if self.available else []

    @property
    def finishes(self) -> list[FinishChoice]:
        """Both finishes where there is a choice to make, in the chosen format."""
        offered = {offer.finish for offer in self.offers} - {""}
        return [self._finish(finish) for finish in Finish] if offered else []

    @property
    def variations(self) -> list[VariationChoice]:
        """The formats, in the chosen finish."""
        return [self._variation(row) for row in self.formats]

    @property
    def chosen_first(self) -> list[OfferChoice]:
        """All choices, the one that is made before the others."""
        return sorted(self.offers, key=lambda offer: offer != self.selected)

    def offer(self, choice: OfferKey) -> OfferChoice | None:
        """Return what can be chosen under this key, or None."""
        return next((offer for offer in self.offers if offer.choice == choice), None)

    def choose(self, choice: OfferKey) -> ProductDetail:
        """Return the page with another choice made; the same page for one that does not exist."""
        found = self.offer(choice)
        return self if found is None else replace(self, selected=found)

    def _finish(self, finish: Finish) -> FinishChoice:
        format_id = None if self.selected is None else self.selected.variation_id
        offer = self.offer(OfferKey(format_id, finish.value))
        photo = next((photo.image for photo in self.photos if photo.finish == finish.value), None)
        return FinishChoice(
            code=finish.value,
            label=str(finish.label),
            price=None if offer is None else offer.price,
            available=any(each.available for each in self.offers if each.finish == finish.value),
            image=photo,
        )

    def _variation(self, row: ProductVariation) -> VariationChoice:
        offer = self.offer(OfferKey(row.pk, "" if self.selected is None else self.selected.finish))
        return VariationChoice(
            id=row.pk,
            name=row.name,
            price=None if offer is None else offer.price,
            in_stock=offer is not None and offer.available,
            is_default=row == pricing.default_variation(self.formats),
        )


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
    every_offer = list(pricing.offers(product, variants, promotion))
    shown = pricing.displayed_offers(product, every_offer)
    first = pricing.first_offer(product, shown)
    choices = [_choice(product, offer, photos, history, promotion, default_days) for offer in shown]
    low = min((choice.price for choice in choices), default=product.price)
    high = max((choice.price for choice in choices), default=product.price)
    formats = dict.fromkeys(row.variation for row in variants if row.variation is not None)
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
        selected=next((each for each in choices if first and each.variant_id == first.variant.pk), None),
        painted_price=product.painted_price,
        unpainted_price=product.unpainted_price,
        featured=product.featured,
        available=any(choice.available for choice in choices),
        in_stock=product.in_stock,
        promotion=promotion,
        promotion_badge=wording.promotion_badge(promotion),
        promotion_text=wording.promotion_text(promotion),
        material=product.material,
        paint_type=product.paint_type,
        source=product.source,
        created_at=product.created_at,
        updated_at=product.updated_at,
        formats=tuple(formats),
        offers_formats=product.category.offers_formats and bool(formats),
        offers=tuple(choices),
        photos=tuple(
            Photo(image_info(photo, product.name), photo.finish, photo.variation_id) for photo in photos
        ),
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
        has_own_images=bool(own) or not photos,
    )


def _model(product: Product) -> Model3D | None:
    row = getattr(product, "model_3d", None)
    if row is None:
        return None
    return Model3D(url=row.model_file.url, size=row.model_bytes, poster=image_info(row, product.name))
