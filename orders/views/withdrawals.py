"""The withdrawal function (L221-21, D221-5): a form, what it declares, and the button that files it.

It works without signing in, without JavaScript and without cookies, and discloses to nobody which orders exist.
Between its two steps the declaration travels signed, in a hidden field; nothing is stored before the second one.

Its forms carry no CSRF token. The page is cached, the same bytes for everybody, and a token would be one
visitor's. None is needed: no session is looked at, so a forged request can do no more than its author could do himself.
An order is known to be its customer's by the signature in the link that its page and its mails carry.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from orders.access import access_token, order_url, token_is_valid, withdrawal_of_token
from orders.forms import OrderWithdrawalForm, WithdrawalForm
from orders.models import Order, Withdrawal
from orders.selectors.orders import order_for_page
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.withdrawals import nothing_left
from orders.services.withdrawals.declarations import (
    Declaration,
    compose_statement,
    declaration_from_json,
    declaration_to_json,
    declare_withdrawal,
)
from shop.core.client_address import client_address
from shop.core.errors import DeadLink
from shop.core.languages import active_language
from shop.core.problems import Problem
from shop.core.public_pages import public_page

_STEP_SALT = "orders.withdrawal.step"
_RECEIVED_SALT = "orders.withdrawal.received"
_RECEIVED_SECONDS = 3600
"""How long the address of the last page shows the declaration; the mail shows it for good."""
_NO_WITHDRAWAL = "errors/404-withdrawal.html"

AnyForm = WithdrawalForm | OrderWithdrawalForm


@dataclass(frozen=True, slots=True)
class SignedStep:
    """What the second step posts back: the declaration, and the key under which it is filed once."""

    declaration: Declaration
    key: str


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def withdrawal_page(request: HttpRequest) -> HttpResponseBase:
    """`/retractation`: the form; `?commande=…&acces=…` fills it in for an order. Posting it shows what is declared."""
    if request.method != "POST" and not request.GET:
        return _empty_form(request)
    return _personal(request)


@public_page()
def _empty_form(request: HttpRequest) -> HttpResponse:
    return _render_form(request, WithdrawalForm())


@never_cache
def _personal(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        order = _shown_order(request.GET.get("commande", ""), request.GET.get("acces", ""))
        return _private(_render_form(request, _blank_form(order), order=order))
    if "declaration" in request.POST:
        # Back from the second step, to correct something.
        step = _read_step(request)
        return _private(_unreadable(request) if step is None else _render_again(request, step.declaration))
    order = _shown_order(request.POST.get("commande", ""), request.POST.get("acces", ""))
    form: AnyForm = WithdrawalForm(request.POST)
    if order is not None:
        form = OrderWithdrawalForm(request.POST, order=order)
    if not form.is_valid():
        return _private(_render_form(request, form, order=order))
    return _private(_render_step(request, form.declaration(active_language())))


@csrf_exempt
@never_cache
@require_POST
def withdrawal_confirmed(request: HttpRequest) -> HttpResponseBase:
    """`Confirmer la rétractation`: files what the step before has shown, once however often it is pressed."""
    step = _read_step(request)
    if step is None:
        return _private(_unreadable(request))
    try:
        withdrawal = declare_withdrawal(
            declaration=step.declaration, key=step.key, caller=client_address(request)
        )
    except Problem as problem:
        page = _render_again(request, step.declaration, error=problem.detail, status=problem.status)
        return _private(problem.set_headers(page))
    query = {"d": signing.dumps(str(withdrawal.pk), salt=_RECEIVED_SALT)}
    if step.declaration.order is not None:
        query["acces"] = access_token(step.declaration.order)
    return HttpResponseRedirect(reverse("orders:withdrawal-received", query=query), status=303)


@never_cache
@require_safe
def withdrawal_received(request: HttpRequest) -> HttpResponseBase:
    """What was received and when. It says the same whether or not an order fits, and leads to the order whom its signed
    link brought. `?a=` is the link of a mail. Raises `DeadLink`."""
    try:
        if "a" in request.GET:
            pk = withdrawal_of_token(request.GET["a"])
        else:
            pk = signing.loads(request.GET.get("d", ""), salt=_RECEIVED_SALT, max_age=_RECEIVED_SECONDS)
        withdrawal = Withdrawal.objects.select_related("order").get(pk=pk)
    except (signing.BadSignature, Withdrawal.DoesNotExist) as error:
        raise DeadLink(_NO_WITHDRAWAL) from error
    order = withdrawal.order
    context = {
        "withdrawal": withdrawal,
        "order_url": order_url(order, active_language())
        if order is not None and token_is_valid(order, request.GET.get("acces", ""))
        else "",
        "breadcrumbs": _trail(),
    }
    return _private(render(request, "orders/withdrawal_received.html", context))


def _shown_order(order_id: str, token: str) -> Order | None:
    """The order that the visitor came from, when the link is signed by the shop and the order was paid."""
    try:
        known = uuid.UUID(order_id)
    except ValueError:
        return None
    order = order_for_page(known)
    if order is None or order.paid_at is None or not token_is_valid(order, token):
        return None
    return order


def _blank_form(order: Order | None) -> AnyForm:
    if order is None:
        return WithdrawalForm()
    return OrderWithdrawalForm(initial={"name": order.customer_name, "email": order.email}, order=order)


def _render_form(
    request: HttpRequest,
    form: AnyForm,
    *,
    order: Order | None = None,
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "order": order,
        "access": "" if order is None else access_token(order),
        "deadline": None if order is None else withdrawal_deadline(order),
        "nothing_left": order is not None and nothing_left(order),
        "today": timezone.localdate(),
        "error": error,
        "breadcrumbs": _trail(),
    }
    return render(request, "orders/withdrawal.html", context, status=status)


def _render_step(request: HttpRequest, declaration: Declaration) -> HttpResponse:
    key = declaration.submission_key(timezone.localdate())
    context = {
        "statement": compose_statement(declaration),
        "email": declaration.email,
        "signed": signing.dumps(
            {**declaration_to_json(declaration), "k": key}, salt=_STEP_SALT, compress=True
        ),
        "breadcrumbs": _trail(),
    }
    return render(request, "orders/withdrawal_confirm.html", context)


def _render_again(
    request: HttpRequest, declaration: Declaration, *, error: str = "", status: int = 200
) -> HttpResponse:
    """The form with everything that was typed before."""
    order = declaration.order
    form: AnyForm
    if order is None:
        form = WithdrawalForm(initial=WithdrawalForm.values_of(declaration))
    else:
        form = OrderWithdrawalForm(initial=OrderWithdrawalForm.values_of(declaration), order=order)
    return _render_form(request, form, order=order, error=error, status=status)


def _read_step(request: HttpRequest) -> SignedStep | None:
    try:
        packed = signing.loads(request.POST.get("declaration", ""), salt=_STEP_SALT)
    except signing.BadSignature:
        return None
    return SignedStep(declaration_from_json(packed), packed["k"])


def _unreadable(request: HttpRequest) -> HttpResponse:
    error = _(
        "Cette page a été modifiée en route et ne peut pas être lue. Remplissez le formulaire à nouveau."
    )
    return _render_form(request, WithdrawalForm(), error=error, status=400)


def _trail() -> list[tuple[str, str | None]]:
    return [(_("Accueil"), reverse("home")), (_("Rétractation"), None)]


def _private(response: HttpResponse) -> HttpResponse:
    """Names and orders stay out of search engines and of what other sites receive."""
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response
