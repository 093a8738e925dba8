"""Pages of cart, checkout, payment result and one order. Cart and checkout are the same bytes for every visitor."""

import uuid
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.passwords import MEMBER_MINIMUM
from accounts.sign_ups import remembered_sign_up
from orders.access import payment_token, photo_url
from orders.guest_orders import account_state, browser_owns, order_of_visitor
from orders.islands import CartPropsSerializer, CheckoutPropsSerializer, PaymentResultPropsSerializer
from orders.models import CLOSED_STATUSES, IN_WORKSHOP, PAID_STATUSES, Order
from orders.models.states import ActorKind
from orders.selectors import orders as order_selectors
from orders.selectors.addresses import billing_address, delivery_address, is_delivered_elsewhere
from orders.selectors.delivery import not_served_countries
from orders.selectors.destinations import place_of
from orders.selectors.installments import calendar, may_pause
from orders.selectors.money import money_outcome
from orders.selectors.piece_photos import sent_photos
from orders.selectors.refund_rules import open_dispute
from orders.selectors.refunds import refunds_for_page
from orders.selectors.rules import checkout_countries, default_country, offered_modes, payment_methods
from orders.selectors.shipments import parcels_for_page
from orders.selectors.withdrawals import rest_follows
from orders.selectors.workshop import is_awaited
from orders.services.fulfilment.delivery_address import may_correct_address
from orders.services.invoicing.paid_copies import paid_copy_state
from orders.services.payments.settlement import verify_payment
from orders.stripe.gateway import parse_checkout_session_id
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.postcodes import OTHER_COUNTRY
from shop.core.public_pages import public_page
from shop.terms.versions import current_number


@require_safe
@public_page()
def cart_page(request: HttpRequest) -> HttpResponse:
    """`/panier`: the cart is in the browser, an island shows it."""
    props = CartPropsSerializer(
        {
            **_where_and_how(),
            "links": {"catalogue": reverse("catalog:list"), "checkout": reverse("orders:checkout")},
        }
    )
    return render(
        request,
        "orders/cart.html",
        {
            "cart_props": props,
            "not_served": not_served_countries(),
            "breadcrumbs": [(_("Accueil"), reverse("home")), (_("Panier"), None)],
        },
    )


def _where_and_how() -> dict[str, Any]:
    """The countries of delivery, the one that is chosen at first, and how one can pay."""
    countries = checkout_countries()
    return {
        "countries": countries,
        "default_country": default_country(countries),
        "payment_methods": payment_methods(),
    }


@require_safe
@public_page()
def checkout_page(request: HttpRequest) -> HttpResponse:
    """`/checkout`: the form is an island; only the API knows the cart and the member."""
    props = CheckoutPropsSerializer(
        {
            **_where_and_how(),
            "other_country": OTHER_COUNTRY,
            "payment_modes": offered_modes(),
            "pay_label": _("Commande avec obligation de paiement"),
            "terms_version": current_number(),
            "password_min": MEMBER_MINIMUM,
            "links": {
                "cart": reverse("orders:cart"),
                "terms": reverse("terms"),
                "privacy": reverse("privacy"),
                "withdrawal": reverse("orders:withdrawal"),
                "withdrawal_form": reverse("withdrawal-form"),
                "guarantees": reverse("terms"),
                "forgot": f"{reverse('accounts:auth')}?mode=forgot",
            },
        }
    )
    context = {"checkout_props": props, "not_served": not_served_countries()}
    return render(request, "orders/checkout.html", context)


@require_safe
@never_cache
def payment_result_page(request: HttpRequest) -> HttpResponse:
    """Where the payment page sends the customer back. The session id in the address is a hint: it proves nothing.

    What was bought is shown to its member and to the browser that ordered it, once the payment is known: at once, as
    the part `purchase` when the island has asked, or after `verifier=1`, which asks without JavaScript.
    """
    checkout_session_id = parse_checkout_session_id(request.GET.get("session_id", ""))
    asked = "verifier" in request.GET and _verify(request, checkout_session_id)
    order = order_selectors.order_bought_with(checkout_session_id)
    if order is not None and not browser_owns(request, order):
        order = None
    context = {} if order is None else _purchase(request, order)
    if request.headers.get("X-Fragment") == "purchase":
        if order is None:
            return HttpResponse(status=HTTPStatus.NO_CONTENT)
        return render(request, "orders/_purchase.html", context)
    props = PaymentResultPropsSerializer(
        {
            "session_id": checkout_session_id,
            "paid": order is not None,
            "links": {
                "cart": reverse("orders:cart"),
                "orders": reverse("orders:tracking") if order is None else order_selectors.order_path(order),
                "contact": reverse("contact"),
            },
        }
    )
    response = render(
        request,
        "orders/payment_result.html",
        {
            **context,
            "asked": asked,
            "result_props": props,
            "checkout_session_id": checkout_session_id,
            "awaits_confirmation": not request.user.is_authenticated
            and remembered_sign_up(request) is not None,
        },
    )
    # The address holds the session id: other sites get the origin at most.
    response["Referrer-Policy"] = "strict-origin"
    return response


def _verify(request: HttpRequest, checkout_session_id: str) -> bool:
    """Ask the provider about a payment, within the limit of such questions; whether it was asked."""
    if not checkout_session_id or not limits.consume(limits.VERIFY_NETWORK, client_address(request)):
        return False
    return verify_payment(checkout_session_id) is not None


def _purchase(request: HttpRequest, order: Order) -> dict[str, Any]:
    return {
        "order": order,
        "items": order.items.all(),
        "plan": calendar(order),
        "delivery": delivery_address(order),
        "account": account_state(request, order),
        "here": request.get_full_path(),
    }


@require_safe
@never_cache
def order_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponse:
    """An order for its member, the browser that made it, or who holds its signed link; else it does not exist."""
    order, _path = order_of_visitor(request, order_id)
    plan, refunds, parcels = calendar(order), refunds_for_page(order), parcels_for_page(order)
    is_member = request.user.is_authenticated and order.user_id == request.user.pk
    trail = [(_("Accueil"), reverse("home"))]
    if is_member:
        trail.append((_("Espace membre"), reverse("members")))
    response = render(
        request,
        "orders/order.html",
        {
            "order": order,
            "unpaid_page": order_selectors.unpaid_page(order),
            "steps": PAID_STATUSES,
            "items": order.items.all(),
            "is_awaited": order.status not in IN_WORKSHOP or is_awaited(order),
            "is_contested": order.status in IN_WORKSHOP and open_dispute(order) is not None,
            "delivery": delivery_address(order),
            "billing": billing_address(order) if is_delivered_elsewhere(order) else None,
            "may_correct_address": may_correct_address(order, ActorKind.CUSTOMER),
            "is_member": is_member,
            "account": account_state(request, order),
            "access": request.GET.get("acces", ""),
            "here": request.get_full_path(),
            "plan": plan,
            "may_pause": may_pause(order, plan),
            "paid_copy": paid_copy_state(order, plan),
            "meets_customs": place_of(order).meets_customs,
            "pay_token": payment_token(order),
            "refunds": refunds,
            "refund_arrives": any(refund.arrives for refund in refunds),
            "parcels": parcels,
            "rest_follows": bool(parcels) and rest_follows(order),
            "photos": [(photo, photo_url(photo)) for photo in sent_photos(order)],
            "outcome": money_outcome(order) if order.status in CLOSED_STATUSES else None,
            "breadcrumbs": [*trail, (_("Commande %(reference)s") % {"reference": order.reference}, None)],
        },
    )
    # The address may hold the order's signed link. The page's forms need their origin, which "no-referrer" takes away.
    response["Referrer-Policy"] = "same-origin"
    response["X-Robots-Tag"] = "noindex"
    return response
