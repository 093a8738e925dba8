"""What the forms of products and categories share."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.utils import flatten
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.selectors.pictures import image_info
from catalog.services.products import LANGUAGES
from shop.core.staff_actions import StaffAction, may

# Every other field of a product and its variations asks for EDIT_PRODUCT.
FIELD_ACTIONS = {
    # The hidden mark of what was on screen: whoever saves sends it.
    "version": StaffAction.SEE_PRODUCTS,
    **dict.fromkeys(("in_stock", "stock_quantity"), StaffAction.EDIT_STOCK),
    **dict.fromkeys(
        (
            *("price", "original_price", "painted_price", "unpainted_price"),
            *("price_adjustment", "price_override"),
            *("promotion_active", "promotion_type", "promotion_buy_quantity", "promotion_get_quantity"),
        ),
        StaffAction.EDIT_PRICES,
    ),
}


def language_parts(*fields: str) -> list[Any]:
    """One foldable part a language: open in French, which the others fall back to."""
    names = {"fr": "Français", "en": "English", "es": "Español", "de": "Deutsch"}
    return [
        (
            names[language],
            {
                "fields": tuple(f"{field}_{language}" for field in fields),
                "classes": () if language == "fr" else ("collapse",),
            },
        )
        for language in LANGUAGES
    ]


def read_only_fields(user: AbstractBaseUser | AnonymousUser, fields: Any) -> tuple[str, ...]:
    """Those of an admin's `fields`, some in groups, that the person may not edit: stock, prices and the rest ask for an
    action each."""
    return tuple(
        name for name in flatten(fields) if not may(user, FIELD_ACTIONS.get(name, StaffAction.EDIT_PRODUCT))
    )


def preview_of(row: Any, *, alt: str | None = None) -> SafeString | str:
    """A row's picture, small, with `alt` or its own words; a dash where there is none."""
    if row is None or not row.file.name:
        return "–"
    image = image_info(row, "")
    return format_html(
        '<img src="{}" alt="{}" width="72" height="72" loading="lazy">',
        image.smallest_url,
        image.alt if alt is None else alt,
    )
