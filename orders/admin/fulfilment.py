"""Fulfilment in the admin: statuses, the two dates of a delivery, orders archived or deleted."""

from datetime import date
from typing import Any, cast

from django import forms
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.admin.base import order_page
from orders.models import Order, OrderStatus
from orders.selectors.money import money_outcome
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.services.fulfilment.delivery_promises import set_delivery_day, set_promised_date
from orders.services.fulfilment.status_changes import decide_retention
from orders.staff.base import DayField, carry_out
from shop.core.staff_actions import StaffAction


class RetentionForm(forms.Form):
    """Why the money of a cancelled order stays with the shop."""

    decision = forms.CharField(
        label=_("Motif de la décision"), max_length=500, widget=forms.Textarea({"rows": 3})
    )


@order_page(
    "money",
    label=_("Décider de l'argent gardé"),
    action=StaffAction.REFUND_ORDER,
    shown=lambda order: order.status == OrderStatus.CANCELLED and order.paid_at is not None,
)
def money_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask what becomes of the money of a cancelled order: refunded after all, or retained by a decision in words."""
    form = RetentionForm(request.POST or None, initial={"decision": order.retention_decision})
    if request.method == "POST" and form.is_valid():
        actor = cast(User, request.user)
        carry_out(request, lambda: decide_retention(order_id=order.pk, actor=actor, **form.cleaned_data))
        return redirect("admin:orders_order_change", order.pk)
    values = {**context, "form": form, "outcome": money_outcome(order)}
    return TemplateResponse(request, "admin/orders/order/money.html", values)


class PromiseForm(forms.Form):
    """The new promised date, and why."""

    promised_by = DayField(label=_("Nouvelle date"))
    reason = forms.CharField(label=_("Motif, envoyé au client"), max_length=500, widget=forms.Textarea)


class DeliveryForm(forms.Form):
    """The day on which the last parcel arrived; empty when it is not known."""

    delivered_on = DayField(label=_("Livrée le"), required=False)


@order_page(
    "promise",
    label=_("Changer la date promise"),
    action=StaffAction.FULFIL_ORDER,
    shown=lambda order: order.status in (OrderStatus.CONFIRMED, OrderStatus.PROCESSING),
)
def promise_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask for the date and why; the customer gets a mail."""
    form = PromiseForm(request.POST or None, initial={"promised_by": order.promised_by})
    explanation = _(
        "La date promise engage la boutique. Le client reçoit la nouvelle avec votre motif, et apprend qu'il peut "
        "mettre fin au contrat s'il ne peut pas attendre."
    )

    def act() -> object:
        return set_promised_date(order_id=order.pk, actor=cast(User, request.user), **form.cleaned_data)

    if request.method == "POST" and form.is_valid() and carry_out(request, act):
        return redirect("admin:orders_order_change", order.pk)
    return _date_page(request, context, form, explanation)


@order_page(
    "delivery",
    label=_("Date de livraison"),
    action=StaffAction.FULFIL_ORDER,
    shown=lambda order: order.is_paid and order.all_goods_have_left,
)
def delivery_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask on which day the last parcel arrived: the withdrawal period runs from it."""
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

    if request.method == "POST" and form.is_valid() and carry_out(request, act):
        return redirect("admin:orders_order_change", order.pk)
    return _date_page(request, context, form, explanation)


def _date_page(
    request: HttpRequest, context: dict[str, Any], form: forms.Form, explanation: Any
) -> TemplateResponse:
    values = {**context, "form": form, "explanation": explanation}
    return TemplateResponse(request, "admin/orders/order/dates.html", values)
