"""Which translated texts of a row were not looked at again after the French text changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

from catalog.models import PRODUCT_TEXTS
from shop.core.languages import SOURCE_LANGUAGE, TRANSLATIONS

# What is read of a product; addresses are not translated after one another.
TEXTS = tuple(text for text in PRODUCT_TEXTS if text != "slug")
TRANSLATED_COLUMNS = tuple(
    f"{text}_{language}" for text in TEXTS for language in (SOURCE_LANGUAGE, *TRANSLATIONS)
)


class TranslatedRow(Protocol):
    """A row with texts that are translated one after another."""

    stale_texts: list[str]


def stale_texts(
    row: TranslatedRow, texts: Iterable[str], stored: Mapping[str, Any], confirmed: Collection[str]
) -> list[str]:
    """The columns (`name_en`) of these texts to mark once `row` replaces the `stored` values: those marked before and
    those whose French text changes now, unless they are empty, change as well or are `confirmed`."""
    marked = []
    for text in texts:
        french = f"{text}_{SOURCE_LANGUAGE}"
        is_changed = _value(row, french) != (stored.get(french) or "")
        for language in TRANSLATIONS:
            column = f"{text}_{language}"
            translated = _value(row, column)
            is_open = is_changed or column in row.stale_texts
            if (
                is_open
                and translated
                and translated == (stored.get(column) or "")
                and column not in confirmed
            ):
                marked.append(column)
    return marked


def _value(row: TranslatedRow, column: str) -> str:
    return getattr(row, column) or ""
