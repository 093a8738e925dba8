"""All reviews of a product, the form in which a buyer writes one, and the page about how they are controlled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from catalog.models.review import TEXT_MAX_LENGTH, TITLE_MAX_LENGTH
from catalog.selectors.addresses import in_each_language, reviews_url
from catalog.selectors.listing import PageOutOfRangeError, page_number
from catalog.selectors.products import find_product
from catalog.selectors.purchases import find_purchase
from catalog.selectors.reviews import review_of_address, review_page
from catalog.services.reviews import author_name, submit_review
from catalog.views.product import no_product
from shop.core.kept_forms import members_only
from shop.core.problems import Problem
from shop.core.public_pages import is_later_page, public_page
from shop.core.site import redirect_for_good

SEE_OTHER = 303


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest, product_id: str) -> HttpResponseBase:
    """`/produit/12/avis`: members only; who did not buy the product may not write, who wrote already sees what became
    of it."""
    found = find_product(int(product_id))
    if found is None:
        return no_product(request)
    assert request.user.pk is not None
    user = request.user

    def submit(**words: Any) -> None:
        submit_review(user_id=user.pk, author_name=author_name(user), product_id=found.id, **words)

    context, status = review_form(request, submit)
    if status == SEE_OTHER:
        return HttpResponseRedirect(request.path, status=SEE_OTHER)
    context |= {
        "product": found,
        "back": {"label": _("Toutes mes commandes"), "url": reverse("members", query={"tab": "orders"})},
        "breadcrumbs": [
            (_("Accueil"), reverse("home")),
            (found.name, found.url),
            (_("Donner mon avis"), None),
        ],
    }
    context["shown_name"] = author_name(user)
    context["written"] = review_of_address(email=user.email, product_id=found.id)
    context["may_write"] = find_purchase(user_id=request.user.pk, product_id=found.id) is not None
    return render(request, "catalog/review_form.html", context, status=status)


def review_form(request: HttpRequest, submit: Callable[..., object]) -> tuple[dict[str, Any], int]:
    """What the form of a review shows, and the status of the answer: 303 once `submit(rating=…, title=…, text=…,
    language=…)` has taken the review."""
    values = {name: request.POST.get(name, "")[:20_000] for name in ("rating", "title", "text")}
    context: dict[str, Any] = {
        "values": values,
        "errors": {},
        "ratings": _ratings(values["rating"]),
        "title_max": TITLE_MAX_LENGTH,
        "text_max": TEXT_MAX_LENGTH,
    }
    if request.method != "POST":
        return context, 200
    try:
        submit(
            rating=int(values["rating"]) if values["rating"] in {"1", "2", "3", "4", "5"} else 0,
            title=values["title"],
            text=values["text"],
            language=get_language() or "",
        )
    except Problem as problem:
        if problem.code == "invalid":
            context["errors"] = {name: " ".join(texts) for name, texts in problem.errors.items()}
        if problem.status in (404, 409):
            context["refused"] = problem.detail
        return context, problem.status
    return context, SEE_OTHER


@require_safe
@public_page(params={"page": is_later_page})
def reviews(request: HttpRequest, product_id: str, slug: str) -> HttpResponseBase:
    """`/produit/12-lame-d-automne/avis?page=2`: all published reviews of a product. Another name than its own is sent
    there (301); 404 for an unknown page."""
    found = find_product(int(product_id))
    if found is None:
        return no_product(request)
    own = reviews_url(found.row)
    if request.path != own:
        return redirect_for_good(own, request)
    try:
        page = review_page(found.id, number=page_number(request.GET.get("page", "")))
    except PageOutOfRangeError as error:
        raise Http404 from error
    context = {
        "product": found,
        "page": page,
        "breadcrumbs": [
            (_("Accueil"), reverse("home")),
            (found.name, found.url),
            (_("Avis clients"), None),
        ],
        "alternates": in_each_language(lambda: reviews_url(found.row)),
    }
    return render(request, "catalog/reviews.html", context)


@require_safe
@public_page()
def rules(request: HttpRequest) -> HttpResponse:
    """`/avis-clients`: how reviews are gathered, controlled, published and refused (D111-17, D111-18)."""
    breadcrumbs = [(_("Accueil"), reverse("home")), (_("Avis clients"), None)]
    return render(request, "catalog/review_rules.html", {"breadcrumbs": breadcrumbs})


def _ratings(chosen: str) -> list[tuple[int, str, bool]]:
    labels = (_("Excellent"), _("Bien"), _("Moyen"), _("Décevant"), _("Mauvais"))
    return [(5 - index, label, chosen == str(5 - index)) for index, label in enumerate(labels)]
