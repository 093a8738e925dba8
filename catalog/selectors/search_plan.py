"""How a search is carried out: always the same result, by the way that is quick for the words at hand.

A word that few products have is found through the index of words. A word that many have would make that index name
them all, of which a page shows two dozen: there, reading the products one after the other in the order of the page is
quicker. Which it is shows on a sample of the first products, which often holds the page already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from catalog.models import Product
from catalog.selectors import search
from catalog.selectors.cards import NEWEST

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

    `through` beyond `COUNT_CAP` gives no more than that.
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
    matching = search.matching(products, words)
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
        has_all &= Q(search_text__contains=search.pattern(word))
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
