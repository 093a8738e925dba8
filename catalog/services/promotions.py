"""Writing promotions. Each change is there at once, on the pages, in the carts and in the price history."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from catalog.models import Category, Product, Promotion, PromotionState
from catalog.selectors.promotions import concerned_products
from catalog.services.prices import refresh_due_promotions, refresh_prices
from catalog.services.reports import report_products
from catalog.services.stock import lock_products
from shop.core.content_version import content_changed
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.problems import InvalidFields, Problem

OFFER_FIELDS = ("promotion_active", "promotion_type", "promotion_buy_quantity", "promotion_get_quantity")
"""What an offer is made of in a product's own form, see `own_promotion`; a reduction has more."""
_OFFERED = ("is_active", "type", "buy_quantity", "get_quantity", "percent", "amount")


def save_promotion(
    *,
    promotion: Promotion,
    products: Collection[Product] | None = None,
    categories: Collection[Category] | None = None,
    now: datetime | None = None,
) -> Promotion:
    """Check and store a promotion and what it applies to (None: what it applied to before), and refresh the products
    concerned. A start in the past counts from now on: what was charged before stays what it was. Without a start it
    starts now, unless it is a product's own, or ran without one before.

    Raises `Problem` (400 `invalid`) with messages by field. Takes about a second for 2,000 products.
    """
    moment = now or timezone.now()
    refresh_due_promotions(now=moment)
    with transaction.atomic():
        concerned = _keys_of(promotion)
        try:
            promotion.full_clean()
        except ValidationError as error:
            raise InvalidFields(error.message_dict) from error
        if _starts_now(promotion, moment):
            promotion.starts_at = moment
        promotion.next_boundary = promotion.boundary_after(moment)
        lock_concerned(
            promotion,
            products=[product.pk for product in products or ()],
            categories=[category.pk for category in categories or ()],
        )
        promotion.save()
        _renew_version(promotion, moment)
        if products is not None:
            promotion.products.set(products)
        if categories is not None:
            promotion.categories.set(categories)
        concerned |= _keys_of(promotion)
        refresh_prices(product_ids=concerned, moments=[moment])
        report_products(concerned)
        content_changed()
    return promotion


def lock_concerned(promotion: Promotion, *, products: Collection[int], categories: Collection[int]) -> None:
    """Lock the products that a promotion applies to, and those of these keys, that it is to apply to.

    All at once, and before the promotion's own row: so does whoever writes a product with its own promotion.
    """
    chosen = Q(pk__in=_keys_of(promotion)) | Q(category__in=categories) | Q(pk=promotion.product_id)
    chosen |= Q(pk__in=products)
    lock_products(product_ids=Product.objects.filter(chosen).order_by().values("pk"))


def own_promotion(
    *,
    promotion_active: bool,
    promotion_type: str,
    promotion_buy_quantity: int | None = None,
    promotion_get_quantity: int | None = None,
    promotion_percent: int | None = None,
    promotion_amount: Decimal | None = None,
) -> Promotion | None:
    """The undated promotion of some product, checked and completed as it would be stored; None with the type "".

    Raises `Problem` (400 `invalid`) with messages by field.
    """
    if not promotion_type:
        if promotion_active:
            message = _("Choisissez le type de la promotion.")
            raise Problem("invalid", message, errors={"promotion_type": [message]})
        return None
    own = Promotion(
        is_active=promotion_active,
        type=promotion_type,
        buy_quantity=promotion_buy_quantity,
        get_quantity=promotion_get_quantity,
        percent=promotion_percent,
        amount=promotion_amount,
    )
    try:
        own.clean_fields(exclude=["name"])
        own.clean()
    except ValidationError as error:
        raise InvalidFields(error.message_dict) from error
    return own


def set_own_promotion(*, product: Product, **offer: Any) -> Promotion | None:
    """Write the promotion of the product itself that `own_promotion` makes of `offer`. Raises what it raises."""
    wanted = own_promotion(**offer)
    own = Promotion.objects.filter(product=product).first()
    if wanted is None:
        if own is not None:
            delete_promotion(promotion=own)
        return None
    own = own or Promotion(product=product)
    own.name = _name_of(product)
    for name in _OFFERED:
        setattr(own, name, getattr(wanted, name))
    return save_promotion(promotion=own)


def rename_own_promotion(*, product: Product) -> None:
    """Call its own promotion as the product is called now. One query."""
    Promotion.objects.filter(product=product).update(name=_name_of(product))


def _name_of(product: Product) -> str:
    return str(getattr(product, f"name_{SOURCE_LANGUAGE}"))[:120]


def end_promotion(*, promotion: Promotion) -> Promotion:
    """End a running promotion now; a product's own, which has no dates, is switched off. One that is planned never
    starts, one that does not run stays as it is."""
    now = timezone.now()
    state = promotion.state(now)
    if state == PromotionState.RUNNING and promotion.product_id is None and promotion.starts_at != now:
        promotion.ends_at = now
    elif state in (PromotionState.RUNNING, PromotionState.PLANNED):
        promotion.is_active = False
    else:
        return promotion
    return save_promotion(promotion=promotion, now=now)


def delete_promotion(*, promotion: Promotion) -> None:
    """Remove a promotion; its products cost at once what they cost without it. The prices it made stay recorded."""
    moment = timezone.now()
    refresh_due_promotions(now=moment)
    with transaction.atomic():
        concerned = _keys_of(promotion)
        lock_products(product_ids=concerned)
        promotion.delete()
        _renew_version(promotion, moment)
        refresh_prices(product_ids=concerned, moments=[moment])
        report_products(concerned)
        content_changed()


def _starts_now(promotion: Promotion, moment: datetime) -> bool:
    if promotion.product_id is not None or promotion.starts_at is not None:
        return False
    ran = Promotion.objects.filter(pk=promotion.pk, is_active=True, starts_at=None).exists()
    return promotion.state(moment) == PromotionState.RUNNING and not ran


def _renew_version(promotion: Promotion, moment: datetime) -> None:
    """A product's own promotion stands on its page: who has that open is told of a change made elsewhere."""
    if promotion.product_id is not None:
        Product.objects.filter(pk=promotion.product_id).update(updated_at=moment)


def _keys_of(promotion: Promotion) -> set[int]:
    if promotion._state.adding:
        return set()
    return set(concerned_products([promotion]).order_by().values_list("pk", flat=True))
