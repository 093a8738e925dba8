"""Payments by their day, and what staff may do with an order's installments: each step explains itself and asks."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import cast

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from orders.access import payment_page_url
from orders.models import AttemptState, Order, PausedBy, PauseEnd, Payment, PaymentState
from orders.models.payment import OPEN_PAYMENTS
from orders.selectors.installments import calendar, first_charge_day, open_pause, suspended_payments
from orders.selectors.mandate import agreed_mandates
from orders.selectors.provider_words import decline_in_words
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.scheduled_payments import send_link, write_off_payment
from orders.services.payments.due_installments import charge_now, charge_obstacle_text
from orders.staff.base import PageLink, ask_page, carry_out, order_url
from orders.stripe import gateway
from shop.core.amounts import localised_amount
from shop.core.dates import day_in_words, shop_day
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

CHANGES_SHOWN = 10
OUTCOME_LATER = "Le prestataire n'a pas encore répondu\u00a0: l'issue sera connue dans quelques minutes."

PARTS = (
    Part(
        "a-venir",
        "À venir",
        lambda rows: rows.filter(
            state__in=(PaymentState.SCHEDULED, PaymentState.DUE), order__paid_at__isnull=False
        ),
        oldest_first=True,
    ),
    Part("impayees", "Impayées", lambda rows: rows.filter(state=PaymentState.OVERDUE), oldest_first=True),
    Part(
        "suspendues",
        "Suspendues",
        lambda rows: rows.filter(pk__in=suspended_payments().values("pk")),
        oldest_first=True,
    ),
    Part("toutes", "Toutes"),
)
SEARCHED = ("order__reference", "order__email", "order__last_name")


@staff_page(StaffAction.SEE_PAYMENTS)
def payments_page(request: HttpRequest) -> HttpResponseBase:
    """Payments by their day: what comes in soon, what is late."""
    rows = Payment.objects.select_related("order")
    listed = staff_list(request, rows, PARTS, searched=SEARCHED, moment="due_on")
    return render(request, "staff/payments/list.html", {"list": listed})


class WriteOffForm(forms.Form):
    """Why an installment is written off, for the journal."""

    reason = forms.CharField(label="Motif", max_length=500, widget=forms.Textarea({"rows": 3}))


class PauseForm(forms.Form):
    """Why the payments are suspended, for the journal and the customer."""

    reason = forms.CharField(label="Motif", max_length=500, widget=forms.Textarea({"rows": 3}))


@dataclass(frozen=True, slots=True)
class InstallmentStep:
    """What staff may do with an open installment: the right it asks for, its button, and what it does."""

    action: StaffAction
    label: str
    explanation: str


STEPS = {
    "debiter": InstallmentStep(
        StaffAction.CHARGE_INSTALLMENT,
        "Débiter maintenant",
        "La carte enregistrée est débitée tout de suite. Le client reçoit un e-mail dans tous les cas.",
    ),
    "lien": InstallmentStep(
        StaffAction.SEND_PAYMENT_LINK,
        "Envoyer le lien de paiement",
        "Le client reçoit un e-mail avec le lien vers sa page de paiement, où il peut aussi changer de carte sans "
        "payer. Il reste valable jusqu'au paiement.",
    ),
    "abandonner": InstallmentStep(
        StaffAction.WRITE_OFF_INSTALLMENT,
        "Abandonner l'échéance",
        "Elle n'est plus jamais débitée ni réclamée. Les factures ne changent pas\u00a0: c'est une perte, pas un "
        "avoir.",
    ),
}


@staff_page(StaffAction.SEE_PAYMENTS)
def order_installments_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """The calendar of an order, its card, and what may be done with each installment."""
    order = get_object_or_404(Order, pk=order_id)
    plan = calendar(order)
    if plan is None:
        return redirect(order_url(order.pk))
    context = {
        "order": order,
        "back": order_url(order.pk),
        "plan": plan,
        "rows": [
            (row, _steps(request, row.payment) if row.is_open and row.payment.position > 1 else [])
            for row in plan.rows
        ],
        "may_pause": may(request.user, StaffAction.PAUSE_INSTALLMENTS),
        "link": payment_page_url(order),
        "changes": order.card_changes.all()[:CHANGES_SHOWN],
        "mandates": agreed_mandates(order),
        "deletions": order.discarded_cards.filter(deleted_at=None).count(),
    }
    return render(request, "staff/payments/of_order.html", context)


def _steps(request: HttpRequest, payment: Payment) -> list[PageLink]:
    return [
        PageLink(step.label, reverse("staff-order-installment", args=[payment.order_id, payment.pk, name]))
        for name, step in STEPS.items()
        if may(request.user, step.action)
        and (name != "debiter" or first_charge_day(payment) <= timezone.localdate())
    ]


@staff_page(StaffAction.SEE_PAYMENTS, WRITE)
def installment_step_page(
    request: HttpRequest, order_id: uuid.UUID, payment_id: int, step: str
) -> HttpResponseBase:
    """One step with an open installment: what it does, and the button."""
    found = STEPS.get(step)
    if found is None:
        raise Http404
    require(request.user, found.action)
    payment = get_object_or_404(Payment.objects.select_related("order"), pk=payment_id, order=order_id)
    posted = request.POST if request.method == "POST" else None
    form = WriteOffForm(posted) if step == "abandonner" else None
    back = reverse("staff-order-installments", args=[order_id])
    if payment.state not in OPEN_PAYMENTS:
        messages.error(request, charge_obstacle_text("not_owed"))
        return redirect(back)
    if posted is not None and (form is None or form.is_valid()):
        try:
            _act(request, step, payment, form)
            return redirect(back)
        except Problem as problem:
            messages.error(request, problem.detail)
        except gateway.GatewayError:
            messages.warning(request, OUTCOME_LATER)
            return redirect(back)
    amount, day = localised_amount(payment.amount), day_in_words(payment.due_on)
    return ask_page(
        request,
        title=found.label,
        back=back,
        submit=found.label,
        form=form,
        sentences=(
            f"Commande {payment.order.reference}, échéance {payment.position}/{payment.count}\u00a0: "
            f"{amount}, à payer le {day}.",
            found.explanation,
        ),
    )


def _act(request: HttpRequest, step: str, payment: Payment, form: WriteOffForm | None) -> None:
    actor = cast(User, request.user)
    if step == "debiter":
        attempt = charge_now(payment_id=payment.pk, actor=actor)
        if attempt.state == AttemptState.SUCCEEDED:
            messages.success(request, "Échéance débitée.")
        elif attempt.state == AttemptState.FAILED:
            why = decline_in_words(attempt.error_code)
            messages.warning(request, f"La banque n'a pas accepté le débit\u00a0: {why}.")
        else:
            messages.warning(request, OUTCOME_LATER)
    elif step == "lien":
        send_link(payment_id=payment.pk, actor=actor)
        messages.success(request, "Lien de paiement envoyé.")
    elif form is not None:
        write_off_payment(payment_id=payment.pk, actor=actor, reason=form.cleaned_data["reason"])
        messages.success(request, "Échéance abandonnée.")


@staff_page(StaffAction.PAUSE_INSTALLMENTS, WRITE)
def pause_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Suspend the payments with a reason, or end the pause; the customer gets a mail with the days either way."""
    order = get_object_or_404(Order, pk=order_id)
    back = reverse("staff-order-installments", args=[order.pk])
    pause = open_pause(order)
    posted = request.POST if request.method == "POST" else None
    form = None if pause is not None else PauseForm(posted)
    if posted is not None and (form is None or form.is_valid()):
        actor = cast(User, request.user)
        if form is None:
            is_done = carry_out(
                request,
                lambda: resume_installments(order_id=order.pk, by=PauseEnd.STAFF, actor=actor),
                "Les échéances reprennent, le client est prévenu.",
            )
        else:
            reason = form.cleaned_data["reason"]
            is_done = carry_out(
                request,
                lambda: pause_installments(order_id=order.pk, by=PausedBy.STAFF, actor=actor, reason=reason),
                "Les échéances sont suspendues, le client est prévenu.",
            )
        if is_done:
            return redirect(back)
    if pause is None:
        sentences = [
            "Plus rien n'est annoncé, débité ni réclamé\u00a0; le client peut payer s'il le veut. La suspension finit "
            "ici, ou toute seule à l'expédition (rien n'est débité avant l'arrivée prévue du colis), et le client est "
            "prévenu."
        ]
    else:
        since = day_in_words(shop_day(pause.started_at))
        sentences = [
            f"Suspendues par le client depuis le {since}."
            if pause.started_by == PausedBy.CUSTOMER
            else f"Suspendues par l'atelier depuis le {since}\u00a0: {pause.reason}",
            "À la reprise, chaque échéance est repoussée de la durée de la suspension, sans dépasser 50 jours après "
            "l'expédition. Le client reçoit les nouvelles dates, au moins trois jours avant le premier débit. Si c'est "
            "lui qui a suspendu parce que la livraison est en retard, attendez son accord ou l'expédition.",
        ]
    return ask_page(
        request,
        title=f"Échéances de la commande {order.reference}",
        back=back,
        submit="Suspendre les échéances" if pause is None else "Reprendre les échéances",
        form=form,
        sentences=sentences,
    )
