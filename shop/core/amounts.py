"""Amounts as the reader's language writes them. `shop.core.money`, which pricing uses, knows no active language."""

from decimal import Decimal

from django.utils.translation import get_language

from shop.core.money import format_amount


def localised_amount(value: Decimal) -> str:
    """The amount in euros in the active language: `49,99 €`."""
    return format_amount(value, (get_language() or "fr")[:2])
