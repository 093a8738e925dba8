"""What staff put on and into a parcel: its address, corrected until dispatch, and its packing slip."""

from typing import Any, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.admin.base import order_page
from orders.forms import DeliveryAddressForm
from orders.models import IN_WORKSHOP, Order
from orders.models.states import ActorKind
from orders.selectors.addresses import delivery_address
from orders.selectors.rules import checkout_countries
from orders.services.fulfilment.delivery_address import correct_delivery_address
from orders.staff.base import carry_out
from shop.core.staff_actions import StaffAction


@order_page(
    "address",
    label=_("Corriger l'adresse de livraison"),
    action=StaffAction.FULFIL_ORDER,
    shown=lambda order: order.status in IN_WORKSHOP,
)
def address_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask for the address; the customer gets a mail."""
    countries = [(choice.code, choice.name) for choice in checkout_countries()]
    form = DeliveryAddressForm(
        request.POST if request.method == "POST" else None, order=order, countries=countries
    )

    def act() -> object:
        return correct_delivery_address(
            order_id=order.pk,
            address=form.delivery_address(),
            by=ActorKind.STAFF,
            actor=cast(User, request.user),
        )

    if request.method == "POST" and form.is_valid() and carry_out(request, act):
        return redirect("admin:orders_order_change", order.pk)
    explanation = _(
        "Le client reçoit un e-mail avec l'ancienne et la nouvelle adresse. La facture émise ne change pas. Un pays"
        " où le prix, la TVA ou la douane seraient différents est refusé."
    )
    return TemplateResponse(
        request, "admin/orders/order/dates.html", {**context, "form": form, "explanation": explanation}
    )


@order_page(
    "slip",
    label=_("Bon de livraison"),
    action=StaffAction.FULFIL_ORDER,
    shown=lambda order: order.paid_at is not None,
)
def slip_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """The sheet that goes into the parcel, to print, in the customer's language and without any price."""
    with translation.override(order.language):
        delivery = delivery_address(order)
        return render(
            request,
            "admin/orders/order/slip.html",
            {"order": order, "delivery": delivery, "items": order.items.all()},
        )
