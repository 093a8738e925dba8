"""The two dates of a delivery in the admin: the one that is promised, and the one on which it came."""

from collections.abc import Callable
from datetime import date
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.admin.parts import order_page
from orders.models import IN_WORKSHOP, Order
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.services.fulfilment.delivery_promises import set_delivery_day, set_promised_date
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction


def _day() -> forms.DateInput:
    return forms.DateInput({"type": "date"}, format="%Y-%m-%d")


class PromiseForm(forms.Form):
    promised_by = forms.DateField(label=_("Nouvelle date"), widget=_day(), input_formats=["%Y-%m-%d"])
    reason = forms.CharField(label=_("Motif, envoyé au client"), max_length=500, widget=forms.Textarea)


class DeliveryForm(forms.Form):
    delivered_on = forms.DateField(
        label=_("Livrée le"), required=False, widget=_day(), input_formats=["%Y-%m-%d"]
    )


@order_page(
    "promise",
    label=_("Changer la date promise"),
    action=StaffAction.FULFIL_ORDER,
    shown=lambda order: order.status in IN_WORKSHOP,
)
def promise_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Asks for the date and why; the customer gets a mail."""
    form = PromiseForm(request.POST or None, initial={"promised_by": order.promised_by})
    explanation = _(
        "La date promise engage la boutique. Le client reçoit la nouvelle avec votre motif, et apprend qu'il peut "
        "mettre fin au contrat s'il ne peut pas attendre."
    )

    def act() -> object:
        return set_promised_date(order_id=order.pk, actor=cast(User, request.user), **form.cleaned_data)

    if request.method == "POST" and form.is_valid() and _done(request, act):
        return redirect("admin:orders_order_change", order.pk)
    return _page(request, context, form, explanation)


@order_page(
    "delivery",
    label=_("Date de livraison"),
    action=StaffAction.FULFIL_ORDER,
    shown=lambda order: order.is_paid and order.goods_have_left,
)
def delivery_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Asks on which day the last parcel arrived: the withdrawal period runs from it."""
    known: date | None = None if order.delivered_at is None else timezone.localdate(order.delivered_at)
    form = DeliveryForm(request.POST or None, initial={"delivered_on": known})
    deadline = withdrawal_deadline(order)
    explanation = gettext(
        "Le jour où le dernier colis est arrivé, d'après le transporteur. Le client peut se rétracter pendant quatorze "
        "jours à partir du lendemain. Vide : la date n'est pas connue et le délai reste ouvert."
    )
    if deadline is not None:
        explanation = gettext("%(text)s Aujourd'hui, le délai court jusqu'au %(day)s.") % {
            "text": explanation,
            "day": f"{deadline:%d/%m/%Y}",
        }

    def act() -> object:
        return set_delivery_day(order_id=order.pk, actor=cast(User, request.user), **form.cleaned_data)

    if request.method == "POST" and form.is_valid() and _done(request, act):
        return redirect("admin:orders_order_change", order.pk)
    return _page(request, context, form, explanation)


def _done(request: HttpRequest, act: Callable[[], object]) -> bool:
    try:
        act()
    except Problem as problem:
        messages.error(request, problem.detail)
        return False
    messages.success(request, _("C'est noté."))
    return True


def _page(
    request: HttpRequest, context: dict[str, Any], form: forms.Form, explanation: Any
) -> TemplateResponse:
    values = {**context, "form": form, "explanation": explanation}
    return TemplateResponse(request, "admin/orders/order/dates.html", values)
