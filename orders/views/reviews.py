"""The review of who ordered without an account: the signed link of a delivered order opens the form. Without
JavaScript."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from catalog.selectors.products import find_product
from catalog.selectors.reviews import review_of_address
from catalog.services.reviews import author_name, submit_guest_review
from catalog.views.reviews import SEE_OTHER, review_form
from orders.guest_orders import order_of_visitor
from orders.selectors.orders import purchase_in
from orders.views.addresses import hide_address


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def review_page(request: HttpRequest, order_id: uuid.UUID, product_id: int) -> HttpResponseBase:
    """`/commande/<id>/avis/<product>?acces=…`, for whoever may see the order. A member's order leads to the form that
    members have."""
    order, back = order_of_visitor(request, order_id)
    if all(item.product_id != product_id for item in order.items.all()):
        raise Http404
    if order.user_id is not None:
        return HttpResponseRedirect(reverse("catalog:review-write", args=[product_id]))
    purchase = purchase_in(order, product_id)
    found = find_product(product_id) if purchase is not None else None
    if purchase is None or found is None:
        raise Http404

    def submit(**words: Any) -> None:
        submit_guest_review(
            email=order.email,
            purchase=purchase,
            author_name=author_name(order),
            product_id=found.id,
            **words,
        )

    context, status = review_form(request, submit)
    if status == SEE_OTHER:
        return hide_address(HttpResponseRedirect(request.get_full_path(), status=SEE_OTHER))
    title = _("Commande %(reference)s") % {"reference": order.reference}
    context |= {
        "product": found,
        "back": {"label": title, "url": back},
        "shown_name": author_name(order),
        "written": review_of_address(email=order.email, product_id=found.id),
        "may_write": True,
        "breadcrumbs": [
            (_("Accueil"), reverse("home")),
            (title, back),
            (_("Donner mon avis"), None),
        ],
    }
    return hide_address(render(request, "catalog/review_form.html", context, status=status))
