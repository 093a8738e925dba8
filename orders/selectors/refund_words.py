"""Why a returned piece of a promotion brings less than its price."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext as _

from orders.models import OrderItem
from shop.core.languages import active_language
from shop.core.money import format_amount

_ROUNDING = Decimal("0.01")


def promotion_share_text(
    item: OrderItem, *, quantity: int, amount: Decimal, paid: Mapping[int, Decimal]
) -> str:
    """Return the sentence in the active language; "" where the price is given back, or less for another reason.

    `amount` is what `quantity` units bring, `paid` what was paid for each line (`paid_amounts`).
    """
    full = item.unit_price * quantity
    share = paid[item.pk] * quantity / item.quantity
    if amount >= full or abs(amount - share) > _ROUNDING:
        return ""
    language = active_language()
    return _(
        "Achetée dans une offre\u00a0: la réduction est répartie sur toutes les pièces de l'offre, offertes "
        "comprises. La part du prix payé est de %(amount)s au lieu de %(full)s."
    ) % {"amount": format_amount(amount, language), "full": format_amount(full, language)}
