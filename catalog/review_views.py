"""The form in which a buyer writes a review, and the page that explains how reviews are controlled."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from catalog.models.review import TEXT_MAX_LENGTH, TITLE_MAX_LENGTH
from catalog.purchases import find_purchase
from catalog.selectors.products import find_product
from catalog.selectors.reviews import review_of
from catalog.services.reviews import submit_review
from catalog.views import no_product
from shop.core.problems import Problem


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest, product_id: str) -> HttpResponseBase:
    """`/produit/12/avis`: members only; who did not buy the piece is told so, who wrote already sees what became of
    it."""
    found = find_product(int(product_id))
    if found is None:
        return no_product(request)
    assert request.user.pk is not None
    values = {name: request.POST.get(name, "")[:20_000] for name in ("rating", "title", "text")}
    context: dict[str, Any] = {
        "product": found,
        "values": values,
        "errors": {},
        "ratings": _ratings(values["rating"]),
        "title_max": TITLE_MAX_LENGTH,
        "text_max": TEXT_MAX_LENGTH,
        "breadcrumbs": [
            (_("Accueil"), reverse("home")),
            (found.name, found.url),
            (_("Donner mon avis"), None),
        ],
    }
    status = 200
    if request.method == "POST":
        try:
            submit_review(
                user_id=request.user.pk,
                author_name=author_name(request.user),
                product_id=found.id,
                rating=int(values["rating"]) if values["rating"] in {"1", "2", "3", "4", "5"} else 0,
                title=values["title"],
                text=values["text"],
                language=get_language() or "",
            )
        except Problem as problem:
            if problem.code == "invalid":
                context["errors"] = {name: " ".join(texts) for name, texts in problem.errors.items()}
            status = problem.status
        else:
            return HttpResponseRedirect(request.path, status=303)
    context["written"] = review_of(user_id=request.user.pk, product_id=found.id)
    context["may_write"] = find_purchase(user_id=request.user.pk, product_id=found.id) is not None
    return render(request, "catalog/review_form.html", context, status=status)


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """`/avis-clients`: how reviews are gathered, controlled, published and refused (D111-17, D111-18)."""
    breadcrumbs = [(_("Accueil"), reverse("home")), (_("Avis clients"), None)]
    return render(request, "catalog/review_rules.html", {"breadcrumbs": breadcrumbs})


def author_name(user: Any) -> str:
    """First name and initial, as the author gave them to the shop; empty when they gave none."""
    first, last = user.first_name.strip(), user.last_name.strip()
    return f"{first} {last[0]}.".strip() if first and last else str(first)


def _ratings(chosen: str) -> list[tuple[int, str, bool]]:
    labels = (_("Excellent"), _("Bien"), _("Moyen"), _("Décevant"), _("Mauvais"))
    return [(5 - index, label, chosen == str(5 - index)) for index, label in enumerate(labels)]
