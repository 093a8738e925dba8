"""What a change of a product names, in answers and in the audit trail: which column it is of, and what it is called."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from catalog.models import Product, Promotion, Variant

SEPARATOR = " · "
"""Between a variant and its column: `Grand · Peint · price`."""


def product_column(name: str) -> Any:
    """The column: the product's, `promotion_…` of its own promotion, or a variant's. Raises FieldDoesNotExist."""
    promotion = name.removeprefix("promotion_")
    if promotion != name:
        return Promotion._meta.get_field("is_active" if promotion == "active" else promotion)
    _variant, separator, column = name.rpartition(SEPARATOR)
    return (Variant if separator else Product)._meta.get_field(column)


def column_label(name: str) -> str:
    """What a column is called: « prix de base (€) », « Grand · Peint · prix propre (€) »."""
    column = product_column(name)
    if name == "promotion_active":
        return _("promotion active")
    if name == "promotion_type":
        return _("type de promotion")
    variant, separator, _column = name.rpartition(SEPARATOR)
    return f"{variant}{separator}{getattr(column, 'verbose_name', name)}"
