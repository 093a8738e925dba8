"""Pages of the catalogue. Each is the same bytes for every visitor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog.islands import gallery_props, product_buy_props
from catalog.models import Finish
from catalog.selectors import categories, listing, search, sorting, wording
from catalog.selectors.addresses import in_each_language, product_url, reviews_url
from catalog.selectors.cards import similar_cards
from catalog.selectors.categories import CategoryCard
from catalog.selectors.products import OfferChoice, ProductDetail, find_product
from catalog.selectors.reviews import SHOWN, ReviewCard, product_reviews
from shop.core import structured_data
from shop.core.fragment_cache import cached_fragment
from shop.core.models import ShopSettings
from shop.core.public_pages import is_later_page, public_page

Breadcrumbs = list[tuple[str, str | None]]
FRAGMENT_HEADER = "X-Fragment"


@require_safe
@public_page(
    # What is no category is answered 404, and so is a page beyond the last.
    params={"category": bool, "page": is_later_page, "sort": sorting.is_chosen},
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
    sort = sorting.chosen(request.GET.get("sort", ""))
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
        "sorts": sorting.choices(sort),
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
@public_page(params={"page": is_later_page, "sort": sorting.is_chosen})
def collection(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One collection's own page. 404 while the collection has no row, and for an unknown page."""
    category = categories.collection_card(slug)
    if category is None:
        raise Http404
    sort = sorting.chosen(request.GET.get("sort", ""))
    results = _find(
        scope=listing.of_category(slug),
        page=request.GET.get("page", ""),
        known_count=category.count,
        sort=sort,
    )
    context = {
        "page_title": category.title or category.name,
        "category": category,
        "sorts": sorting.choices(sort) if results.count > 3 else (),
        "features": categories.collection_features(category),
        "page": listing.card_page(results),
        "result_count": results.count,
        "breadcrumbs": [(_("Accueil"), reverse("home")), (category.name, None)],
    }
    return render(request, "catalog/collection.html", context)


@require_safe
@public_page(params={"finition": Finish.values.__contains__})
def product(request: HttpRequest, product_id: str, slug: str) -> HttpResponseBase:
    """`/produit/12-lame-d-automne`. Another name than the product's own in this language is sent there (301)."""
    found = find_product(int(product_id))
    if found is None:
        return no_product(request)
    if request.path != found.url:
        return _sent_to(found, request)
    similar = similar_cards(found.row)
    # One more than is shown tells whether there are others.
    reviews = product_reviews(found.id, limit=SHOWN + 1)
    list_url, list_name = _parent(found)
    context = {
        "product": found,
        "similar": similar,
        "buy_props": SimpleLazyObject(lambda: product_buy_props(found)),
        "gallery_props": SimpleLazyObject(lambda: gallery_props(found)),
        "breadcrumbs": [(_("Accueil"), reverse("home")), (list_name, list_url), (found.name, None)],
        "reviews": reviews[:SHOWN],
        "reviews_url": reviews_url(found.row) if len(reviews) > SHOWN else "",
        "structured_data": cached_fragment(
            lambda: {**_structured_data(found), **_rating(found, reviews[:SHOWN])},
            "product-structured-data",
            found.id,
        ),
        # The name in the address is translated too.
        "alternates": cached_fragment(
            lambda: in_each_language(lambda: product_url(found.row)), "product-addresses", found.id
        ),
    }
    return render(request, "catalog/product.html", context)


@require_safe
def product_by_number(request: HttpRequest, product_id: str) -> HttpResponseBase:
    """`/produit/12` and addresses whose name no page has: sent to the product's own address (301)."""
    found = find_product(int(product_id))
    return no_product(request) if found is None else _sent_to(found, request)


def _sent_to(found: ProductDetail, request: HttpRequest) -> HttpResponsePermanentRedirect:
    """The product's own address, with the finish and format that the visitor had chosen."""
    query = request.GET.urlencode()
    return HttpResponsePermanentRedirect(f"{found.url}?{query}" if query else found.url)


@require_safe
def no_product(request: HttpRequest) -> HttpResponse:
    """« Produit introuvable », for everything under `/produit/` that is no product on sale."""
    return render(request, "errors/404-product.html", status=404)


def _parameter(request: HttpRequest, *names: str) -> str:
    return next((value for name in names if (value := request.GET.get(name, ""))), "")


def _find(*, scope: Q, page: str, known_count: int, sort: str, text: str = "") -> listing.Results:
    try:
        number = listing.page_number(page)
        return listing.find_products(
            scope=scope, text=text, number=number, known_count=known_count, order=sorting.order_of(sort)
        )
    except listing.PageOutOfRangeError as error:
        raise Http404 from error


def _with_query(card: CategoryCard, text: str, sort: str, chosen: CategoryCard | None) -> CategoryCard:
    """The card as a link that keeps the search and the order, marked when it is the chosen one."""
    asked = {"search": text, "sort": "" if sort == sorting.DEFAULT else sort}
    query = urlencode({name: value for name, value in asked.items() if value})
    if not query and card is not chosen:
        return card
    return replace(card, url=f"{card.url}&{query}" if query else card.url, selected=card is chosen)


def _parent(found: ProductDetail) -> tuple[str, str]:
    """The list that the product stands in: its collection, or its category in the catalogue."""
    return categories.category_url(found.category_kind, found.category_slug), found.category


def _structured_data(found: ProductDetail) -> structured_data.Data:
    return structured_data.product(
        product_id=found.id,
        name=found.name,
        description=found.description or found.full_description or found.name,
        url=found.url,
        category=found.category,
        images=[image.url for image in found.images],
        offers=[_offer(found, choice) for choice in _first_choice_first(found)],
        seller=ShopSettings.load().shop_name,
        material=found.material,
        height_cm=found.height_cm,
    )


def _first_choice_first(found: ProductDetail) -> list[OfferChoice]:
    first = (found.selected_finish, found.selected_variation)
    return sorted(found.offers, key=lambda choice: (choice.finish, choice.variation_id) != first)


def _offer(found: ProductDetail, choice: OfferChoice) -> structured_data.Offer:
    """The choice with its own address, which opens the page with that choice made."""
    query = urlencode(
        {
            name: value
            for name, value in (("finition", choice.finish), ("format", choice.variation_id))
            if value and len(found.offers) > 1
        }
    )
    return structured_data.Offer(
        url=f"{found.url}?{query}" if query else found.url,
        price=choice.price,
        original_price=choice.original_price,
        available=choice.available,
        made_to_order=found.made_to_order,
    )


def _rating(found: ProductDetail, reviews: Sequence[ReviewCard]) -> structured_data.Data:
    """Average and reviews for search engines: nothing before the first real one, and none of the demonstration."""
    if found.row.rating_average is None:
        return {}
    return structured_data.rating(
        average=found.row.rating_average,
        count=found.row.rating_count,
        reviews=(
            structured_data.Review(
                row.author, row.rating, row.title, row.text, timezone.localdate(row.published_at)
            )
            for row in reviews
            if not row.demonstration
        ),
    )
