"""Lists of products: their categories (the main catalogue, one), filters, a text to find, an order, a page number.

Each order has an index that gives a page without sorting.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy

from catalog.models import CategoryKind, Product
from catalog.selectors import search
from catalog.selectors.cards import NEWEST, ProductCard, cards_of_keys, read_cards_of
from catalog.selectors.category_rows import all_categories
from catalog.selectors.filters import Filters, Group, count_shown, groups_of_list
from catalog.selectors.vocabulary import Query, read_query
from shop.core.languages import active_language

PAGE_SIZE = 24
# More digits than any page number has.
_MAX_PAGE_DIGITS = 9

DEFAULT_SORT = "newest"
# The order of a search, and of nothing else.
RELEVANCE = "relevance"
SORT_LABELS = {
    DEFAULT_SORT: gettext_lazy("Nouveautés"),
    "price": gettext_lazy("Prix croissant"),
    "price-desc": gettext_lazy("Prix décroissant"),
    "name": gettext_lazy("Nom, de A à Z"),
}

SortColumns = tuple[Any, ...]
_ANY = Q()


class PageOutOfRangeError(LookupError):
    """There is no page of this number."""


@dataclass(frozen=True, slots=True)
class Results:
    """The keys of one page of products. The count of a search stops somewhere (`search.COUNT_CAP`); `capped` says
    that there are more. `groups` are what the list has without its filters, None where they were not counted."""

    keys: Sequence[int]
    count: int
    capped: bool
    number: int
    page_count: int
    query: Query | None = None
    groups: Sequence[Group] | None = None

    @property
    def products(self) -> list[Product]:
        """The rows with the columns of their cards. One query each time."""
        return read_cards_of(self.keys)


@dataclass(frozen=True, slots=True)
class SortChoice:
    """An order in a `select`. The usual one has the value "", so that addresses stay short."""

    value: str
    label: Any
    selected: bool


class CountedPaginator(Paginator[ProductCard]):
    """Pages over a result that was counted beforehand; its rows are read for one page only."""

    def __init__(self, count: int, per_page: int) -> None:
        super().__init__((), per_page)
        self._known = count

    @cached_property
    def count(self) -> int:
        return self._known


def main_catalogue() -> frozenset[int]:
    """The categories of `/produits`: all but the collections, which have pages of their own. One query, none on a
    cached page."""
    return frozenset(row.pk for row in all_categories() if row.kind == CategoryKind.MAIN)


def known_sort(text: str, *, searching: bool = False) -> str:
    """The order asked for; one that does not exist is the usual one."""
    return text if text in SORT_LABELS else RELEVANCE if searching else DEFAULT_SORT


def is_sort(text: str) -> bool:
    """Whether `text` names an order as the shop's own links do: the usual one is not named."""
    return text in SORT_LABELS and text != DEFAULT_SORT


def sort_columns(sort: str) -> SortColumns:
    """What to order products by. Names are those of the active language, the French one where it has none."""
    if sort == "name":
        return (f"sort_name_{active_language()}", "pk")
    return {"price": ("price_from", "pk"), "price-desc": ("-price_from", "-pk")}.get(sort, NEWEST)


def sort_choices(sort: str, *, searching: bool = False) -> list[SortChoice]:
    """The orders for a `select`, of which `sort` is selected. A search has one more, its usual one."""
    labels = {**({RELEVANCE: gettext_lazy("Pertinence")} if searching else {}), **SORT_LABELS}
    usual = RELEVANCE if searching else DEFAULT_SORT
    return [SortChoice("" if code == usual else code, label, code == sort) for code, label in labels.items()]


def page_number(text: str) -> int:
    """The page asked for in an address, 1 when none is.

    Raises `PageOutOfRangeError` for anything but a positive number in plain digits.
    """
    if not text:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_PAGE_DIGITS and int(text)):
        raise PageOutOfRangeError(text)
    return int(text)


def find_products(
    *,
    category_ids: Collection[int],
    condition: Q = _ANY,
    number: int = 1,
    size: int = PAGE_SIZE,
    known_count: int | None = None,
    order: SortColumns = NEWEST,
) -> Results:
    """One page of the published products of some categories, newest first unless `order` says otherwise.

    Two queries: the count, not read when `known_count` is given, and the page.
    Raises `PageOutOfRangeError`; the first page of nothing exists.
    """
    products = Product.objects.filter(condition, category__in=category_ids, is_published=True)
    count = products.count() if known_count is None else known_count
    page_count = _page_count(count, number, size)
    first = (number - 1) * size
    keys = list(products.order_by(*order).values_list("pk", flat=True)[first : first + size]) if count else []
    return Results(keys, count, False, number, page_count)


def find_filtered(
    *,
    category_ids: Collection[int],
    filters: Filters,
    category_id: int | None = None,
    number: int = 1,
    size: int = PAGE_SIZE,
    order: SortColumns | None = None,
) -> Results:
    """`find_products` of those that the filters leave, in one of the categories if it is given; with the groups of all.
    Three queries: two for the groups, when they are not cached, and the page."""
    groups = groups_of_list(category_ids, filters)
    found = find_products(
        category_ids=category_ids if category_id is None else [category_id],
        condition=filters.condition(),
        number=number,
        size=size,
        known_count=count_shown(groups, filters, category_id),
        order=order or NEWEST,
    )
    return replace(found, groups=groups)


def search_products(
    *,
    text: str,
    filters: Filters | None = None,
    category_id: int | None = None,
    number: int = 1,
    size: int = PAGE_SIZE,
    order: SortColumns | None = None,
) -> Results:
    """One page of the products that a text finds in the whole shop, or in a category: the best first, or in an order.
    The groups are those of everything found.

    Where more than `search.COUNT_CAP` match, those in an order are the best of them. Ten queries at most: three for
    the words (`vocabulary.read_query`), six for the matches, and their order.
    Raises `PageOutOfRangeError`.
    """
    query = read_query(text)
    wanted = filters or Filters()
    matches = search.find_matches(
        query, wanted, category_id, through=search.COUNT_CAP if order else number * size
    )
    count = search.COUNT_CAP if matches.capped else len(matches.keys)
    page_count = _page_count(count, number, size)
    keys = matches.keys
    if order and keys:
        keys = list(Product.objects.filter(pk__in=keys).order_by(*order).values_list("pk", flat=True))
    groups = None if matches.members is None else wanted.groups_of(matches.members)
    shown = keys[(number - 1) * size : min(number * size, count)]
    return Results(shown, count, matches.capped, number, page_count, query, groups)


def card_page(results: Results, *, size: int = PAGE_SIZE) -> Page[ProductCard]:
    """The page as templates turn it. Three queries at most for the cards that are not cached: their rows, their photos
    and the shop's delay."""
    return Page(cards_of_keys(results.keys), results.number, CountedPaginator(results.count, size))


def _page_count(count: int, number: int, size: int) -> int:
    pages = max(1, -(-count // size))
    if not 1 <= number <= pages:
        raise PageOutOfRangeError(number)
    return pages
