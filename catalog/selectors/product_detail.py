"""What a product's page shows: the product with its choice of variation and finish, photos and offers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from django.utils.translation import gettext as _

from catalog import pricing
from catalog.models import Finish, Product, ProductVariation, Promotion
from catalog.pricing import OfferKey
from catalog.safety import Safety
from catalog.selectors import wording
from catalog.selectors.addresses import choice_query
from catalog.selectors.pictures import FinishPhotos, finish_photos
from catalog.selectors.wording import ProductionDays
from shop.core.images import ImageInfo


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
    that show it, best first; `has_own_images` says that they show this very finish and format, or that there is no
    choice or no photo.
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
    """A photo of the gallery and the finish that it shows."""

    image: ImageInfo
    finish: str


@dataclass(frozen=True, slots=True)
class Model3D:
    """A 3D model, its size in bytes, and the picture shown until it is asked for."""

    url: str
    size: int
    poster: ImageInfo


@dataclass(frozen=True, slots=True)
class ProductDetail:
    """A product's page with one choice made, at first the default one. `price` to `price_to` is the range of what can
    be bought, as lists show it; `selected` is None for a product of which nothing has a price."""

    row: Product
    id: int
    name: str
    url: str
    teaser: str
    category: str
    colour: str
    price: Decimal
    price_to: Decimal | None
    selected: OfferChoice | None
    available: bool
    promotion: Promotion | None
    promotion_badge: str
    promotion_text: str
    promotion_label: str
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
            (_("Matière"), self.row.material),
            (_("Peinture"), "" if chosen and chosen.finish == Finish.UNPAINTED else self.row.paint_type),
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
