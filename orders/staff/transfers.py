"""Refunds by bank transfer: staff record that one was sent, and that one did not arrive."""

import uuid
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from orders.models import Order, Refund, RefundMethod, RefundState, TransferReturn
from orders.selectors.refund_debts import Debt
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refunds import refund_error_in_words
from orders.services.refunds.transfers import (
    LONGEST_REFERENCE,
    possible_days,
    settle_by_transfer,
    sync_other_refunds,
    take_transfer_back,
)
from orders.staff.base import DayInput, ask_page, order_url
from shop.core.amounts import localised_amount
from shop.core.dates import day_in_words
from shop.core.money import amount_string
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import WRITE, staff_page

SENT_LABEL = "Réglé par virement"
RETURNED_LABEL = "Virement non abouti"


class ChosenRefundForm(forms.Form):
    """One of several refunds in the field `choice`, and in the field `day` when its money moved."""

    choice: ClassVar[str]
    day: ClassVar[str]
    too_early: ClassVar[str]

    def __init__(self, data: Any, *, labels: dict[str, str], chosen: str = "") -> None:
        today = timezone.localdate()
        first = chosen if chosen in labels else next(iter(labels), "")
        super().__init__(data, initial={self.choice: first, self.day: today})
        cast(forms.ChoiceField, self.fields[self.choice]).choices = list(labels.items())
        self.fields[self.day].widget.attrs["max"] = today.isoformat()

    @property
    def chosen(self) -> Refund:
        """The refund that was chosen."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        day = values.get(self.day)
        if day is None or self.choice not in values:
            return values
        first, last = possible_days(self.chosen)
        if day > last:
            self.add_error(self.day, "Cette date est dans l'avenir.")
        elif day < first:
            self.add_error(self.day, self.too_early % {"day": day_in_words(first)})
        return values


class TransferForm(ChosenRefundForm):
    """Which failed refund was sent, when, and under which reference."""

    choice, day = "refund", "sent_on"
    too_early = "Le remboursement n'a échoué que le %(day)s."

    refund = forms.ChoiceField(label="Remboursement échoué", widget=forms.RadioSelect)
    sent_on = forms.DateField(
        label="Date du virement",
        widget=DayInput,
    )
    reference = forms.CharField(
        label="Référence du virement",
        max_length=LONGEST_REFERENCE,
        help_text="Comme sur le relevé de la banque. Le client la lit aussi.",
    )

    def __init__(self, data: Any, *, owed: Sequence[Debt], chosen: str) -> None:
        self._owed = {str(debt.refund.pk): debt for debt in owed}
        labels = {key: _debt_label(debt) for key, debt in self._owed.items()}
        super().__init__(data, labels=labels, chosen=chosen)

    @property
    def debt(self) -> Debt:
        """The failed refund that was chosen, with what is still owed of it."""
        return self._owed[self.cleaned_data["refund"]]

    @property
    def chosen(self) -> Refund:
        return self.debt.refund


@staff_page(StaffAction.RECORD_TRANSFER, WRITE)
def transfer_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Ask which refund, the day and the reference, show what will be recorded, and record it once confirmed."""
    order = get_object_or_404(Order, pk=order_id)
    back = order_url(order.pk)
    posted = request.POST if request.method == "POST" else None
    if posted is not None:
        if _is_settled(order, posted.get("refund", "")):
            messages.info(request, "Ce virement est déjà enregistré.")
            return redirect(back)
        sync_other_refunds(order)
    owed = retryable_refunds(order)
    form = TransferForm(posted, owed=owed, chosen=request.GET.get("refund", ""))
    if posted is not None and owed and form.is_valid():
        debt, values = form.debt, form.cleaned_data
        if posted.get("confirmed") != amount_string(debt.owed):
            return ask_page(
                request,
                title=f"Avez-vous viré {localised_amount(debt.owed)} au client\u00a0?",
                back=reverse("staff-order-transfer", args=[order.pk]),
                submit=f"Oui, {localised_amount(debt.owed)} sont virés",
                form=form,
                template="staff/refunds/transfer_confirm.html",
                order=order,
                debt=debt,
                values=values,
                confirmed=amount_string(debt.owed),
            )
        try:
            made = settle_by_transfer(
                refund_id=debt.refund.pk,
                sent_on=values["sent_on"],
                reference=values["reference"],
                amount=debt.owed,
                actor=cast(User, request.user),
            )
        except Problem as problem:
            messages.error(request, problem.detail)
        else:
            amount = localised_amount(made.amount)
            messages.success(request, f"Virement de {amount} enregistré. Le client est prévenu.")
            return redirect(back)
    return ask_page(
        request,
        title=f"Commande {order.reference}\u00a0: remboursement réglé par virement",
        back=back,
        submit="Vérifier avant d'enregistrer" if owed else "",
        form=form,
        sentences=(
            "La carte du client n'a pas pu recevoir cet argent. Faites d'abord le virement depuis votre banque, puis "
            "notez-le ici\u00a0: rien n'est envoyé par cette page.",
            "Le virement entre au livre des recettes à sa date, et complète la décision de remboursement. L'avoir déjà "
            "émis reste le bon.",
        )
        if owed
        else ("Aucun remboursement de cette commande n'attend de virement.",),
    )


def _is_settled(order: Order, refund_id: str) -> bool:
    transfers = order.refunds.filter(method=RefundMethod.TRANSFER)
    return refund_id in {str(failed) for failed in transfers.values_list("replaces", flat=True)}


def _debt_label(debt: Debt) -> str:
    day = day_in_words(possible_days(debt.refund)[0])
    why = refund_error_in_words(debt.refund.error)
    return f"{localised_amount(debt.owed)}, échoué le {day}\u00a0: {why}"


class TransferReturnForm(ChosenRefundForm):
    """Which transfer did not reach its customer, why, and since when the shop has the money."""

    choice, day = "transfer", "returned_on"
    too_early = "Le virement n'est parti que le %(day)s."

    transfer = forms.ChoiceField(label="Virement", widget=forms.RadioSelect)
    why = forms.ChoiceField(
        label="Que s'est-il passé\u00a0?",
        choices=TransferReturn.choices,
        initial=TransferReturn.RETURNED,
        widget=forms.RadioSelect,
    )
    returned_on = forms.DateField(
        label="Date du retour",
        widget=DayInput,
        help_text="Le jour où l'argent est revenu sur votre compte\u00a0; aujourd'hui, s'il n'est jamais parti.",
    )

    def __init__(self, data: Any, *, transfers: Sequence[Refund]) -> None:
        self._transfers = {str(transfer.pk): transfer for transfer in transfers}
        super().__init__(
            data, labels={key: _transfer_label(transfer) for key, transfer in self._transfers.items()}
        )

    @property
    def chosen(self) -> Refund:
        return self._transfers[self.cleaned_data["transfer"]]


@staff_page(StaffAction.RECORD_TRANSFER_RETURN, WRITE)
def transfer_returned_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Ask which transfer, why and the day, say what follows, and record it."""
    order = get_object_or_404(Order, pk=order_id)
    back = order_url(order.pk)
    posted = request.POST if request.method == "POST" else None
    transfers = list(succeeded_transfers(order))
    if posted is not None and _has_returned(order, posted.get("transfer", "")):
        messages.info(request, "Ce retour est déjà enregistré.")
        return redirect(back)
    form = TransferReturnForm(posted, transfers=transfers)
    if posted is not None and transfers and form.is_valid():
        try:
            taken = take_transfer_back(
                refund_id=form.chosen.pk,
                returned_on=form.cleaned_data["returned_on"],
                why=TransferReturn(form.cleaned_data["why"]),
                actor=cast(User, request.user),
            )
        except Problem as problem:
            messages.error(request, problem.detail)
        else:
            messages.success(
                request,
                f"Retour du virement de {localised_amount(taken.amount)} enregistré. "
                "Le client est prévenu\u00a0: il attend son argent.",
            )
            return redirect(back)
    return ask_page(
        request,
        title=f"Commande {order.reference}\u00a0: virement non abouti",
        back=back,
        submit="Enregistrer le retour" if transfers else "",
        form=form,
        sentences=(
            "Le virement reste au livre des recettes\u00a0; une seconde ligne le reprend à la date du retour, et le "
            "remboursement est de nouveau à faire. L'avoir déjà émis reste le bon.",
            "Le client reçoit un e-mail qui le lui dit. Convenez avec lui d'un autre virement, ou réessayez sur la "
            "carte.",
        )
        if transfers
        else ("Aucun virement n'est noté pour cette commande.",),
    )


def succeeded_transfers(order: Order) -> QuerySet[Refund]:
    """Return the transfers of an order that nothing says have come back."""
    transfers = Refund.objects.filter(order=order, method=RefundMethod.TRANSFER)
    return transfers.filter(state=RefundState.SUCCEEDED).order_by("created_at")


def _has_returned(order: Order, transfer_id: str) -> bool:
    returned = order.refunds.filter(method=RefundMethod.TRANSFER, state=RefundState.FAILED)
    return transfer_id in {str(key) for key in returned.values_list("pk", flat=True)}


def _transfer_label(transfer: Refund) -> str:
    day = day_in_words(possible_days(transfer)[0])
    return f"{localised_amount(transfer.amount)}, viré le {day} ({transfer.transfer_reference})"
