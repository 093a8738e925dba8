"""Search in staff's lists: by parts of words in every language, of products that are not published as well."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from catalog.models import Product
from catalog.words import known_beginnings, normalise

MAX_QUERY_WORDS = 8
# One or two letters are inside nearly every word: they match beginnings only.
_SHORT = 2


def query_words(text: str) -> list[str]:
    """The words to find, each once."""
    return list(dict.fromkeys(normalise(text).split()))[:MAX_QUERY_WORDS]


def index_text(texts: Iterable[str]) -> str:
    """What `Product.search_text` holds for these texts."""
    return known_beginnings(word for text in texts for word in normalise(text).split())


def having_words(products: QuerySet[Product], words: Iterable[str]) -> QuerySet[Product]:
    """The products that have every one of the words."""
    for word in words:
        products = products.filter(search_text__contains=pattern(word))
    return products


def pattern(word: str) -> str:
    """What a `search_text` that has the word contains."""
    return f" {word}" if len(word) <= _SHORT else word
