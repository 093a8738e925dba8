"""Amounts in templates."""

from decimal import Decimal

from django import template

from shop.core.amounts import localised_amount
from shop.core.money import amount_string as plain_amount

register = template.Library()


@register.filter
def amount(value: Decimal | str | None) -> str:
    """``{{ "49.99"|amount }}`` → ``49,99 €`` in the active language; nothing for an empty value.

    Raises ``ValueError`` or ``decimal.InvalidOperation`` for what is no amount, rather than showing it.
    """
    if value is None or value == "":
        return ""
    return localised_amount(Decimal(value))


@register.filter
def amount_string(value: Decimal) -> str:
    """``{{ price|amount_string }}`` → ``49.99``, whatever the language: for machines."""
    return plain_amount(value)
