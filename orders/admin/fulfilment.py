"""Fulfilment in the admin: statuses, the two dates of a delivery, orders archived or deleted."""

from datetime import date
from decimal import Decimal
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
from accounts.recent_authentication import ask_again
from orders.admin.base import order_page
from orders.models import Carrier, Order, OrderStatus
from orders.selectors.money import money_outcome
from orders.selectors.refund_rules import charges_left, needs_recent_authentication, refundable
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.services.fulfilment.archiving import Removal, archiving_obstacles, remove_order, restore_order
from orders.services.fulfilment.delivery_promises import set_delivery_day, set_promised_date
from orders.services.fulfilment.status_changes import change_status, decide_retention, status_actions
from orders.services.status.transitions import status_offers
from orders.staff.base import PROVIDER_AWAY, DayField, carry_out
from orders.stripe import gateway
from shop.core.money import ZERO
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require


class StatusForm(forms.Form):
    """A status, the message to the customer, when it was sent, and what a second page asked: why, and the money."""

    status = forms.ChoiceField(label=_("Statut"), choices=OrderStatus.choices)
    message = forms.CharField(
        label=_("Message au client"), max_length=500, required=False, widget=forms.Textarea({"rows": 4})
    )
    tracking_number = forms.CharField(label=_("Numéro de suivi"), max_length=100, required=False)
    carrier = forms.ChoiceField(
        label=_("Transporteur"),
        choices=Carrier.choices,
        required=False,
        help_text=_("Avec le numéro, le client reçoit le lien de suivi du transporteur."),
    )
    dispatched_on = DayField(
        label=_("Expédiée le"),
        required=False,
        help_text=_(
            "Aujourd'hui si vous ne dites rien. Les 50 jours de la dernière échéance partent de ce jour."
        ),
    )
    reason = forms.CharField(
        label=_("Motif"), max_length=500, required=False, widget=forms.Textarea({"rows": 3})
    )
    refund = forms.TypedChoiceField(
        choices=[("", ""), ("yes", ""), ("no", "")],
        coerce=lambda answer: answer == "yes",
        empty_value=None,
        required=False,
        widget=forms.HiddenInput,
    )


class RetentionForm(forms.Form):
    """Why the money of a cancelled order stays with the shop."""

    decision = forms.CharField(
        label=_("Motif de la décision"), max_length=500, widget=forms.Textarea({"rows": 3})
    )


@order_page(
    "step",
    label=_("Changer le statut"),
    action=lambda order: status_actions(order, order.status)[-1],
    shown=lambda order: order.paid_at is not None,
)
def status_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Offer what the table allows; a second page asks why a dispatch is undone and what becomes of the money."""
    form = StatusForm(request.POST or None, initial={"status": order.status})
    if request.method == "POST" and form.is_valid():
        for action in status_actions(order, form.cleaned_data["status"], form.cleaned_data["refund"]):
            require(request.user, action)
        is_large = form.cleaned_data["refund"] and needs_recent_authentication(refundable(order))
        if is_large and (answer := ask_again(request)):
            return answer
        try:
            change_status(order_id=order.pk, actor=cast(User, request.user), **form.cleaned_data)
        except gateway.GatewayError:
            messages.error(request, PROVIDER_AWAY)
        except Problem as problem:
            asked = _second_page(order, form, problem)
            if asked is not None:
                template, values = asked
                return TemplateResponse(request, template, {**context, **values})
            if problem.code == "invalid_date":
                form.add_error("dispatched_on", problem.detail)
                return _status_form(request, order, context, form)
            messages.error(request, problem.detail)
        else:
            messages.success(request, _("Suivi mis à jour"))
        return redirect("admin:orders_order_change", order.pk)
    return _status_form(request, order, context, form)


def _status_form(
    request: HttpRequest, order: Order, context: dict[str, Any], form: StatusForm
) -> TemplateResponse:
    offers = [
        offer
        for offer in status_offers(order)
        if all(may(request.user, action) for action in status_actions(order, offer.status))
    ]
    values = {**context, "form": form, "offers": offers, "chosen": form["status"].value()}
    return TemplateResponse(request, "admin/orders/order/step.html", values)


def _second_page(order: Order, form: StatusForm, problem: Problem) -> tuple[str, dict[str, Any]] | None:
    """What has to be asked before the change: the template that asks, and what it reads."""
    values = {
        "answers": {name: form.data.get(name, "") for name in form.fields},
        "status_label": OrderStatus(form.cleaned_data["status"]).label,
    }
    if problem.code == "refund_decision_needed":
        amounts = {name: Decimal(problem.extra[name]) for name in ("money", "voided")}
        return "admin/orders/order/refund_decision.html", {
            **values,
            **amounts,
            "question": problem.detail,
            "may_retain": form.cleaned_data["status"] == OrderStatus.CANCELLED,
        }
    if problem.code == "reason_needed" and form.cleaned_data["refund"] is False:
        held = sum((charge.left for charge in charges_left(order)), ZERO)
        return "admin/orders/order/retention.html", {**values, "held": held, "form": form}
    if problem.code == "reason_needed":
        charged = order.payments.filter(moved_from__isnull=False, paid_at__isnull=False).count()
        return "admin/orders/order/undo_dispatch.html", {**values, "form": form, "charged_early": charged}
    return None


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


@order_page(
    "remove",
    label=_("Supprimer"),
    action=StaffAction.REMOVE_ORDER,
    shown=lambda order: order.archived_at is None,
)
def remove_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask, then delete an unpaid order or archive a paid one."""
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
    obstacles = archiving_obstacles(order) if order.paid_at is not None else []
    return TemplateResponse(request, "admin/orders/order/remove.html", {**context, "obstacles": obstacles})


@order_page(
    "restore",
    label=_("Restaurer"),
    action=StaffAction.REMOVE_ORDER,
    shown=lambda order: order.archived_at is not None,
)
def restore_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask, then restore an archived order to the lists."""
    if request.method == "POST":
        actor = cast(User, request.user)
        carry_out(
            request,
            lambda: restore_order(order_id=order.pk, actor=actor),
            _("La commande est de retour dans les listes."),
        )
        return redirect("admin:orders_order_change", order.pk)
    return TemplateResponse(request, "admin/orders/order/restore.html", context)


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
    shown=lambda order: order.is_paid and order.goods_have_left,
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
