"""The page on which the customer of a paid order corrects where it goes."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from orders.forms import DeliveryAddressForm
from orders.guest_orders import order_of_visitor
from orders.models import Order
from orders.models.states import ActorKind
from orders.selectors.rules import checkout_countries
from orders.services.fulfilment.delivery_address import correct_delivery_address, may_correct_address
from shop.core.problems import Problem


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def address_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """`/commande/<id>/adresse`, for whoever may see the order; works without JavaScript."""
    order, back = order_of_visitor(request, order_id)
    countries = [(choice.code, choice.name) for choice in checkout_countries()]
    form = DeliveryAddressForm(
        request.POST if request.method == "POST" else None, order=order, countries=countries
    )
    refusal: Problem | None = None
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                correct_delivery_address(
                    order_id=order.pk,
                    address=form.delivery_address(),
                    by=ActorKind.CUSTOMER,
                    actor=request.user if isinstance(request.user, User) else None,
                )
            except Problem as problem:
                refusal, status = problem, problem.status
            else:
                return redirect(f"{back}#coordonnees")
    values = {"error": refusal.detail if refusal else "", "back": back}
    page = _render(request, order, form, values, status)
    return hide_address(refusal.set_headers(page) if refusal else page)


def _render(
    request: HttpRequest, order: Order, form: DeliveryAddressForm, values: dict[str, str], status: int
) -> HttpResponse:
    trail = [
        (_("Accueil"), reverse("home")),
        (_("Commande %(reference)s") % {"reference": order.reference}, values["back"]),
        (_("Adresse de livraison"), None),
    ]
    context = {
        **values,
        "order": order,
        "form": form,
        "is_open": may_correct_address(order, ActorKind.CUSTOMER),
        "breadcrumbs": trail,
    }
    return render(request, "orders/address.html", context, status=status)


def hide_address(response: HttpResponseBase) -> HttpResponseBase:
    """The address may hold the order's signed link. A form is sent to it: its own origin gets the referrer."""
    response["Referrer-Policy"] = "same-origin"
    response["X-Robots-Tag"] = "noindex"
    return response
