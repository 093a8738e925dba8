"""What the forms of products and categories share."""

from __future__ import annotations

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.selectors.pictures import image_info
from catalog.services.products import LANGUAGES


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


def preview_of(row: Any) -> SafeString | str:
    """A row's picture, small; a dash where there is none."""
    if row is None or not row.file.name:
        return "–"
    image = image_info(row, "")
    return format_html(
        '<img src="{}" alt="{}" width="72" height="72" loading="lazy">', image.smallest_url, image.alt
    )
