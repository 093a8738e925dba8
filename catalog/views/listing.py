"""Pages that list products: the catalogue, a collection, favourites. Each is the same bytes for every visitor."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponsePermanentRedirect,
)
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog.models import SLUG_FIELDS, Category, CategoryKind
from catalog.selectors import categories, filters, listing, wording
from catalog.selectors.addresses import category_url, in_each_language
from catalog.selectors.cards import featured_cards
from catalog.selectors.categories import CategoryCard
from catalog.selectors.favourites import cards_of, parse_ids
from catalog.selectors.filters import Filters
from catalog.selectors.suggestions import other_links
from catalog.selectors.vocabulary import clean_query, words_near
from shop.core.fragment_cache import cached_listing
from shop.core.languages import active_language
from shop.core.public_pages import FRAGMENT_HEADER, is_later_page, public_page

Breadcrumbs = list[tuple[str, str | None]]
Parameters = list[tuple[str, str]]
NEAR_WORDS = 5
BEST_PIECES = 4
MOST_LINKS = 5


@require_safe
@public_page(
    # What is no category is answered 404, and so is a page beyond the last.
    params={
        "category": bool,
        "page": is_later_page,
        "sort": listing.is_sort,
        **{name: filters.is_value_of(name) for name in filters.TITLES},
    },
    fragments=("results",),
)
def catalogue(request: HttpRequest) -> HttpResponseBase:
    """`/produits?category=<slug>&search=<text>&sort=<order>&page=<n>` and the filters (`catalog.selectors.filters`);
    `categorie` and `recherche` are accepted too. Without a text it lists the main catalogue; a text is looked for in
    everything that is sold.

    With the header `X-Fragment: results` only the results are drawn. 404 for an unknown category or page.
    """
    word = _parameter(request, "category", "categorie")
    text = clean_query(_parameter(request, "search", "recherche"))
    shown = categories.listed_categories(with_collections=bool(text))
    row = categories.find_category(word) if word else None
    if word and row is None:
        raise Http404
    if row is not None:
        is_collection = row.kind == CategoryKind.COLLECTION
        # Without a text a collection has a page of its own.
        if not text if is_collection else word != row.slug_in(active_language()):
            return _redirect_to(row, request)
    chosen = next((card for card in shown if row is not None and card.slug == row.slug), None)
    asked = filters.read_filters(request.GET)
    sort = listing.known_sort(request.GET.get("sort", ""), searching=bool(text))
    results = _find(
        request,
        category_ids=listing.main_catalogue(),
        name="main",
        category_id=chosen.pk if chosen else None,
        text=text,
        asked=asked,
        sort=sort,
    )
    title = _("Figurines Artisanales Peintes à la Main")
    if text:
        title = _("Résultats pour «\u00a0%(search)s\u00a0»") % {"search": text}
    catalogue_url = reverse("catalog:list")
    breadcrumbs: Breadcrumbs = [
        (_("Accueil"), reverse("home")),
        (_("Produits"), catalogue_url if chosen else None),
    ]
    if chosen:
        breadcrumbs.append((chosen.name, None))
    repeated = _parameters(text, sort, asked)
    counts: dict[int, int] | None = None
    if (text or asked) and results.groups is not None:
        counts = filters.count_categories(results.groups, asked)
    cards = SimpleLazyObject(lambda: [_with_query(card, repeated, chosen, counts) for card in shown])
    context = {
        "page_title": chosen.title if chosen and not text else title,
        "search": text,
        "sort": sort,
        "list_key": ("main", word, text, *asked.parameters()),
        "sorts": listing.sort_choices(sort, searching=bool(text)),
        "category": chosen.as_selected() if chosen else None,
        "is_counted": counts is not None,
        "counted": cards,
        # Of a search those in which something is found, for the results stand below them.
        "categories": SimpleLazyObject(
            lambda: [card for card in cards if not text or counts is None or card.count or card.selected]
        ),
        "breadcrumbs": breadcrumbs,
        "query_words": {"category": {code: row.slug_in(code) for code in SLUG_FIELDS}} if row else {},
        **_results_context(results, asked, chosen, repeated, catalogue_url),
    }
    if text:
        context |= _search_context(results, text)
    elif asked and not results.count:
        context["elsewhere"] = _elsewhere(asked)
    fragment = request.headers.get(FRAGMENT_HEADER) == "results"
    response = render(request, "catalog/_results.html" if fragment else "catalog/list.html", context)
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response


@public_page(
    params={
        "page": is_later_page,
        "sort": listing.is_sort,
        **{name: filters.is_value_of(name) for name in filters.TITLES},
    }
)
def collection(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A category's own page, with filters. Its word in another language, or one that it had before, is sent to its
    address (301), and so is that of a main category. 404 for any other word, and for an unknown page."""
    row = categories.find_category(slug)
    if row is None:
        raise Http404
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    if request.path != category_url(row):
        return _redirect_to(row, request)
    category = next((card for card in categories.collection_categories() if card.slug == row.slug), None)
    if category is None:
        raise Http404
    asked = filters.read_filters(request.GET)
    sort = listing.known_sort(request.GET.get("sort", ""))
    results = _find(request, category_ids=[row.pk], name=row.slug, asked=asked, sort=sort)
    context = {
        "page_title": category.title or category.name,
        "category": category,
        "list_key": (row.slug, *asked.parameters()),
        "sorts": listing.sort_choices(sort) if category.listed > 3 else (),
        "features": categories.collection_features(category),
        "breadcrumbs": [(_("Accueil"), reverse("home")), (category.name, None)],
        # The word in the address is each language's own.
        "alternates": in_each_language(lambda: category_url(row)),
        **_results_context(results, asked, None, _parameters("", sort, asked), category.url),
    }
    return render(request, "catalog/collection.html", context)


@require_safe
def favourites(request: HttpRequest) -> HttpResponse:
    """`/favoris?ids=3,1`: these products. Without `ids` a script asks for those that the browser keeps, with the header
    `X-Fragment: favourites`, which is answered with the list alone."""
    ids = parse_ids(request.GET.get("ids", ""))
    fragment = request.headers.get(FRAGMENT_HEADER) == "favourites"
    context = {
        "cards": cards_of(ids),
        "is_asked": fragment or "ids" in request.GET,
        "breadcrumbs": [(_("Accueil"), reverse("home")), (_("Favoris"), None)],
    }
    response = render(request, f"catalog/{'_favourites' if fragment else 'favourites'}.html", context)
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response


def _redirect_to(category: Category, request: HttpRequest) -> HttpResponsePermanentRedirect:
    """The category's own address, with the rest of what was asked for."""
    query = request.GET.copy()
    query.pop("category", None)
    query.pop("categorie", None)
    return HttpResponsePermanentRedirect(_with_parameters(category_url(category), query.urlencode()))


def _with_parameters(url: str, query: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url


def _parameter(request: HttpRequest, *names: str) -> str:
    return next((value for name in names if (value := request.GET.get(name, ""))), "")


def _find(
    request: HttpRequest,
    *,
    category_ids: Collection[int],
    name: str,
    asked: Filters,
    sort: str,
    category_id: int | None = None,
    text: str = "",
) -> listing.Results:
    """What the page shows, found once for all addresses that ask for the same; `name` is that of the categories."""
    try:
        number = listing.page_number(request.GET.get("page", ""))
        key = ("results", name, category_id, text, sort, number, *asked.parameters())
        find = partial(listing.find_filtered, category_ids=category_ids)
        if text:
            find = partial(listing.search_products, text=text)
        columns = None if sort == listing.RELEVANCE else listing.sort_columns(sort)
        return cached_listing(
            lambda: find(filters=asked, category_id=category_id, number=number, order=columns), *key
        )
    except listing.PageOutOfRangeError as error:
        raise Http404 from error


def _results_context(
    results: listing.Results, asked: Filters, chosen: CategoryCard | None, repeated: Parameters, url: str
) -> dict[str, Any]:
    """What the results and their filters need. Chips and the form lead to the same list with other filters; `url` is
    the list's own."""
    others = [pair for pair in repeated if pair not in asked.parameters()]
    chips = filters.chips(asked)
    if chosen:
        others.append(("category", chosen.address))
    return {
        "page": listing.card_page(results),
        "result_count": results.count,
        "result_capped": results.capped,
        "filters": asked,
        "filter_groups": SimpleLazyObject(
            lambda: filters.option_groups(results.groups, asked, chosen.pk if chosen else None)
        ),
        "filter_count": len(chips),
        "chips": [(chip.label, _query([*others, *chip.parameters]) or "?") for chip in chips],
        "reset_url": f"{url}{_query(others)}",
        "is_filtered": bool(asked),
        "empty_message": wording.empty_message(
            search=results.query.text if results.query else "",
            category=chosen.name if chosen else "",
            filtered=bool(asked),
        ),
    }


def _search_context(results: listing.Results, text: str) -> dict[str, Any]:
    """What helps a search on: the words it was taken for, and where nothing is found, others, and the best pieces."""
    query = results.query
    found: dict[str, Any] = {
        "is_filtered": True,
        "corrected": query.corrected if query and results.count else "",
        "other_links": cached_listing(lambda: other_links(query, MOST_LINKS), "other-links", text)
        if query
        else [],
    }
    if results.count or query is None:
        return found
    words = words_near(query, NEAR_WORDS)
    list_url = reverse("catalog:list")
    return found | {
        "near_words": [(word, f"{list_url}{_query([('search', word)])}") for word in words],
        "best": featured_cards(BEST_PIECES),
        "every_category": categories.listed_categories(with_collections=True),
    }


def _elsewhere(asked: Filters) -> list[tuple[str, int, str]]:
    """Categories of the whole shop, collections too, in which the filters leave something: name, number, address."""
    cards = categories.listed_categories(with_collections=True)
    groups = filters.groups_of_list([card.pk for card in cards], asked)
    counts = filters.count_categories(groups, asked)
    return [
        (card.name, counts[card.pk], _with_parameters(card.url, urlencode(asked.parameters())))
        for card in cards
        if card.pk in counts
    ]


def _parameters(text: str, sort: str, asked: Filters) -> Parameters:
    """What a link to another page of the same list says again."""
    usual = listing.RELEVANCE if text else listing.DEFAULT_SORT
    return [("search", text), ("sort", "" if sort == usual else sort), *asked.parameters()]


def _query(parameters: Parameters) -> str:
    given = [(name, value) for name, value in parameters if value]
    return f"?{urlencode(given)}" if given else ""


def _with_query(
    card: CategoryCard, repeated: Parameters, chosen: CategoryCard | None, counts: dict[int, int] | None
) -> CategoryCard:
    """The card as a link that leaves the search, the order and the filters as they are, marked when it is the chosen
    one, with the number of products that it would show."""
    url = card.url
    if _query(repeated):
        url = f"{reverse('catalog:list')}{_query([('category', card.address), *repeated])}"
    count = card.count if counts is None else counts.get(card.pk, 0)
    if (url, count) == (card.url, card.count) and card is not chosen:
        return card
    return replace(card, url=url, count=count, selected=card is chosen)
