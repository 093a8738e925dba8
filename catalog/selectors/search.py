"""Search in the texts of the catalogue: by parts of words, whatever their case and accents.

Both sides are brought to the same form, words of letters and digits alone, so the database only compares plain
characters and answers alike on every engine. A text is stored as its distinct words, each after a space; one that
another word begins with is left out, for whatever is found in the shorter is found in the longer.

A word that few products have is found through the index of words. A word that many have would make that index name
them all, of which a page shows two dozen: there, reading the products one after the other in the order of the page is
quicker. Which it is shows on a sample of the first products, which often holds the page already.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from catalog.models import Product
from catalog.selectors.cards import NEWEST

MAX_QUERY_LENGTH = 200
# More words than anybody types; each is one more comparison a product.
MAX_QUERY_WORDS = 8
# One or two letters are inside nearly every word: they match beginnings only, which an index can find.
_SHORT = 2

_LETTERS = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"})
# Marks on letters, and what is not seen at all.
_DROPPED = {"Mn", "Me", "Cf"}
# Signs that mean something by themselves, though Unicode counts some among the punctuation.
_SIGN_CATEGORIES = {"Sm", "Sc", "So", "Pc"}
_SIGNS = frozenset("%&@#*\\")

# Results are counted exactly up to here: nobody turns more pages, and counting on would cost more than the search.
COUNT_CAP = 1000
SAMPLE = 600
_FIRST_PAGE = 24
# For a later page more of the first products are looked at, up to what is still quick to read.
_LARGEST_SAMPLE = 5000
# From this share of hits in the sample on, reading on is quicker than the index of words.
_COMMON = 0.3
# So much more is read than the sample promises: hits are not spread evenly.
_MARGIN = 1.25


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
    chosen: list[str] = []
    for word in sorted({word for text in texts for word in normalise(text).split()}, reverse=True):
        # In this order a word comes right after those that begin with it.
        if not chosen or not chosen[-1].startswith(word):
            chosen.append(word)
    return "".join(f" {word}" for word in reversed(chosen))


def having_words(products: QuerySet[Product], words: Iterable[str]) -> QuerySet[Product]:
    """The products that have every one of the words."""
    for word in words:
        products = products.filter(search_text__contains=pattern(word))
    return products


def pattern(word: str) -> str:
    """What a `search_text` that has the word contains."""
    return f" {word}" if len(word) <= _SHORT else word


@dataclass(frozen=True, slots=True)
class Matches:
    """The keys of matching products in the order asked for, at least as many as were asked for if there are so many.

    `count` is exact up to `COUNT_CAP`; `capped` says that there are more.
    """

    keys: Sequence[int]
    count: int
    capped: bool


def find_matches(
    products: QuerySet[Product], words: Sequence[str], *, through: int, order: Sequence[Any] = NEWEST
) -> Matches:
    """The newest of the products that have all the words, or the first in another order: at least `through` of them.
    At most two queries.

    `through` beyond `COUNT_CAP` returns no more than that.
    """
    through = min(through, COUNT_CAP)
    size = max(SAMPLE, min(through * SAMPLE // _FIRST_PAGE, _LARGEST_SAMPLE))
    sample = _first_hits(products, words, size, order)
    if sample.exhausted or len(sample.keys) > COUNT_CAP:
        return _counted(sample.keys)
    share = len(sample.keys) / size
    if share >= _COMMON:
        more = _first_hits(products, words, round((COUNT_CAP + 1) / share * _MARGIN), order)
        if more.exhausted or len(more.keys) > COUNT_CAP:
            return _counted(more.keys)
    matching = having_words(products, words)
    if through <= len(sample.keys):
        # The page is known: what is left is to count, in any order.
        counted = matching.order_by().values("pk")[: COUNT_CAP + 1].count()
        return Matches(sample.keys, min(counted, COUNT_CAP), counted > COUNT_CAP)
    return _counted(list(matching.order_by(*order).values_list("pk", flat=True)[: COUNT_CAP + 1]))


@dataclass(frozen=True, slots=True)
class _Hits:
    keys: list[int]
    exhausted: bool


def _first_hits(products: QuerySet[Product], words: Sequence[str], limit: int, order: Sequence[Any]) -> _Hits:
    """Which of the first products in this order have the words, and whether there are no others."""
    has_all = Q()
    for word in words:
        has_all &= Q(search_text__contains=pattern(word))
    rows = (
        products.annotate(hit=ExpressionWrapper(has_all, output_field=BooleanField()))
        .order_by(*order)
        .values_list("pk", "hit")[:limit]
    )
    read = list(rows)
    return _Hits([pk for pk, hit in read if hit], exhausted=len(read) < limit)


def _counted(keys: Sequence[int]) -> Matches:
    """Matches of which `keys` are all, or more than are counted."""
    return Matches(keys[:COUNT_CAP], min(len(keys), COUNT_CAP), len(keys) > COUNT_CAP)
