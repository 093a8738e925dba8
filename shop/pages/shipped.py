"""The texts that the shop comes with, in four languages."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from shop.pages.models import FaqCategory

_FOLDER = Path(__file__).resolve().parent / "texts"

Texts = dict[str, dict[str, str]]

# Chapter and places of each question, in the order of the shop: h(ome), c(ontact); /faq has them all.
QUESTIONS: tuple[tuple[str, FaqCategory, str], ...] = (
    ("difference", FaqCategory.CREATION, "h"),
    ("delay", FaqCategory.DELIVERY, "hc"),
    ("commissions", FaqCategory.CREATION, "h"),
    ("care", FaqCategory.QUALITY, "h"),
    ("gifts", FaqCategory.CREATION, "h"),
    ("price", FaqCategory.PRICES, "h"),
    ("materials", FaqCategory.QUALITY, "h"),
    ("display", FaqCategory.QUALITY, "h"),
    ("custom", FaqCategory.CREATION, "hc"),
    ("bust", FaqCategory.CREATION, "h"),
    ("unpainted", FaqCategory.QUALITY, ""),
    ("age", FaqCategory.QUALITY, ""),
    ("shipping", FaqCategory.DELIVERY, ""),
    ("tracking", FaqCategory.DELIVERY, "c"),
    ("damaged", FaqCategory.DELIVERY, ""),
    ("customs", FaqCategory.DELIVERY, ""),
    ("quote", FaqCategory.PRICES, "c"),
    ("payment", FaqCategory.PRICES, ""),
    ("returns", FaqCategory.PRICES, "c"),
    ("guarantee", FaqCategory.PRICES, ""),
)


@lru_cache(maxsize=16)
def shipped(kind: str, language: str) -> Texts:
    """Return the texts of a kind (`pages`, `faq`, `season`) in one language, French where there is no file for it."""
    path = _FOLDER / kind / f"{language}.json"
    if not path.exists():
        path = _FOLDER / kind / f"{settings.LANGUAGE_CODE}.json"
    texts: Texts = json.loads(path.read_text(encoding="utf-8"))
    return texts


def translated(kind: str, key: str) -> dict[str, str]:
    """One text as the columns of its row: `title_fr`, `title_en`…"""
    return {
        f"{field}_{language}": text
        for language, _name in settings.LANGUAGES
        for field, text in shipped(kind, language)[key].items()
    }
