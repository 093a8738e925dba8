"""Statuses set by hand, and orders taken out of the list: pages that ask and explain."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.admin.parts import PROVIDER_AWAY, order_page
from orders.models import Order, OrderStatus
from orders.payments import gateway
from orders.selectors.status_actions import status_actions
from orders.services.archiving import Removal, remove_order, restore_order
from orders.services.statuses import change_status
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require


class StatusForm(forms.Form):
    """A status, what to tell the customer, and what becomes of the money once that was asked."""

    status = forms.ChoiceField(label=_("Statut"), choices=OrderStatus.choices)
    message = forms.CharField(
        label=_("Message au client"), max_length=500, required=False, widget=forms.Textarea
    )
    tracking_number = forms.CharField(label=_("Numéro de suivi"), max_length=100, required=False)
    refund = forms.TypedChoiceField(
        choices=[("", ""), ("yes", ""), ("no", "")],
        coerce=lambda answer: answer == "yes",
        empty_value=None,
        required=False,
        widget=forms.HiddenInput,
    )


@order_page(
    "step",
    label=_("Changer le statut"),
    action=lambda order: status_actions(order, order.status)[-1],
    shown=lambda order: order.paid_at is not None,
)
def status_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Asks for the status, then, where money is at stake, what becomes of it; the customer gets a mail."""
    form = StatusForm(request.POST or None, initial={"status": order.status})
    if request.method == "POST" and form.is_valid():
        for action in status_actions(order, form.cleaned_data["status"], form.cleaned_data["refund"]):
            require(request.user, action)
        try:
            change_status(order_id=order.pk, actor=cast(User, request.user), **form.cleaned_data)
        except gateway.GatewayError:
            messages.error(request, PROVIDER_AWAY)
        except Problem as problem:
            if problem.code == "refund_decision_needed":
                asked = {
                    **context,
                    "question": problem.detail,
                    "answers": form.cleaned_data,
                    "status_label": OrderStatus(form.cleaned_data["status"]).label,
                    "refundable": problem.extra["refundable"],
                }
                return TemplateResponse(request, "admin/orders/order/refund_decision.html", asked)
            messages.error(request, problem.detail)
        else:
            messages.success(request, _("Suivi mis à jour"))
        return redirect("admin:orders_order_change", order.pk)
    status_field = cast(forms.ChoiceField, form.fields["status"])
    status_field.choices = [
        (status, label)
        for status, label in OrderStatus.choices
        if all(may(request.user, action) for action in status_actions(order, status))
    ]
    return TemplateResponse(request, "admin/orders/order/step.html", {**context, "form": form})


@order_page(
    "remove",
    label=_("Supprimer"),
    action=StaffAction.REMOVE_ORDER,
    shown=lambda order: order.archived_at is None,
)
def remove_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Asks, then deletes an unpaid order or archives a paid one."""
    if request.method == "POST":
        try:
            removed = remove_order(order_id=order.pk, actor=cast(User, request.user))
        except gateway.GatewayError:
            messages.error(request, PROVIDER_AWAY)
        except Problem as problem:
            messages.error(request, problem.detail)
        else:
            messages.success(request, _("La commande a été supprimée avec succès."))
            if removed is Removal.ARCHIVED:
                messages.info(
                    request,
                    _("Elle est archivée : le filtre « Archivée » la montre, et elle se restaure."),
                )
            return redirect("admin:orders_order_changelist")
        return redirect("admin:orders_order_change", order.pk)
    return TemplateResponse(request, "admin/orders/order/remove.html", context)


@order_page(
    "restore",
    label=_("Restaurer"),
    action=StaffAction.REMOVE_ORDER,
    shown=lambda order: order.archived_at is not None,
)
def restore_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Asks, then brings an archived order back into the lists."""
    if request.method == "POST":
        try:
            restore_order(order_id=order.pk, actor=cast(User, request.user))
        except Problem as problem:
            messages.error(request, problem.detail)
        else:
            messages.success(request, _("La commande est de retour dans les listes."))
        return redirect("admin:orders_order_change", order.pk)
    return TemplateResponse(request, "admin/orders/order/restore.html", context)
