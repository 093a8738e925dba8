"""What the catalogue's administration shares: fields by language, previews."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.selectors.pictures import image_info


def language_fieldsets(*fields: str) -> list[Any]:
    """One foldable fieldset a language: open in French, which the others fall back to."""
    return [
        (
            name,
            {
                "fields": tuple(f"{field}_{language}" for field in fields),
                "classes": () if language == settings.LANGUAGE_CODE else ("collapse",),
            },
        )
        for language, name in settings.LANGUAGES
    ]


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
