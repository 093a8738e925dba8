"""Search in the texts of the catalogue: by parts of words, whatever their case and accents.

Both sides are brought to the same form, words of letters and digits alone, so the database only compares plain
characters and answers alike on every engine. A text is kept as its distinct words, each after a space; one that another
word begins with is left out, for whatever is found in the shorter is found in the longer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from django.db import models

from catalog.models import Product

MAX_QUERY_LENGTH = 200
# More words than anybody types; each is one more comparison a product.
MAX_QUERY_WORDS = 8
# One or two letters stand inside nearly every word: they match beginnings only, which an index can find.
_SHORT = 2

_LETTERS = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"})
# Marks on letters, and what is not seen at all.
_DROPPED = {"Mn", "Me", "Cf"}
# Signs that mean something by themselves, though Unicode counts some among the punctuation.
_SIGN_CATEGORIES = {"Sm", "Sc", "So", "Pc"}
_SIGNS = frozenset("%&@#*\\")


def normalise(text: str) -> str:
    """Words of lower-case letters without accents and of digits, with single spaces; `ß` is `ss`, `œ` is `oe`.

    Apostrophes, hyphens and punctuation separate words. A sign (`%`, `_`, `€`, a picture) becomes a word that
    spells its number, so that it can be found by an index of letters too. Takes any string, also with lone
    surrogates.
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()).translate(_LETTERS)
    return " ".join("".join(map(_plain, folded)).split())


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category in _DROPPED:
        return ""
    if character.isalnum() or category == "Mc":
        return character
    return f" sign{ord(character):x} " if category in _SIGN_CATEGORIES or character in _SIGNS else " "


def clean_query(text: str) -> str:
    """What the visitor typed, trimmed and cut to 200 characters, without characters that no page can show."""
    visible = "".join(character for character in text if unicodedata.category(character) not in ("Cc", "Cs"))
    return visible.strip()[:MAX_QUERY_LENGTH].strip()


def query_words(text: str) -> list[str]:
    """The words to find, each once."""
    return list(dict.fromkeys(normalise(text).split()))[:MAX_QUERY_WORDS]


def index_text(texts: Iterable[str]) -> str:
    """What `Product.search_text` holds for these texts."""
    kept: list[str] = []
    for word in sorted({word for text in texts for word in normalise(text).split()}, reverse=True):
        # In this order a word comes right after those that begin with it.
        if not kept or not kept[-1].startswith(word):
            kept.append(word)
    return "".join(f" {word}" for word in reversed(kept))


def matching(products: models.QuerySet[Product], words: Iterable[str]) -> models.QuerySet[Product]:
    """The products that have every one of the words."""
    for word in words:
        products = products.filter(search_text__contains=pattern(word))
    return products


def pattern(word: str) -> str:
    """What must stand in a `search_text` that has the word."""
    return f" {word}" if len(word) <= _SHORT else word
