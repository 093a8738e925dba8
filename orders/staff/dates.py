"""What staff decide about one order besides its steps: its two dates, its e-mail address, and money that the shop keeps
of it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import date
from typing import cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from accounts.models import User
from orders.models import Order, OrderStatus
from orders.selectors.money import money_outcome
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.workshop import is_awaited
from orders.services.checkout.guest_accounts import correct_email, may_correct_email
from orders.services.fulfilment.delivery_promises import set_delivery_day, set_promised_date
from orders.services.fulfilment.status_changes import decide_retention
from orders.staff.base import DayField, ask_page, carry_out, order_url
from shop.core.amounts import localised_amount
from shop.core.dates import day_in_words
from shop.core.email_addresses import EmailAddressField
from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import WRITE, staff_page

PROMISE_LABEL = "Changer la date promise"
DELIVERY_LABEL = "Date de livraison"
EMAIL_LABEL = "Corriger l'adresse e-mail"
RETENTION_LABEL = "Décider de l'argent gardé"


class PromiseForm(forms.Form):
    """The new promised date, and why."""

    promised_by = DayField(label="Nouvelle date")
    reason = forms.CharField(
        label="Motif, envoyé au client", max_length=500, widget=forms.Textarea({"rows": 3})
    )


class DeliveryForm(forms.Form):
    """The day on which the last parcel arrived; empty when it is not known."""

    delivered_on = DayField(label="Livrée le", required=False)


class EmailForm(forms.Form):
    """Where the mails of the order go."""

    email = EmailAddressField(label="Adresse e-mail", max_length=EMAIL_MAX_LENGTH)


class RetentionForm(forms.Form):
    """Why the money of a cancelled order stays with the shop."""

    decision = forms.CharField(
        label="Motif de la décision", max_length=500, widget=forms.Textarea({"rows": 3})
    )


def has_delivery(order: Order) -> bool:
    """Return whether it can have arrived."""
    return order.is_paid and order.all_goods_have_left


def has_kept_money(order: Order) -> bool:
    """Return whether money of it may be left to decide about."""
    return order.status == OrderStatus.CANCELLED and order.paid_at is not None


@staff_page(StaffAction.FULFIL_ORDER, WRITE)
def promise_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Ask for the date and why; the customer gets a mail."""
    order = get_object_or_404(Order, pk=order_id)
    if not is_awaited(order):
        return _not_now(request, order)
    form = PromiseForm(request.POST or None, initial={"promised_by": order.promised_by})
    if _is_done(request, order, form, set_promised_date):
        return redirect(order_url(order.pk))
    return ask_page(
        request,
        title=f"{PROMISE_LABEL}, commande {order.reference}",
        back=order_url(order.pk),
        form=form,
        sentences=[
            "La date promise engage la boutique. Le client reçoit la nouvelle avec votre motif, et apprend qu'il peut "
            "mettre fin au contrat s'il ne peut pas attendre."
        ],
    )


@staff_page(StaffAction.FULFIL_ORDER, WRITE)
def delivery_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Ask on which day the last parcel arrived: the withdrawal period runs from it."""
    order = get_object_or_404(Order, pk=order_id)
    if not has_delivery(order):
        return _not_now(request, order)
    known: date | None = None if order.delivered_at is None else timezone.localdate(order.delivered_at)
    form = DeliveryForm(request.POST or None, initial={"delivered_on": known})
    sentences = [
        "Le jour où le dernier colis est arrivé, d'après le transporteur. Le client peut se rétracter pendant quatorze "
        "jours à partir du lendemain. Vide\u00a0: la date n'est pas connue et le délai reste ouvert."
    ]
    deadline = withdrawal_deadline(order)
    if deadline is not None:
        sentences.append(f"Aujourd'hui, le délai court jusqu'au {day_in_words(deadline)}.")
    if _is_done(request, order, form, set_delivery_day):
        return redirect(order_url(order.pk))
    return ask_page(
        request,
        title=f"{DELIVERY_LABEL}, commande {order.reference}",
        back=order_url(order.pk),
        form=form,
        sentences=sentences,
    )


@staff_page(StaffAction.FULFIL_ORDER, WRITE)
def email_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Ask for the address that the customer of a guest's order mistyped."""
    order = get_object_or_404(Order, pk=order_id)
    if not may_correct_email(order):
        return _not_now(request, order)
    form = EmailForm(request.POST or None, initial={"email": order.email})
    if _is_done(request, order, form, correct_email):
        return redirect(order_url(order.pk))
    return ask_page(
        request,
        title=f"{EMAIL_LABEL}, commande {order.reference}",
        back=order_url(order.pk),
        form=form,
        sentences=[
            "Pour un client sans compte qui s'est trompé en commandant. Les e-mails suivants vont à la nouvelle "
            "adresse\u00a0; si la commande est payée, sa confirmation y repart, avec le contrat et un nouveau lien. "
            "Les liens envoyés à l'ancienne n'ouvrent plus la commande.",
            "Qui reçoit le lien voit la commande\u00a0: assurez-vous que c'est bien son client qui vous le demande.",
        ],
    )


@staff_page(StaffAction.REFUND_ORDER, WRITE)
def retention_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Ask what becomes of the money of a cancelled order: refunded after all, on its page, or kept for a reason."""
    order = get_object_or_404(Order, pk=order_id)
    if not has_kept_money(order):
        return _not_now(request, order)
    form = RetentionForm(request.POST or None, initial={"decision": order.retention_decision})
    if _is_done(request, order, form, decide_retention):
        return redirect(order_url(order.pk))
    kept = money_outcome(order).retained
    sentences = ["La boutique ne garde rien de cette commande."]
    if kept:
        sentences = [
            f"La boutique garde {localised_amount(kept)} de cette commande annulée\u00a0: remboursez-les depuis sa "
            "page, ou gardez-les pour un motif écrit.",
            "Votre décision reste au journal, le client la lit sur la page de sa commande, et la commande quitte "
            "«\u00a0À faire\u00a0».",
        ]
        if order.retention_reason:
            sentences.insert(1, f"Motif donné à l'annulation\u00a0: {order.retention_reason}")
    return ask_page(
        request,
        title=f"L'argent de la commande {order.reference}",
        back=order_url(order.pk),
        form=form if kept else None,
        submit=f"Garder {localised_amount(kept)}" if kept else "",
        sentences=sentences,
    )


def _is_done(request: HttpRequest, order: Order, form: forms.Form, service: Callable[..., object]) -> bool:
    """Let `service` do what a good form asks for; False where there is nothing to do, or it was refused."""
    if request.method != "POST" or not form.is_valid():
        return False
    actor = cast(User, request.user)
    return carry_out(request, lambda: service(order_id=order.pk, actor=actor, **form.cleaned_data))


def _not_now(request: HttpRequest, order: Order) -> HttpResponseBase:
    """Lead back to the order, which has moved on since its page was drawn."""
    messages.info(request, "Cette commande n'en est plus là\u00a0: voici où elle en est.")
    return redirect(order_url(order.pk))
