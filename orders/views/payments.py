"""The page where what an order still owes is paid, opened by a signed link: no sign-in, no JavaScript."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from orders.access import order_id_of_payment_token, payment_token_is_valid
from orders.guest_orders import NO_ORDER, browser_owns
from orders.models import Attempt, CardChange, Order, PausedBy, PauseEnd
from orders.selectors.installments import calendar, may_pause, needs_card
from orders.selectors.mandate import agreed_mandates
from orders.selectors.orders import order_for_page, order_path
from orders.selectors.refund_words import automatic_refund_text
from orders.selectors.refunds import automatic_refund_of
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.payments.card_change import change_card, settle_card_change
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.settlement import settle
from orders.stripe import gateway
from shop.core.errors import DeadLink
from shop.core.problems import Problem

_PAUSE_STATES = ("paused", "resumed")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def payment_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show the calendar of an order; a POST goes on to the hosted page: to pay (`pay` is `next` or `all`), or to
    leave another card without paying (`card` is `change`). `pause` is `start` or `end`: the customer suspends the
    payments of an order that is late, or goes on with them.

    Whoever holds the link sees amounts, days and the end of the card's number: no name, no address, and no other page
    unless the order is theirs without it.
    """
    order_id = order_id_of_payment_token(token)
    order = order_for_page(order_id) if order_id is not None else None
    plan = calendar(order) if order is not None and payment_token_is_valid(order, token) else None
    if order is None or plan is None:
        raise DeadLink(NO_ORDER)
    problem, state = None, request.GET.get("etat", "")
    if request.method == "POST":
        try:
            if request.POST.get("pause"):
                url = _pause(order, request)
            elif request.POST.get("card") == "change":
                url = change_card(order_id=order.pk)
            else:
                url = pay_by_link(
                    order_id=order.pk,
                    everything=request.POST.get("pay") == "all",
                    seen=_position(request.POST.get("position", "")),
                )
        except Problem as refused:
            problem = refused
        else:
            answer = HttpResponseRedirect(url)
            answer.status_code = HTTPStatus.SEE_OTHER
            return answer
    returned = ""
    if state not in _PAUSE_STATES:
        state, returned = _returned(order, request.GET.get("session_id", ""))
    if state:
        order = order_for_page(order.pk) or order
        plan = calendar(order)
        if state == "paid" and not order.is_paid:
            # Paid once, and given back or cancelled since.
            state = ""
    response = render(
        request,
        "orders/pay.html",
        {
            "order": order,
            "plan": plan,
            "may_pause": may_pause(order, plan),
            "pay_token": token,
            "own_page": order_path(order) if browser_owns(request, order) else "",
            "mandates": agreed_mandates(order),
            "takes_card": needs_card(order),
            "state": state,
            "returned": returned,
            "problem": problem,
            "breadcrumbs": [
                (_("Paiement de la commande %(reference)s") % {"reference": order.reference}, None)
            ],
        },
        status=problem.status if problem else HTTPStatus.OK,
    )
    response["Referrer-Policy"] = "strict-origin"
    response["X-Robots-Tag"] = "noindex"
    return response


def _position(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else None


def _pause(order: Order, request: HttpRequest) -> str:
    """Suspend the payments or resume them. Return the address that says so. Raises Problem."""
    if request.POST["pause"] == "end":
        resume_installments(order_id=order.pk, by=PauseEnd.CUSTOMER)
        return f"{request.path}?etat=resumed"
    pause_installments(order_id=order.pk, by=PausedBy.CUSTOMER)
    return f"{request.path}?etat=paused"


def _returned(order: Order, text: str) -> tuple[str, str]:
    """Return what became of the page that the customer comes back from, "" when it is none of this order's; and why its
    money goes back by itself."""
    checkout_session_id = gateway.parse_checkout_session_id(text)
    if not checkout_session_id:
        return "", ""
    attempt = Attempt.objects.filter(checkout_session_id=checkout_session_id, payment__order=order).first()
    if attempt is not None:
        try:
            status = settle(attempt.pk)
        except gateway.GatewayError:
            return "pending", ""
        refund = automatic_refund_of(attempt)
        return (status, "") if refund is None else ("returned", automatic_refund_text(refund))
    change = CardChange.objects.filter(checkout_session_id=checkout_session_id, order=order).first()
    if change is None:
        return "", ""
    try:
        return f"card_{settle_card_change(change.pk)}", ""
    except gateway.GatewayError:
        return "card_pending", ""
