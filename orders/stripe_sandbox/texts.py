"""The words of the payment page, in the shop's four languages. The sandbox is no part of the shop's catalogues."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("fr", "en", "es", "de")
FILES_DIR = Path(__file__).resolve().parent / "page_files"
_SEPARATORS = {"fr": ("\u00a0", ","), "en": (",", "."), "es": (".", ","), "de": (".", ",")}


def language_of(locale: str | None) -> str:
    """The page's language for a session's `locale`; French for any other than the four."""
    language = (locale or "").partition("-")[0]
    return language if language in LANGUAGES else LANGUAGES[0]


@cache
def texts(language: str) -> dict[str, Any]:
    words: dict[str, Any] = json.loads((FILES_DIR / f"{language}.json").read_text(encoding="utf-8"))
    return words


def format_euros(cents: int, language: str) -> str:
    """1234567 → "12 345,67 €" in French, "€12,345.67" in English."""
    thousands, decimal = _SEPARATORS[language]
    whole = f"{cents // 100:,}".replace(",", thousands)
    amount = f"{whole}{decimal}{cents % 100:02d}"
    return f"€{amount}" if language == "en" else f"{amount}\u00a0€"
