"""Filters of lists: what may be chosen, what an address asks for, and how many products each choice would show.

A choice is a bit of a product's row. The counts of all choices come from one reading of the catalogue: it is grouped by
category and bits, and the groups are added up in memory.

Prices and heights are those of what can be bought (`listed_offers`), so that beside « Disponible » each is right by
itself. Two of them, or a finish, may still be met by two variants of one product: a bit for each combination of finish,
height and availability would be more than the column holds, and a price is none. Reading the variants instead would
join all of them for each count of a list, which is to stay flat to 100,000 products.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from catalog.models import FACETS, Facet, Finish, Product
from catalog.selectors import wording
from catalog.selectors.category_rows import all_categories
from shop.core.fragment_cache import cached_fragment

_TYPED_EUROS = re.compile(r"([0-9]{1,5})(?:[.,]([0-9]{0,9}))?")


class Choice(NamedTuple):
    """One value of a filter: `?name=value`, and the bit of `Product.facets` that says whether it holds."""

    name: str
    value: str
    label: Any
    facet: Facet

    @property
    def condition(self) -> Q:
        """What a product must be."""
        offered = Q(category__offers_finishes=True) if self.facet in _FINISHES else Q()
        return offered & FACETS[self.facet]


# Sold in a finish is what has a price for it in a category that offers the choice: `catalog.pricing.offered_finishes`.
_FINISHES = Facet.PAINTED | Facet.UNPAINTED
CHOICES: tuple[Choice, ...] = (
    Choice("availability", "ready", gettext_lazy("Prêt à partir"), Facet.READY),
    Choice("availability", "available", gettext_lazy("Disponible"), Facet.AVAILABLE),
    Choice("finish", Finish.PAINTED, gettext_lazy("Peint"), Facet.PAINTED),
    Choice("finish", Finish.UNPAINTED, gettext_lazy("Non peint, à peindre"), Facet.UNPAINTED),
    Choice("size", "small", gettext_lazy("Moins de 12\u00a0cm"), Facet.SMALL),
    Choice("size", "medium", gettext_lazy("De 12 à 18\u00a0cm"), Facet.MEDIUM),
    Choice("size", "large", gettext_lazy("18\u00a0cm et plus"), Facet.LARGE),
    Choice("promotion", "yes", gettext_lazy("En promotion"), Facet.REDUCED),
)
TITLES = {
    "availability": gettext_lazy("Disponibilité"),
    "finish": gettext_lazy("Finition"),
    "size": gettext_lazy("Hauteur"),
    "promotion": gettext_lazy("Offres"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What an address asks for. Values of one filter widen each other, filters narrow each other."""

    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    price_min: int | None = None
    price_max: int | None = None

    def __bool__(self) -> bool:
        return bool(self.chosen) or self.has_price

    @property
    def has_price(self) -> bool:
        return self.price_min is not None or self.price_max is not None

    def condition(self, category_id: int | None = None) -> Q:
        """What a product must be to be shown, in a category if one is given."""
        condition = self.price_condition()
        if category_id is not None:
            condition &= Q(category_id=category_id)
        for name in self.chosen:
            widened = Q()
            for choice in CHOICES:
                if choice.name == name and choice.value in self.chosen[name]:
                    widened |= choice.condition
            condition &= widened
        return condition

    def price_condition(self) -> Q:
        """The same of the price alone: the lowest one, in euros."""
        condition = Q()
        if self.price_min is not None:
            condition &= Q(price_from__gte=self.price_min)
        if self.price_max is not None:
            condition &= Q(price_from__lte=self.price_max)
        return condition

    def leave(self, member: Member, category_id: int | None = None) -> bool:
        """Whether a product meets `condition`."""
        return (
            category_id in (None, member.category_id)
            and self._has_price(member)
            and _passes(member.facets, self)
        )

    def _has_price(self, member: Member) -> bool:
        low, high = self.price_min, self.price_max
        return (low is None or member.price_from >= low) and (high is None or member.price_from <= high)

    def groups_of(self, members: Iterable[Member]) -> list[Group]:
        """Those of these products that have the price, in groups."""
        counts = Counter((each.category_id, each.facets) for each in members if self._has_price(each))
        return [Group(category_id, facets, count) for (category_id, facets), count in counts.items()]

    def parameters(self) -> list[tuple[str, str]]:
        """As in the shop's own addresses."""
        pairs = [(c.name, c.value) for c in CHOICES if c.value in self.chosen.get(c.name, ())]
        prices = {"price_min": self.price_min, "price_max": self.price_max}
        return [*pairs, *((name, str(value)) for name, value in prices.items() if value is not None)]

    def without(self, name: str, value: str) -> Filters:
        """These filters but one."""
        if name == "price":
            return replace(self, price_min=None, price_max=None)
        left = tuple(other for other in self.chosen[name] if other != value)
        chosen = {**self.chosen, name: left}
        return replace(self, chosen={name: values for name, values in chosen.items() if values})


class Member(NamedTuple):
    """A product with what filters ask about it."""

    id: int
    category_id: int
    price_from: Decimal
    facets: Facet


@dataclass(frozen=True, slots=True)
class Group:
    """So many products of a category that have the same facets; those of finishes where the category offers them."""

    category_id: int
    facets: Facet
    count: int


@dataclass(frozen=True, slots=True)
class Option:
    """A choice in a form. `count` is None where so many products match that they were not counted."""

    value: str
    label: Any
    count: int | None
    is_chosen: bool


class OptionGroup(NamedTuple):
    """A filter in a form."""

    name: str
    title: Any
    options: Sequence[Option]


class Chip(NamedTuple):
    """An active filter and the rest of the query without it."""

    label: str
    parameters: list[tuple[str, str]]


def read_filters(query: QueryDict) -> Filters:
    """The filters of an address; values that do not exist count as not given. A range of prices the wrong way round is
    turned: both fields still show it where it was typed, and without a word all would be listed."""
    chosen: dict[str, tuple[str, ...]] = {}
    for choice in CHOICES:
        if choice.value in query.getlist(choice.name):
            chosen[choice.name] = (*chosen.get(choice.name, ()), choice.value)
    low, high = _euros(query.get("price_min", "")), _euros(query.get("price_max", ""), up=True)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return Filters(chosen, low, high)


def is_value_of(name: str) -> Any:
    """The test of a parameter's value that `public_page` asks for."""
    values = {choice.value for choice in CHOICES if choice.name == name}
    return values.__contains__


def product_groups() -> list[Group]:
    """All published products, in groups. Two queries when they are not cached."""
    return cached_fragment(lambda: _read_groups(Q()), "product-groups")


def groups_of_list(category_ids: Collection[int], filters: Filters) -> list[Group]:
    """The published products of these categories that have the price asked for, in groups. Two queries when they are
    not cached: with a price, of which there are very many, they never are."""
    groups = _read_groups(filters.price_condition()) if filters.has_price else product_groups()
    return [group for group in groups if group.category_id in category_ids]


def read_members(product_ids: Collection[int]) -> list[Member]:
    """Those of these products that are on sale. One query."""
    rows = Product.objects.filter(pk__in=product_ids, is_published=True).order_by()
    columns = ("pk", "category_id", "price_from", "facets", "category__offers_finishes")
    return [
        Member(pk, category_id, price, _own_facets(facets, offers_finishes))
        for pk, category_id, price, facets, offers_finishes in rows.values_list(*columns)
    ]


def count_shown(groups: Iterable[Group], filters: Filters, category_id: int | None) -> int:
    """How many products the filters leave, in a category if one is given."""
    return sum(
        group.count
        for group in groups
        if category_id in (None, group.category_id) and _passes(group.facets, filters)
    )


def count_categories(groups: Iterable[Group], filters: Filters) -> dict[int, int]:
    """How many products of each category the filters leave."""
    counts: dict[int, int] = {}
    for group in groups:
        if _passes(group.facets, filters):
            counts[group.category_id] = counts.get(group.category_id, 0) + group.count
    return counts


def option_groups(
    groups: Sequence[Group] | None, filters: Filters, category_id: int | None
) -> list[OptionGroup]:
    """The form: each choice with the number of products that it would show beside the other filters. A choice that
    no product of the list meets is left out, unless it is chosen. Without groups nothing is counted."""
    forms = []
    if groups is not None and category_id is not None:
        groups = [group for group in groups if group.category_id == category_id]
    for name, title in TITLES.items():
        options = []
        for choice in CHOICES:
            if choice.name != name:
                continue
            is_chosen = choice.value in filters.chosen.get(name, ())
            count = None
            if groups is not None:
                having = [group for group in groups if choice.facet in group.facets]
                count = sum(group.count for group in having if _passes(group.facets, filters, but=name))
            if count != 0 or is_chosen or any(choice.facet in group.facets for group in groups or ()):
                options.append(Option(choice.value, choice.label, count, is_chosen))
        if options:
            forms.append(OptionGroup(name, title, options))
    return forms


def chips(filters: Filters) -> list[Chip]:
    """The active filters, each to be taken away."""
    shown = [
        Chip(str(choice.label), filters.without(choice.name, choice.value).parameters())
        for choice in CHOICES
        if choice.value in filters.chosen.get(choice.name, ())
    ]
    if filters.has_price:
        shown.append(Chip(_price_label(filters), filters.without("price", "").parameters()))
    return shown


def _price_label(filters: Filters) -> str:
    low = None if filters.price_min is None else wording.amount_text(Decimal(filters.price_min))
    high = None if filters.price_max is None else wording.amount_text(Decimal(filters.price_max))
    if low and high:
        return _("De %(low)s à %(high)s") % {"low": low, "high": high}
    return _("Dès %(low)s") % {"low": low} if low else _("Jusqu'à %(high)s") % {"high": high}


def _passes(facets: Facet, filters: Filters, but: str = "") -> bool:
    return all(
        name == but
        or any(choice.facet in facets for choice in CHOICES if choice.name == name and choice.value in values)
        for name, values in filters.chosen.items()
    )


def _read_groups(condition: Q) -> list[Group]:
    """Grouped in the order of the index `product_facets`, which so is read once without sorting; rows are counted, not
    keys, which it does not hold."""
    offering = {row.pk for row in all_categories() if row.offers_finishes}
    rows = Product.objects.filter(condition, is_published=True).order_by()
    counted = rows.values_list("category_id", "facets").annotate(count=Count("*"))
    return [
        Group(category_id, _own_facets(facets, category_id in offering), count)
        for category_id, facets, count in counted
    ]


def _own_facets(facets: int, offers_finishes: bool) -> Facet:
    """The facets of a product as its category shows them."""
    return Facet(facets) if offers_finishes else Facet(facets) & ~_FINISHES


def _euros(text: str, *, up: bool = False) -> int | None:
    """Whole euros, or None. Cents widen the range, by the whole euro below or above."""
    found = _TYPED_EUROS.fullmatch(text.strip())
    if found is None:
        return None
    return int(found[1]) + (up and (found[2] or "").strip("0") != "")
