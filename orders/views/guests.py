"""Pages for who ordered without an account: the link to an order, and an account for it. Without JavaScript."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.redirects import own_path
from accounts.sign_ups import remember_sign_up, remembered_sign_up
from orders.forms import TrackingForm
from orders.guest_orders import browser_owns
from orders.models import Order
from orders.services.checkout.guest_accounts import join_member, request_order_account
from orders.services.fulfilment.order_links import request_order_link
from shop.core.client_address import client_address
from shop.core.languages import active_language
from shop.core.problems import Problem
from shop.core.public_pages import public_page

SEE_OTHER = 303


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tracking_page(request: HttpRequest) -> HttpResponseBase:
    """`/suivi-commande`: reference and address of an order; its link comes by mail. Members have theirs in a list.

    A member who ordered without signing in opens it with `?sans-compte=1`.
    """
    if request.method != "POST":
        if request.user.is_authenticated and "sans-compte" not in request.GET:
            return HttpResponseRedirect(f"{reverse('members')}?tab=orders")
        return _tracking_form(request, TrackingForm())
    form = TrackingForm(request.POST)
    if not form.is_valid():
        return _tracking_form(request, form)
    try:
        request_order_link(
            reference=form.cleaned_data["reference"],
            email=form.cleaned_data["email"],
            caller=client_address(request),
            language=active_language(),
        )
    except Problem as problem:
        page = _tracking_form(request, form, error=problem.detail, status=problem.status)
        return problem.set_headers(page)
    return HttpResponseRedirect(reverse("orders:tracking-requested"), status=SEE_OTHER)


@require_safe
@public_page()
def tracking_requested(request: HttpRequest) -> HttpResponse:
    """What happens next. It says the same whether or not an order fits."""
    return render(request, "orders/tracking_requested.html", {"breadcrumbs": _tracking_trail()})


@never_cache
@require_POST
def request_account(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """An account for the address of a guest's order, asked for with one press on one of its pages."""
    order = own_order(request, order_id)
    back = way_back(request, order)
    try:
        sign_up_id = request_order_account(
            order=order,
            caller=client_address(request),
            language=active_language(),
            earlier_id=remembered_sign_up(request),
        )
    except Problem as problem:
        return _refused(request, order, problem)
    remember_sign_up(request, sign_up_id)
    return HttpResponseRedirect(f"{back}#compte", status=SEE_OTHER)


@never_cache
@require_POST
def join_account(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """A guest's order joins the account that its address has: for the member who is signed in."""
    order = own_order(request, order_id)
    if not isinstance(request.user, User):
        raise Http404
    try:
        join_member(order=order, member=request.user)
    except Problem as problem:
        return _refused(request, order, problem)
    return HttpResponseRedirect(reverse("orders:order", args=[order.pk]), status=SEE_OTHER)


def own_order(request: HttpRequest, order_id: uuid.UUID) -> Order:
    """Return the order of a form whose sender may see it. Raises `Http404`."""
    order = Order.objects.filter(pk=order_id).first()
    if order is None or not browser_owns(request, order, request.POST.get("acces", "")):
        raise Http404
    return order


def way_back(request: HttpRequest, order: Order) -> str:
    """Return the page that the form was on, else the order's own."""
    return own_path(request.POST.get("next"), reverse("orders:order", args=[order.pk]))


def _refused(request: HttpRequest, order: Order, problem: Problem) -> HttpResponse:
    context = {"problem": problem, "back": way_back(request, order)}
    page = render(request, "orders/account_refused.html", context, status=problem.status)
    return problem.set_headers(page)


def _tracking_form(
    request: HttpRequest, form: TrackingForm, *, error: str = "", status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "error": error, "breadcrumbs": _tracking_trail()}
    return render(request, "orders/tracking.html", context, status=status)


def _tracking_trail() -> list[tuple[str, str | None]]:
    return [(_("Accueil"), reverse("home")), (_("Suivre ma commande"), None)]
