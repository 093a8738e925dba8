"""What can be bought now: by a product's row, by a variant, and the units that are left; and in which heights."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q, Subquery

from catalog.models import Finish, Product, ProductVariation, Variant
from catalog.pricing import Offer, offers

LOW_STOCK = 3
"""From so many units on, pages say how many are left."""

LAST_UNIT = 1
"""From so many units on, staff are told."""

SMALL_BELOW_CM, LARGE_FROM_CM = Decimal(12), Decimal(18)
"""Classes of heights. Columns of products hold them: another limit needs `refresh_availability` of all products."""

Level = tuple[str, int]
"""One number of units in stock: ("product", key) or ("variant", key)."""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a variant can be bought, and how many units of it: None for made to order.

    `level` is the counted number that it draws on, its own or else the product's; None for made to order."""

    available: bool
    quantity: int | None
    level: Level | None

    @property
    def is_ready(self) -> bool:
        """Whether a unit can leave without being made first."""
        return self.available and self.quantity is not None


def available_condition() -> Q:
    """Products of which some variant can be bought."""
    return Q(is_available=True)


def low_stock_condition() -> Q:
    """Products on sale of which some counted format or finish on sale has its last unit, or none; not what staff have
    marked as not available, be it a variant or the product."""
    own = Q(stock_quantity__lte=LAST_UNIT)
    shared = Q(stock_quantity=None, product__stock_quantity__lte=LAST_UNIT)
    # Rows of what is not offered any more stay, with their numbers: `catalog.pricing.offered_variants`.
    has_finishes = Q(product__category__offers_finishes=True)
    painted = has_finishes & Q(product__painted_price__isnull=False)
    unpainted = has_finishes & Q(product__unpainted_price__isnull=False)
    in_finish = Q(finish="") & ~painted & ~unpainted
    in_finish |= Q(finish=Finish.PAINTED) & painted | Q(finish=Finish.UNPAINTED) & unpainted
    formats = ProductVariation.objects.filter(product=OuterRef("product"))
    default = formats.order_by("-is_default", "sort_order", "pk").values("pk")[:1]
    in_format = ~Exists(formats) | Q(variation=Subquery(default))
    in_format |= Q(variation__isnull=False, product__category__offers_formats=True)
    rows = Variant.objects.filter(own | shared, in_finish, in_format, in_stock=True)
    return Q(is_published=True, in_stock=True, pk__in=rows.order_by().values("product"))


def is_sold_out(product: Product, variant: Variant) -> bool:
    """Whether no unit of a variant can be had, be its product shown or not."""
    quantity = product.stock_quantity if variant.stock_quantity is None else variant.stock_quantity
    return quantity == 0 or not (product.in_stock and variant.in_stock)


def availability_of(product: Product, variant: Variant) -> Availability:
    """Of a variant: its own number of units, else the product's."""
    level: Level | None = None
    quantity = variant.stock_quantity
    if quantity is not None:
        level = ("variant", variant.pk)
    elif product.stock_quantity is not None:
        level, quantity = ("product", product.pk), product.stock_quantity
    return Availability(product.is_published and not is_sold_out(product, variant), quantity, level)


def listed_offers(product: Product, found: Iterable[Offer]) -> list[Offer]:
    """What lists speak of, among a product's offers: those that can be bought, all of them where none can. Nobody is
    drawn to a price or a height that is sold out."""
    known = list(found)
    return [offer for offer in known if not is_sold_out(product, offer.variant)] or known


def listed_columns(product: Product, variants: Iterable[Variant]) -> dict[str, bool]:
    """What the columns of a product are to say of its `listed_offers`: whether some can be bought or can leave at once,
    and the classes of their heights."""
    shown = [offer.variant for offer in listed_offers(product, offers(product, variants))]
    found = [availability_of(product, variant) for variant in shown]
    own = [product.height_cm if variant.height_cm is None else variant.height_cm for variant in shown]
    heights = [height for height in own if height is not None]
    return {
        "is_available": any(each.available for each in found),
        "is_ready": any(each.is_ready for each in found),
        "has_small": any(height < SMALL_BELOW_CM for height in heights),
        "has_medium": any(SMALL_BELOW_CM <= height < LARGE_FROM_CM for height in heights),
        "has_large": any(height >= LARGE_FROM_CM for height in heights),
    }


def available_among(product_ids: Collection[int]) -> set[int]:
    """The published products of which some variant can be bought. One query."""
    found = Product.objects.filter(available_condition(), pk__in=product_ids, is_published=True)
    return set(found.order_by().values_list("pk", flat=True))
