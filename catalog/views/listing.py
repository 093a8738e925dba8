"""Pages that list products: the catalogue, a collection, favourites. Each is the same bytes for every visitor."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog.selectors import categories, listing, search, wording
from catalog.selectors.categories import CategoryCard
from catalog.selectors.favourites import cards_of, parse_ids
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
    shown = categories.main_categories()
    slug = _parameter(request, "category", "categorie")
    text = search.clean_query(_parameter(request, "search", "recherche"))
    chosen = next((card for card in shown if card.slug == slug), None)
    if slug and chosen is None:
        raise Http404
    sort = listing.known_sort(request.GET.get("sort", ""))
    results = _find(
        scope=listing.of_category(chosen.slug) if chosen else listing.main_catalogue(),
        text=text,
        sort=sort,
        page=request.GET.get("page", ""),
        known_count=chosen.count if chosen else sum(card.count for card in shown),
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
    }
    fragment = request.headers.get(FRAGMENT_HEADER) == "results"
    response = render(request, "catalog/_results.html" if fragment else "catalog/list.html", context)
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response


@require_safe
@public_page(params={"page": is_later_page, "sort": listing.is_sort})
def collection(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One collection's own page. 404 while the collection has no row, and for an unknown page."""
    category = categories.collection_card(slug)
    if category is None:
        raise Http404
    sort = listing.known_sort(request.GET.get("sort", ""))
    results = _find(
        scope=listing.of_category(slug),
        page=request.GET.get("page", ""),
        known_count=category.count,
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
