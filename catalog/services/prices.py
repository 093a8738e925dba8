"""Keeping prices right as time passes: what lists show of them, and the proof of what was asked when."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.db import OperationalError, transaction
from django.utils import timezone

from catalog import pricing
from catalog.models import PricePoint, Product, Promotion, Variant
from catalog.pricing import Offer
from catalog.selectors.availability import listed_offers
from catalog.selectors.products import PriceHistory, price_histories
from catalog.selectors.promotions import concerned_products, promotions_of
from catalog.selectors.variants import variants_of
from catalog.services.price_history import add_points
from catalog.services.reports import report_products
from catalog.services.stock import lock_products
from shop.core.content_version import content_changed
from shop.core.each_row import each_row

# So many products are read, locked and written at once.
BATCH = 500
# The product of which nothing is recorded for now.
_held: ContextVar[int | None] = ContextVar("product_without_record", default=None)
_COLUMNS = ("price_from", "price_to", "crossed_out", "reduced_price", "running_promotion_id")


@contextmanager
def holding_prices(product_id: int | None) -> Iterator[None]:
    """Inside, nothing is recorded of this product: its prices between two steps of one change are nobody's. In the
    caller's transaction, which refreshes the product afterwards."""
    held = _held.set(product_id)
    try:
        yield
    finally:
        _held.reset(held)


def refresh_prices(*, product_ids: Collection[int], moments: Sequence[datetime]) -> int:
    """Record what these products cost from each of the moments on, oldest first, and bring what lists show up to the
    last one. Return how many products show another price, crossed-out price or promotion.

    What was recorded for a later moment is never rewritten. Seven queries at most for every 500 products, each batch in
    a transaction of its own unless the caller has opened one.
    """
    keys = sorted(product_ids)
    return sum(_refresh_batch(keys[start : start + BATCH], moments) for start in range(0, len(keys), BATCH))


def refresh_due_promotions(*, now: datetime | None = None) -> int:
    """Record the starts and ends of promotions up to `now` that nobody has recorded, each with its own moment, and
    refresh the products concerned. Return how many products show something else.

    A product that fails keeps no other waiting: the first failure is raised after them, and what is due stays due.
    Safe to run late, twice, or by two workers at once. One query when nothing is due. Call it before the transaction
    that locks a product: it locks others.
    """
    moment = now or timezone.now()
    due = list(Promotion.objects.filter(next_boundary__lte=moment).order_by("next_boundary", "pk"))
    if not due:
        return 0
    moments = sorted({passed for promotion in due for passed in _passed(promotion, moment)} | {moment})
    keys = list(concerned_products(due).order_by().values_list("pk", flat=True))
    try:
        changed = _refresh_each(keys, moments)
        for promotion in due:
            rows = Promotion.objects.filter(pk=promotion.pk, next_boundary=promotion.next_boundary)
            rows.update(next_boundary=promotion.boundary_after(moment))
    finally:
        with transaction.atomic():
            lock_products(product_ids=keys)
            report_products(keys)
        content_changed()
    return changed


def _refresh_each(keys: Sequence[int], moments: Sequence[datetime]) -> int:
    try:
        return refresh_prices(product_ids=keys, moments=moments)
    except OperationalError:
        # The database's, not a row's.
        raise
    except Exception:
        return each_row(
            keys, lambda key: refresh_prices(product_ids=[key], moments=moments), ends=(OperationalError,)
        )


def _passed(promotion: Promotion, moment: datetime) -> Iterator[datetime]:
    """The boundaries of a promotion that are not recorded yet, up to a moment."""
    boundary = promotion.next_boundary
    while boundary is not None and boundary <= moment:
        yield boundary
        boundary = promotion.boundary_after(boundary)


def _refresh_batch(keys: Collection[int], moments: Sequence[datetime]) -> int:
    with transaction.atomic():
        # `of`: the category's row is only read.
        rows = Product.objects.select_for_update(no_key=True, of=("self",)).select_related("category")
        products = list(rows.filter(pk__in=keys).order_by("pk"))
        variants = variants_of([product.pk for product in products])
        changed = record_prices(products=products, variants=variants, moments=moments)
        # Not `save()`: a refresh is no new version of the product.
        Product.objects.bulk_update(changed, [name.removesuffix("_id") for name in _COLUMNS])
        return len(changed)


def record_prices(
    *,
    products: Sequence[Product],
    variants: Mapping[int, Sequence[Variant]],
    moments: Sequence[datetime],
) -> list[Product]:
    """Record what these products cost from each of the moments on, and set what lists show of them, in memory. Return
    those of which that is new. Three queries; the products are locked by the caller and have their category."""
    keys = [product.pk for product in products]
    promotions = promotions_of(keys, moments[0])
    histories = price_histories(keys)
    added, changed = [], []
    for product in products:
        history = histories[product.pk]
        for moment in moments:
            promotion = pricing.running_promotion(promotions[product.pk], moment)
            found = list(pricing.offers(product, variants[product.pk], promotion))
            # What nobody could buy was no price to compare with (L112-1-1).
            if product.is_published and product.pk != _held.get():
                added += add_points(history, product, found, moment, is_past=moment != moments[-1])
        if _fill_columns(product, found, promotion, history):
            changed.append(product)
    PricePoint.objects.bulk_create(added)
    return changed


def _fill_columns(
    product: Product, found: Sequence[Offer], promotion: Promotion | None, history: PriceHistory
) -> bool:
    """Set what lists show of the product; returns whether any of it is new."""
    before = [getattr(product, name) for name in _COLUMNS]
    pricing.fill_listed(product, listed_offers(product, found), promotion, history)
    return before != [getattr(product, name) for name in _COLUMNS]
