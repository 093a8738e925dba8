"""The page on which somebody orders again what an order of theirs held. The cart is the browser's: a press fills it."""

from __future__ import annotations

import json
import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from orders.guest_orders import order_of_visitor
from orders.selectors.reorders import ReorderLine, reorder_lines


@require_safe
@never_cache
def again_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponse:
    """`/commande/<id>/a-nouveau`, for whoever may see the order: what can still be had, at which price, and what
    cannot. Without JavaScript each piece leads to its page."""
    order, back = order_of_visitor(request, order_id)
    lines = reorder_lines(order)
    response = render(
        request,
        "orders/again.html",
        {
            "order": order,
            "lines": lines,
            "cart_lines": json.dumps([_cart_line(line) for line in lines if line.quantity]),
            "has_changes": any(line.problem or line.price_changed for line in lines),
            "back": back,
            "breadcrumbs": [
                (_("Accueil"), reverse("home")),
                (_("Commande %(reference)s") % {"reference": order.reference}, back),
                (_("Commander à nouveau"), None),
            ],
        },
    )
    # The address may hold the order's signed link.
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response


def _cart_line(line: ReorderLine) -> dict[str, object]:
    """A line as the browser's cart stores it."""
    assert line.requested is not None
    return {
        "product_id": line.requested.product_id,
        "variation_id": line.requested.variation_id,
        "finish": line.requested.finish or None,
        "quantity": line.quantity,
    }
