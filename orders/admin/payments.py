"""Payments in the admin: installments and what staff may do with one, cards, attempts, webhook events."""

from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.access import payment_page_url
from orders.admin.base import order_link, order_page
from orders.models import (
    Attempt,
    AttemptState,
    InstallmentPause,
    Order,
    PausedBy,
    PauseEnd,
    Payment,
    PaymentMode,
    StoredCard,
    StripeEvent,
)
from orders.models.payment import OPEN_PAYMENTS
from orders.selectors.installments import calendar, open_pause
from orders.selectors.mandate import agreed_mandates
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.scheduled_payments import send_link, write_off_payment
from orders.services.payments.due_installments import charge_now
from orders.services.reconciliation.webhook_events import NotYetKnown, process_event
from orders.staff.base import carry_out, row_number
from orders.stripe import gateway
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_admin import StaffAdmin, staff_action

CHANGES_SHOWN = 10


class WriteOffForm(forms.Form):
    """Why an installment is written off, for the journal."""

    reason = forms.CharField(label=_("Motif"), max_length=500, widget=forms.Textarea)


@dataclass(frozen=True, slots=True)
class InstallmentAction:
    """What staff may do with an open installment: the right it asks for, its button, and what it does."""

    action: StaffAction
    label: str | Promise
    explanation: str | Promise


ACTIONS = {
    "charge": InstallmentAction(
        StaffAction.CHARGE_INSTALLMENT,
        _("Débiter maintenant"),
        _("La carte enregistrée est débitée tout de suite. Le client reçoit un e-mail dans tous les cas."),
    ),
    "link": InstallmentAction(
        StaffAction.SEND_PAYMENT_LINK,
        _("Envoyer le lien de paiement"),
        _(
            "Le client reçoit un e-mail avec le lien vers sa page de paiement, où il peut aussi changer de carte sans "
            "payer. Il reste valable jusqu'au paiement."
        ),
    ),
    "write_off": InstallmentAction(
        StaffAction.WRITE_OFF_INSTALLMENT,
        _("Abandonner l'échéance"),
        _(
            "Elle n'est plus jamais débitée ni réclamée. Les factures ne changent pas : c'est une perte, pas un avoir."
        ),
    ),
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
    name = request.GET.get("action", "")
    action = ACTIONS.get(name)
    if action is None:
        return TemplateResponse(
            request,
            "admin/orders/order/installments.html",
            {
                **context,
                "plan": plan,
                "link": payment_page_url(order),
                "actions": [
                    (name, offered) for name, offered in ACTIONS.items() if may(request.user, offered.action)
                ],
                "changes": order.card_changes.all()[:CHANGES_SHOWN],
                "mandates": agreed_mandates(order),
                "deletions": order.discarded_cards.filter(deleted_at=None).count(),
            },
        )
    require(request.user, action.action)
    payment = get_object_or_404(
        Payment, pk=row_number(request.GET.get("payment", "")), order=order, state__in=OPEN_PAYMENTS
    )
    form = WriteOffForm(request.POST or None) if name == "write_off" else None
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            _act(request, name, payment, form)
        except Problem as problem:
            messages.error(request, problem.detail)
        except gateway.GatewayError:
            messages.warning(
                request, _("Le prestataire ne répond pas : l'issue sera connue dans quelques minutes.")
            )
        return redirect("admin:orders_order_installments", order.pk)
    return TemplateResponse(
        request,
        "admin/orders/order/installment_action.html",
        {**context, "payment": payment, "action": action, "form": form},
    )


def _act(request: HttpRequest, name: str, payment: Payment, form: WriteOffForm | None) -> None:
    actor: Any = request.user
    if name == "charge":
        attempt = charge_now(payment_id=payment.pk, actor=actor)
        if attempt.state == AttemptState.SUCCEEDED:
            messages.success(request, _("Échéance débitée."))
        else:
            messages.warning(
                request,
                _("La banque n'a pas accepté le débit (%(code)s).")
                % {"code": attempt.error_code or attempt.state},
            )
    elif name == "link":
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
    """Suspended payments, by whom and why."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("order", "started_at", "started_by", "reason", "ended_at", "ended_by")
    list_filter = (("ended_at", admin.EmptyFieldListFilter), "started_by")
    search_fields = ("order__reference", "order__email")
    list_select_related = ("order",)
    ordering = ("-started_at",)


@admin.register(StoredCard)
class StoredCardAdmin(StaffAdmin[StoredCard]):
    """Saved cards: their last digits, and whether the bank refuses them for good."""

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
    """Suspend the payments with a reason, or end the pause; the customer gets a mail with the days either way."""
    pause = open_pause(order)
    form = None if pause is not None else PauseForm(request.POST or None)
    if request.method == "POST" and (form is None or form.is_valid()):
        actor = cast(User, request.user)
        if form is None:
            carry_out(
                request,
                lambda: resume_installments(order_id=order.pk, by=PauseEnd.STAFF, actor=actor),
                _("Les échéances reprennent, le client est prévenu."),
            )
        else:
            reason = form.cleaned_data["reason"]
            carry_out(
                request,
                lambda: pause_installments(order_id=order.pk, by=PausedBy.STAFF, actor=actor, reason=reason),
                _("Les échéances sont suspendues, le client est prévenu."),
            )
        return redirect("admin:orders_order_installments", order.pk)
    values = {**context, "pause": pause, "form": form}
    return TemplateResponse(request, "admin/orders/order/pause.html", values)


@admin.register(Attempt)
class AttemptAdmin(StaffAdmin[Attempt]):
    """Each try to collect a payment, with its state at Stripe."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("id", "order", "state", "amount_cents", "error_code", "created_at", "expires_at")
    list_filter = ("state", "kind", "created_at")
    search_fields = ("id", "checkout_session_id", "intent_id", "payment__order__reference")
    list_select_related = ("payment__order",)

    @admin.display(description=_("commande"))
    def order(self, attempt: Attempt) -> str:
        return order_link(attempt.payment.order)


@admin.register(StripeEvent)
class StripeEventAdmin(StaffAdmin[StripeEvent]):
    """Webhook messages as they were received."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("received_at", "kind", "event_id", "processed_at", "tries", "error")
    list_filter = ("kind", ("processed_at", admin.EmptyFieldListFilter), "received_at")
    search_fields = ("event_id", "kind")
    actions = ("process_again",)

    @staff_action(StaffAction.REPLAY_EVENT, description=_("Traiter à nouveau"))
    def process_again(self, request: HttpRequest, queryset: QuerySet[StripeEvent]) -> None:
        """Process the chosen messages that were not processed yet."""
        for event in queryset.filter(processed_at__isnull=True):
            try:
                process_event(event)
            except (gateway.GatewayError, NotYetKnown) as error:
                messages.error(request, f"{event}: {error}")
            else:
                messages.success(request, str(event))
