"""The official texts that terms, checkout and confirmation show."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.core.cache import caches
from django.core.files.storage import default_storage

from shop.core.languages import active_language
from shop.core.site import absolute_url
from shop.pages.models import OfficialKind, OfficialText

CACHE_SECONDS = 60
CACHE_KEY = "pages:official"


@dataclass(frozen=True, slots=True)
class ShownText:
    """An official text as it is shown: the picture where there is one (`text` says all that it says), else `text`.
    `language` is the one that it is written in, `url` a full address or empty."""

    kind: str
    label: str
    language: str
    text: str
    url: str
    width: int
    height: int


def official_texts() -> list[ShownText]:
    """Return those in the active language, French where a language has none, in their order. One query a minute."""
    rows: list[OfficialText] | None = caches["shared"].get(CACHE_KEY)
    if rows is None:
        rows = list(OfficialText.objects.all())
        caches["shared"].set(CACHE_KEY, rows, CACHE_SECONDS)
    known = {(row.kind, row.language): row for row in rows}
    language = active_language()
    found = (
        known.get((kind, language)) or known.get((kind, settings.LANGUAGE_CODE))
        for kind in OfficialKind.values
    )
    return [_shown(row) for row in found if row is not None]


def missing_official_texts() -> list[str]:
    """Return the names of the texts that have not even a French version. One query."""
    present = set(OfficialText.objects.filter(language=settings.LANGUAGE_CODE).values_list("kind", flat=True))
    return [str(kind.label) for kind in OfficialKind if kind.value not in present]


def _shown(row: OfficialText) -> ShownText:
    address = default_storage.url(row.file.name) if row.file.name else ""
    return ShownText(
        kind=row.kind,
        label=row.get_kind_display(),
        language=row.language,
        text=row.text,
        url=absolute_url(address),
        width=row.width,
        height=row.height,
    )
