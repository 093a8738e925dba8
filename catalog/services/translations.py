"""Which translated texts of a product were not looked at again after the French text changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings

from catalog.models import Product
from shop.core.languages import SOURCE_LANGUAGE

# What is read; addresses are not translated after one another.
TEXTS = ("name", "description", "full_description", "material", "paint_type")
_OTHERS: tuple[str, ...] = tuple(
    language for language in settings.MODELTRANSLATION_LANGUAGES if language != SOURCE_LANGUAGE
)
TRANSLATED_COLUMNS = tuple(f"{text}_{language}" for text in TEXTS for language in (SOURCE_LANGUAGE, *_OTHERS))


def stale_texts(product: Product, stored: Mapping[str, Any], confirmed: Collection[str]) -> list[str]:
    """The columns (`name_en`) to mark once `product` replaces the `stored` values: those marked before and those whose
    French text changes now, unless they are empty, change as well or are `confirmed`."""
    marked = []
    for text in TEXTS:
        french = f"{text}_{SOURCE_LANGUAGE}"
        is_changed = _value(product, french) != (stored.get(french) or "")
        for language in _OTHERS:
            column = f"{text}_{language}"
            translated = _value(product, column)
            is_open = is_changed or column in product.stale_texts
            if (
                is_open
                and translated
                and translated == (stored.get(column) or "")
                and column not in confirmed
            ):
                marked.append(column)
    return marked


def _value(product: Product, column: str) -> str:
    return getattr(product, column) or ""
