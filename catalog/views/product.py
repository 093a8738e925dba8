"""The page of one product, the same bytes for every visitor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog.islands import gallery_props, product_buy_props
from catalog.models import CategoryKind, Finish
from catalog.pricing import OfferKey
from catalog.selectors.addresses import category_url, in_each_language, product_url, reviews_url
from catalog.selectors.cards import similar_cards
from catalog.selectors.product_detail import OfferChoice, ProductDetail
from catalog.selectors.products import find_product
from catalog.selectors.reviews import SHOWN, ReviewCard, product_reviews
from catalog.selectors.wording import last_day
from shop.core import structured_data
from shop.core.fragment_cache import cached_fragment
from shop.core.models import ShopSettings
from shop.core.public_pages import FRAGMENT_HEADER, public_page
from shop.core.site import redirect_for_good

PARTS = "choice"


def is_format(text: str) -> bool:
    """Return whether `text` is the key of a format as the shop's own links write it."""
    return re.fullmatch(r"[1-9][0-9]{0,17}", text) is not None


@require_safe
@public_page(
    # A choice that the product does not have is sent to the page without it.
    params={"finition": Finish.values.__contains__, "format": is_format},
    fragments=(PARTS,),
)
def product(request: HttpRequest, product_id: str, slug: str) -> HttpResponseBase:
    """`/produit/12-lame-d-automne?finition=unpainted&format=3`: the page with that choice made.

    Another name than the product's own in this language, and a choice that it does not have, are sent to its own page
    (301, 302). With the header `X-Fragment: choice` only what depends on the choice is drawn.
    """
    first = find_product(int(product_id))
    if first is None:
        return no_product(request)
    if request.path != first.url:
        return redirect_for_good(first.url, request)
    choice = _choice(request, first)
    if choice is None:
        rest = urlencode([given for given in request.GET.items() if given[0] not in ("finition", "format")])
        return HttpResponseRedirect(f"{first.url}?{rest}" if rest else first.url)
    found = first.choose(choice)
    if request.headers.get(FRAGMENT_HEADER) == PARTS:
        return _parts(request, found)
    similar = similar_cards(found.row)
    # One more than is shown: are there others?
    reviews = product_reviews(found.id, limit=SHOWN + 1)
    context = {
        "product": found,
        "first": first,
        "similar": similar,
        "buy_props": SimpleLazyObject(lambda: product_buy_props(found)),
        "gallery_props": SimpleLazyObject(lambda: gallery_props(found)),
        "choice_key": choice,
        "breadcrumbs": _breadcrumbs(found),
        "reviews": reviews[:SHOWN],
        "reviews_url": reviews_url(found.row) if len(reviews) > SHOWN else "",
        "structured_data": cached_fragment(
            lambda: {**_structured_data(first), **_rating(first, reviews[:SHOWN])},
            "product-structured-data",
            found.id,
        ),
        # The name in the address is translated too.
        "alternates": cached_fragment(
            lambda: in_each_language(lambda: product_url(found.row)), "product-addresses", found.id
        ),
    }
    response = render(request, "catalog/product.html", context)
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response


def _parts(request: HttpRequest, found: ProductDetail) -> HttpResponse:
    context = {"product": found, "gallery_props": SimpleLazyObject(lambda: gallery_props(found))}
    response = render(request, "catalog/_choice.html", context)
    patch_vary_headers(response, [FRAGMENT_HEADER])
    return response


def _breadcrumbs(found: ProductDetail) -> list[tuple[str, str | None]]:
    """The trail of the category's own list, and the product."""
    category = found.row.category
    trail: list[tuple[str, str | None]] = [(_("Accueil"), reverse("home"))]
    if category.kind == CategoryKind.MAIN:
        trail.append((_("Produits"), reverse("catalog:list")))
    return [*trail, (found.category, category_url(category)), (found.name, None)]


def _choice(request: HttpRequest, found: ProductDetail) -> OfferKey | None:
    """What the address asks for, filled in with the default choice; without anything asked for the one that the page
    opens on. None when the product does not have it."""
    finish, format_id = request.GET.get("finition", ""), request.GET.get("format", "")
    first, opening = found.selected, found.opening
    if first is None or opening is None or not (finish or format_id):
        return OfferKey(None, "") if opening is None else opening.choice
    if format_id and not is_format(format_id):
        return None
    key = OfferKey(int(format_id) if format_id else first.variation_id, finish or first.finish)
    return None if found.offer(key) is None else key


@require_safe
def product_by_number(request: HttpRequest, product_id: str) -> HttpResponseBase:
    """`/produit/12` and addresses whose name no page has: sent to the product's own address (301)."""
    found = find_product(int(product_id))
    return no_product(request) if found is None else redirect_for_good(found.url, request)


@require_safe
def no_product(request: HttpRequest) -> HttpResponse:
    """« Produit introuvable », for everything under `/produit/` that is no product on sale."""
    return render(request, "errors/404-product.html", status=404)


def _structured_data(found: ProductDetail) -> structured_data.Data:
    return structured_data.product(
        product_id=found.id,
        name=found.name,
        description=found.row.description or found.row.full_description or found.name,
        url=found.url,
        category=found.category,
        images=[image.url for image in found.images],
        offers=[_offer(found, choice) for choice in found.chosen_first],
        seller=ShopSettings.load().shop_name,
        material=found.row.material,
        height_cm=found.height_cm,
    )


def _offer(found: ProductDetail, choice: OfferChoice) -> structured_data.Offer:
    """The choice with its own address, which opens the page with that choice made."""
    query = choice.query if len(found.offers) > 1 else ""
    promotion = found.promotion
    ends_at = promotion.ends_at if promotion is not None and promotion.is_reduction else None
    return structured_data.Offer(
        url=f"{found.url}?{query}" if query else found.url,
        price=choice.price,
        original_price=choice.original_price,
        available=choice.available,
        made_to_order=choice.stock is None,
        sku=choice.sku,
        image=found.images[choice.images[0]].url if choice.images else "",
        valid_until=None if ends_at is None else last_day(ends_at),
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
