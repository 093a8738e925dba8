"""The thirds of an order in the admin: their calendar, and the three things that staff may do with one."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.access import payment_page_url
from orders.admin.parts import order_page, row_number
from orders.models import (
    AttemptState,
    InstallmentPause,
    Order,
    PausedBy,
    PauseEnd,
    Payment,
    PaymentMode,
    StoredCard,
)
from orders.models.payment import OPEN_PAYMENTS
from orders.selectors.installments import calendar, open_pause
from orders.selectors.mandate import agreed_mandates
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.scheduled_payments import send_link, write_off_payment
from orders.services.payments.due_installments import charge_now
from orders.stripe import gateway
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_admin import StaffAdmin

CHANGES_SHOWN = 10


class WriteOffForm(forms.Form):
    """Why a third is given up, for the journal."""

    reason = forms.CharField(label=_("Motif"), max_length=500, widget=forms.Textarea)


ACTIONS = {
    "charge": (
        _("Débiter maintenant"),
        _("La carte enregistrée est débitée tout de suite. Le client reçoit un e-mail dans tous les cas."),
    ),
    "link": (
        _("Envoyer le lien de paiement"),
        _(
            "Le client reçoit un e-mail avec le lien vers sa page de paiement, où il peut aussi changer de carte sans "
            "payer. Il reste valable jusqu'au paiement."
        ),
    ),
    "write_off": (
        _("Abandonner l'échéance"),
        _(
            "Elle n'est plus jamais débitée ni réclamée. Les factures ne changent pas : c'est une perte, pas un avoir."
        ),
    ),
}
ASKS = {
    "charge": StaffAction.CHARGE_INSTALLMENT,
    "link": StaffAction.SEND_PAYMENT_LINK,
    "write_off": StaffAction.WRITE_OFF_INSTALLMENT,
}


@order_page(
    "installments",
    label=_("Échéances"),
    action=StaffAction.SEE_PAYMENTS,
    shown=lambda order: order.payment_mode == PaymentMode.INSTALLMENTS,
)
def installments_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """The calendar; with `?action=…&payment=…` the page that explains one action and asks for it by POST."""
    plan = calendar(order)
    if plan is None:
        return redirect("admin:orders_order_change", order.pk)
    action = request.GET.get("action", "")
    if action not in ACTIONS:
        return TemplateResponse(
            request,
            "admin/orders/order/installments.html",
            {
                **context,
                "plan": plan,
                "link": payment_page_url(order),
                "actions": [
                    (name, texts) for name, texts in ACTIONS.items() if may(request.user, ASKS[name])
                ],
                "changes": order.card_changes.all()[:CHANGES_SHOWN],
                "mandates": agreed_mandates(order),
                "deletions": order.discarded_cards.filter(deleted_at=None).count(),
            },
        )
    require(request.user, ASKS[action])
    payment = get_object_or_404(
        Payment, pk=row_number(request.GET.get("payment", "")), order=order, state__in=OPEN_PAYMENTS
    )
    form = WriteOffForm(request.POST or None) if action == "write_off" else None
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            _act(request, action, payment, form)
        except Problem as problem:
            messages.error(request, problem.detail)
        except gateway.GatewayError:
            messages.warning(
                request, _("Le prestataire ne répond pas : l'issue sera connue dans quelques minutes.")
            )
        return redirect("admin:orders_order_installments", order.pk)
    label, explanation = ACTIONS[action]
    return TemplateResponse(
        request,
        "admin/orders/order/installment_action.html",
        {**context, "payment": payment, "label": label, "explanation": explanation, "form": form},
    )


def _act(request: HttpRequest, action: str, payment: Payment, form: WriteOffForm | None) -> None:
    actor: Any = request.user
    if action == "charge":
        attempt = charge_now(payment_id=payment.pk, actor=actor)
        if attempt.state == AttemptState.SUCCEEDED:
            messages.success(request, _("Échéance débitée."))
        else:
            messages.warning(
                request,
                _("La banque n'a pas accepté le débit (%(code)s).")
                % {"code": attempt.error_code or attempt.state},
            )
    elif action == "link":
        send_link(payment_id=payment.pk, actor=actor)
        messages.success(request, _("Lien de paiement envoyé."))
    elif form is not None:
        write_off_payment(payment_id=payment.pk, actor=actor, reason=form.cleaned_data["reason"])
        messages.success(request, _("Échéance abandonnée."))


@admin.register(Payment)
class PaymentAdmin(StaffAdmin[Payment]):
    """Every payment by its day: what comes in soon, what is late."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("order", "position", "count", "amount", "due_on", "state", "next_try_on", "stopped_code")
    list_filter = ("state", "due_on", "position")
    search_fields = ("order__reference", "order__email")
    date_hierarchy = "due_on"
    list_select_related = ("order",)
    ordering = ("due_on", "pk")


@admin.register(InstallmentPause)
class InstallmentPauseAdmin(StaffAdmin[InstallmentPause]):
    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("order", "started_at", "started_by", "reason", "ended_at", "ended_by")
    list_filter = (("ended_at", admin.EmptyFieldListFilter), "started_by")
    search_fields = ("order__reference", "order__email")
    list_select_related = ("order",)
    ordering = ("-started_at",)


@admin.register(StoredCard)
class StoredCardAdmin(StaffAdmin[StoredCard]):
    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("order", "brand", "last4", "expiry_month", "expiry_year", "refused_code", "forgotten_at")
    list_filter = ("brand", ("forgotten_at", admin.EmptyFieldListFilter))
    search_fields = ("order__reference", "last4")
    list_select_related = ("order",)


class PauseForm(forms.Form):
    """Why the payments are suspended, for the journal and the customer."""

    reason = forms.CharField(label=_("Motif"), max_length=500, widget=forms.Textarea({"rows": 3}))


@order_page(
    "pause",
    label=_("Suspendre ou reprendre les échéances"),
    action=StaffAction.PAUSE_INSTALLMENTS,
    shown=lambda order: order.payment_mode == PaymentMode.INSTALLMENTS and order.is_paid,
)
def pause_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Suspends the payments with a reason, or ends the pause; the customer gets a mail with the days either way."""
    pause = open_pause(order)
    form = None if pause is not None else PauseForm(request.POST or None)
    if request.method == "POST" and (form is None or form.is_valid()):
        actor = cast(User, request.user)
        try:
            if form is None:
                resume_installments(order_id=order.pk, by=PauseEnd.STAFF, actor=actor)
                messages.success(request, _("Les échéances reprennent, le client est prévenu."))
            else:
                pause_installments(
                    order_id=order.pk, by=PausedBy.STAFF, actor=actor, reason=form.cleaned_data["reason"]
                )
                messages.success(request, _("Les échéances sont suspendues, le client est prévenu."))
        except Problem as problem:
            messages.error(request, problem.detail)
        return redirect("admin:orders_order_installments", order.pk)
    values = {**context, "pause": pause, "form": form}
    return TemplateResponse(request, "admin/orders/order/pause.html", values)
