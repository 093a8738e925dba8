"""Which action each field of a product, its formats and variants asks for."""

from __future__ import annotations

from collections.abc import Iterable

from shop.core.staff_actions import StaffAction

_STOCK = ("in_stock", "stock_quantity")
_PRICES = (
    *("price", "original_price", "painted_price", "unpainted_price"),
    *("price_adjustment", "price_override"),
    *("promotion_active", "promotion_type", "promotion_buy_quantity", "promotion_get_quantity"),
    *("promotion_percent", "promotion_amount"),
)
# Every other field asks for EDIT_PRODUCT.
FIELD_ACTIONS = {
    **dict.fromkeys(_STOCK, StaffAction.EDIT_STOCK),
    **dict.fromkeys(_PRICES, StaffAction.EDIT_PRICES),
}


def actions_for(fields: Iterable[str]) -> set[StaffAction]:
    """Return the actions that who changes these fields must hold."""
    return {FIELD_ACTIONS.get(name, StaffAction.EDIT_PRODUCT) for name in fields}
