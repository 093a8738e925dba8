"""Pages that list products: the catalogue, a collection, favourites. Each is the same bytes for every visitor."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from django.db.models import Q
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
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog.models import SLUG_FIELDS, Category, CategoryKind
from catalog.selectors import categories, listing, search, wording
from catalog.selectors.addresses import category_url, in_each_language
from catalog.selectors.categories import CategoryCard
from catalog.selectors.favourites import cards_of, parse_ids
from shop.core.languages import active_language
from shop.core.public_pages import FRAGMENT_HEADER, is_later_page, public_page

Breadcrumbs = list[tuple[str, str | None]]


@require_safe
@public_page(
    # What is no category is answered 404, and so is a page beyond the last.
    params={"category": bool, "page": is_later_page, "sort": listing.is_sort},
    fragments=("results",),
)
def catalogue(request: HttpRequest) -> HttpResponseBase:
    """`/produits?category=<slug>&search=<text>&sort=<order>&page=<n>`; `categorie` and `recherche` are
    accepted too.

    With the header `X-Fragment: results` only the results are drawn. 404 for an unknown category or page.
    """
    word = _parameter(request, "category", "categorie")
    text = search.clean_query(_parameter(request, "search", "recherche"))
    row = categories.find_category(word) if word else None
    if word and row is None:
        raise Http404
    if row is not None and (row.kind != CategoryKind.MAIN or word != row.slug_in(active_language())):
        return _redirect_to(row, request)
    shown = categories.main_categories()
    chosen = next((card for card in shown if row is not None and card.slug == row.slug), None)
    sort = listing.known_sort(request.GET.get("sort", ""))
    results = _find(
        scope=listing.of_category(chosen.slug) if chosen else listing.main_catalogue(),
        text=text,
        sort=sort,
        page=request.GET.get("page", ""),
        known_count=chosen.listed if chosen else sum(card.listed for card in shown),
    )
    title = _("Figurines Artisanales Peintes à la Main")
    catalogue_url = reverse("catalog:list")
    breadcrumbs: Breadcrumbs = [
        (_("Accueil"), reverse("home")),
        (_("Produits"), catalogue_url if chosen else None),
    ]
    if chosen:
        breadcrumbs.append((chosen.name, None))
    context = {
        "page_title": chosen.title if chosen else title,
        "search": text,
        "sorts": listing.sort_choices(sort),
        "category": chosen.as_selected() if chosen else None,
        "categories": [_with_query(card, text, sort, chosen) for card in shown],
        "page": listing.card_page(results),
        "result_count": results.count,
        "result_capped": results.capped,
        "empty_message": wording.empty_message(search=text, category=chosen.name if chosen else ""),
        "breadcrumbs": breadcrumbs,
        "query_words": {"category": {code: row.slug_in(code) for code in SLUG_FIELDS}} if row else {},
    }
    fragment = request.headers.get(FRAGMENT_HEADER) == "results"
    response = render(request, "catalog/_results.html" if fragment else "catalog/list.html", context)
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response


@public_page(params={"page": is_later_page, "sort": listing.is_sort})
def collection(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A category's own page. Its word in another language, or one that it had before, is sent to its address (301), and
    so is that of a main category. 404 for any other word, and for an unknown page."""
    row = categories.find_category(slug)
    if row is None:
        raise Http404
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    if request.path != category_url(row):
        return _redirect_to(row, request)
    category = categories.collection_card(row.slug)
    if category is None:
        raise Http404
    sort = listing.known_sort(request.GET.get("sort", ""))
    results = _find(
        scope=listing.of_category(row.slug),
        page=request.GET.get("page", ""),
        known_count=category.listed,
        sort=sort,
    )
    context = {
        "page_title": category.title or category.name,
        "category": category,
        "sorts": listing.sort_choices(sort) if results.count > 3 else (),
        "features": categories.collection_features(category),
        "page": listing.card_page(results),
        "result_count": results.count,
        "breadcrumbs": [(_("Accueil"), reverse("home")), (category.name, None)],
        # The word in the address is each language's own.
        "alternates": in_each_language(lambda: category_url(row)),
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
    url = category_url(category)
    joint = "&" if "?" in url else "?"
    return HttpResponsePermanentRedirect(f"{url}{joint}{query.urlencode()}" if query else url)


def _parameter(request: HttpRequest, *names: str) -> str:
    return next((value for name in names if (value := request.GET.get(name, ""))), "")


def _find(*, scope: Q, page: str, known_count: int, sort: str, text: str = "") -> listing.Results:
    try:
        number = listing.page_number(page)
        return listing.find_products(
            scope=scope, text=text, number=number, known_count=known_count, order=listing.sort_columns(sort)
        )
    except listing.PageOutOfRangeError as error:
        raise Http404 from error


def _with_query(card: CategoryCard, text: str, sort: str, chosen: CategoryCard | None) -> CategoryCard:
    """The card as a link that keeps the search and the order, marked when it is the chosen one."""
    parameters = {"search": text, "sort": "" if sort == listing.DEFAULT_SORT else sort}
    query = urlencode({name: value for name, value in parameters.items() if value})
    if not query and card is not chosen:
        return card
    return replace(card, url=f"{card.url}&{query}" if query else card.url, selected=card is chosen)
