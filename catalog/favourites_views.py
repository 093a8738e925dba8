"""`/favoris`: the pieces kept in this browser, drawn by the server and the same page for everybody."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog.selectors.favourites import cards_of, parse_ids

FRAGMENT_HEADER = "X-Fragment"


@require_safe
def favourites(request: HttpRequest) -> HttpResponse:
    """`/favoris?ids=3,1`: these pieces. Without `ids` a script asks for those that the browser keeps, with the header
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
