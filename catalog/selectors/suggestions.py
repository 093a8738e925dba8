"""What a search box proposes while somebody types: a few products, categories, and what the words were taken for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from catalog.models import Product
from catalog.selectors import search
from catalog.selectors.addresses import category_url
from catalog.selectors.cards import read_cards_of
from catalog.selectors.categories import buyable_categories
from catalog.selectors.vocabulary import Query, read_query
from catalog.words import indexed_words, stem

SHORTEST_TEXT = 2
MAX_PRODUCTS = 6
MAX_LINKS = 3


@dataclass(frozen=True, slots=True)
class Link:
    """Something else that a search leads to."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Suggestions:
    """`count` stops at `search.COUNT_CAP`; `url` is the page of all results."""

    products: Sequence[Product]
    links: Sequence[Link]
    corrected: str
    count: int
    capped: bool
    url: str


LinkFinder = Callable[[Query, int], Sequence[Link]]
_finders: list[LinkFinder] = []


def register_links(find: LinkFinder) -> LinkFinder:
    """Let another app add what it publishes to suggestions and results: at most so many links for a query."""
    _finders.append(find)
    return find


def suggest(text: str) -> Suggestions:
    """For what was typed so far, cleaned; of less than two letters nothing. Eight queries at most."""
    url = f"{reverse('catalog:list')}?{urlencode({'search': text})}"
    if len(text) < SHORTEST_TEXT:
        return Suggestions((), (), "", 0, False, url)
    query = read_query(text)
    found = search.find_matches(query, through=MAX_PRODUCTS)
    count = search.COUNT_CAP if found.capped else len(found.keys)
    products = read_cards_of(found.keys[:MAX_PRODUCTS])
    return Suggestions(
        products, links_of(query, MAX_LINKS), query.corrected if count else "", count, found.capped, url
    )


def other_links(query: Query, limit: int) -> list[Link]:
    """What other apps find for a query."""
    return [link for find in _finders for link in find(query, limit)][:limit]


def links_of(query: Query, limit: int) -> list[Link]:
    """The categories that a query names, and what other apps find."""
    links = [Link(row.name, category_url(row)) for row in buyable_categories() if _is_named(row.name, query)]
    return [*links[:limit], *other_links(query, limit - len(links[:limit]))]


def _is_named(name: str, query: Query) -> bool:
    """Whether some word of the category's name, or a synonym of it, was asked for by each term."""
    stems = {stem(word, query.language) for word in indexed_words(name, query.language)}
    return bool(query.terms) and all(
        any(all(any(form.stem in stems for form in word) for word in option.words) for option in term)
        for term in query.terms
    )
