"""Which promotions apply to which products."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Min, Q, QuerySet

from catalog.models import Product, Promotion, PromotionState
from catalog.pricing import ProductPromotion
from catalog.selectors.statements import marks

_FIELDS = ("id", "type", "buy_quantity", "get_quantity", "percent", "amount", "starts_at", "ends_at")
_CHOSEN = """(promotion.product_id = product.id OR EXISTS (SELECT 1 FROM catalog_promotion_products AS chosen
    WHERE chosen.promotion_id = promotion.id AND chosen.product_id = product.id))"""
_OF_CATEGORY = """EXISTS (SELECT 1 FROM catalog_promotion_categories AS chosen
    WHERE chosen.promotion_id = promotion.id AND chosen.category_id = product.category_id)"""
# One parameter: the moment at which it has not ended.
_NOT_ENDED = "promotion.is_active AND (promotion.ends_at IS NULL OR promotion.ends_at > %s)"
_APPLIES = f"{_NOT_ENDED} AND ({_CHOSEN} OR {_OF_CATEGORY})"
_OF_PRODUCTS = """SELECT promotion.*, product.id AS of_product, {chosen} AS is_chosen
    FROM catalog_product AS product JOIN catalog_promotion AS promotion ON {applies} WHERE product.id IN ({keys})"""
PROMOTION_COLUMNS = ", ".join(
    [*(f"promotion.{field} AS promotion_{field}" for field in _FIELDS), f"{_CHOSEN} AS promotion_is_chosen"]
)
PROMOTION_JOIN = f"LEFT JOIN catalog_promotion AS promotion ON {_APPLIES}"
"""For a query of `catalog_product AS product` that also reads `PROMOTION_COLUMNS`: a row for each promotion that
applies to the product, one when there is none. Takes `moment_parameter`; `joined_promotion` reads the rows."""


def moment_parameter(moment: datetime) -> Any:
    """A moment as raw SQL takes it."""
    return connection.ops.adapt_datetimefield_value(moment)


def joined_promotion(values: Sequence[Any]) -> ProductPromotion | None:
    """The promotion in the values of `PROMOTION_COLUMNS`."""
    *own, is_chosen = values
    fields = dict(zip(_FIELDS, own, strict=True))
    if fields["id"] is None:
        return None
    # SQLite gives numbers and moments without a zone.
    if fields["amount"] is not None:
        fields["amount"] = Decimal(str(fields["amount"])).quantize(Decimal("0.01"))
    for name in ("starts_at", "ends_at"):
        if fields[name] is not None and fields[name].tzinfo is None:
            fields[name] = fields[name].replace(tzinfo=UTC)
    return ProductPromotion(Promotion(**fields), bool(is_chosen))


def promotions_of(product_ids: Collection[int], since: datetime) -> dict[int, list[ProductPromotion]]:
    """What applies to these products, unless it had ended by `since`. One query, none without products."""
    found: dict[int, list[ProductPromotion]] = {pk: [] for pk in product_ids}
    if not found:
        return found
    query = _OF_PRODUCTS.format(chosen=_CHOSEN, applies=_APPLIES, keys=marks(found))
    rows = Promotion.objects.raw(query, [moment_parameter(since), *found])
    for row in rows:
        found[vars(row)["of_product"]].append(ProductPromotion(row, bool(vars(row)["is_chosen"])))
    return found


def concerned_products(promotions: Iterable[Promotion]) -> QuerySet[Product]:
    """The products that any of these promotions applies to, when it runs and no other goes before it."""
    rows = list(promotions)
    return Product.objects.filter(
        Q(pk__in=Product.objects.filter(promotions__in=rows).order_by().values("pk"))
        | Q(category__in=Promotion.categories.through.objects.filter(promotion__in=rows).values("category"))
        | Q(own_promotion__in=rows)
    )


def next_change(since: datetime) -> datetime | None:
    """The first start or end of an active promotion after a moment. One query."""
    found = Promotion.objects.filter(is_active=True).aggregate(
        start=Min("starts_at", filter=Q(starts_at__gt=since)), end=Min("ends_at", filter=Q(ends_at__gt=since))
    )
    return min((moment for moment in found.values() if moment is not None), default=None)


def in_state(promotions: QuerySet[Promotion], state: str, now: datetime) -> QuerySet[Promotion]:
    """Those of the promotions that `Promotion.state` says to be in this state."""
    ended = Q(ends_at__lte=now)
    planned = Q(starts_at__gt=now)
    conditions = {
        PromotionState.OFF: Q(is_active=False),
        PromotionState.ENDED: Q(is_active=True) & ended,
        PromotionState.PLANNED: Q(is_active=True) & ~ended & planned,
        PromotionState.RUNNING: Q(is_active=True) & ~ended & ~planned,
    }
    return promotions.filter(conditions[PromotionState(state)])
