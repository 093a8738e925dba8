"""Refunds by bank transfer: staff record that one was sent, and that one did not arrive."""

from collections.abc import Sequence
from datetime import date
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from orders.admin.base import order_page
from orders.models import Order, Refund, RefundMethod, RefundState, TransferReturn
from orders.selectors.refund_debts import Debt
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refunds import refund_error_in_words
from orders.services.refunds.transfers import (
    LONGEST_REFERENCE,
    days_of_return,
    possible_days,
    settle_by_transfer,
    sync_other_refunds,
    take_transfer_back,
)
from orders.staff.base import DayInput
from shop.core.amounts import localised_amount
from shop.core.money import amount_string
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction

SENT_LABEL = gettext_lazy("Réglé par virement")


class ChosenRefundForm(forms.Form):
    """One of several refunds in the field `choice`, and in the field `day` when its money moved."""

    choice: ClassVar[str]
    day: ClassVar[str]
    too_early: ClassVar[Promise]

    def __init__(self, data: Any, *, labels: dict[str, str], chosen: str = "") -> None:
        today = timezone.localdate()
        first = chosen if chosen in labels else next(iter(labels), "")
        super().__init__(data, initial={self.choice: first, self.day: today})
        cast(forms.ChoiceField, self.fields[self.choice]).choices = list(labels.items())
        self.fields[self.day].widget.attrs["max"] = today.isoformat()

    def possible_days(self) -> tuple[date, date]:
        """The first and the last day on which the money of the chosen refund can have moved."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        day = values.get(self.day)
        if day is None or self.choice not in values:
            return values
        first, last = self.possible_days()
        if day > last:
            self.add_error(self.day, _("Cette date est dans l'avenir."))
        elif day < first:
            self.add_error(self.day, str(self.too_early) % {"day": date_format(first, "DATE_FORMAT")})
        return values


class TransferForm(ChosenRefundForm):
    """Which failed refund was sent, when, and under which reference."""

    choice, day = "refund", "sent_on"
    too_early = gettext_lazy("Le remboursement n'a échoué que le %(day)s.")

    refund = forms.ChoiceField(label=gettext_lazy("Remboursement échoué"), widget=forms.RadioSelect)
    sent_on = forms.DateField(
        label=gettext_lazy("Date du virement"),
        widget=DayInput,
    )
    reference = forms.CharField(
        label=gettext_lazy("Référence du virement"),
        max_length=LONGEST_REFERENCE,
        help_text=gettext_lazy("Comme sur le relevé de la banque. Le client la lit aussi."),
    )

    def __init__(self, data: Any, *, owed: Sequence[Debt], chosen: str) -> None:
        self._owed = {str(debt.refund.pk): debt for debt in owed}
        labels = {key: _debt_label(debt) for key, debt in self._owed.items()}
        super().__init__(data, labels=labels, chosen=chosen)

    @property
    def debt(self) -> Debt:
        """The failed refund that was chosen, with what is still owed of it."""
        return self._owed[self.cleaned_data["refund"]]

    def possible_days(self) -> tuple[date, date]:
        return possible_days(self.debt.refund)


@order_page(
    "transfer",
    label=SENT_LABEL,
    action=StaffAction.RECORD_TRANSFER,
    shown=lambda order: bool(retryable_refunds(order)),
)
def transfer_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask which refund, the day and the reference, show what will be recorded, and record it once confirmed."""
    posted = request.POST if request.method == "POST" else None
    if posted is not None:
        if _is_settled(order, posted.get("refund", "")):
            messages.info(request, _("Ce virement est déjà enregistré."))
            return redirect("admin:orders_order_change", order.pk)
        sync_other_refunds(order)
    owed = retryable_refunds(order)
    form = TransferForm(posted, owed=owed, chosen=request.GET.get("refund", ""))
    context |= {"form": form, "owed": owed}
    if posted is None or not owed or not form.is_valid():
        return TemplateResponse(request, "admin/orders/order/transfer.html", context)
    debt, values = form.debt, form.cleaned_data
    if posted.get("confirmed") != amount_string(debt.owed):
        context |= {"debt": debt, "values": values, "confirmed": amount_string(debt.owed)}
        return TemplateResponse(request, "admin/orders/order/transfer_confirm.html", context)
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
        return TemplateResponse(request, "admin/orders/order/transfer.html", context)
    messages.success(
        request,
        _("Virement de %(amount)s enregistré. Le client est prévenu.")
        % {"amount": localised_amount(made.amount)},
    )
    return redirect("admin:orders_order_change", order.pk)


def _is_settled(order: Order, refund_id: str) -> bool:
    transfers = order.refunds.filter(method=RefundMethod.TRANSFER)
    return refund_id in {str(failed) for failed in transfers.values_list("replaces", flat=True)}


def _debt_label(debt: Debt) -> str:
    refund = debt.refund
    return _("%(amount)s, échoué le %(day)s\u00a0: %(why)s") % {
        "amount": localised_amount(debt.owed),
        "day": date_format(possible_days(refund)[0], "DATE_FORMAT"),
        "why": refund_error_in_words(refund.error),
    }


class TransferReturnForm(ChosenRefundForm):
    """Which transfer did not reach its customer, why, and since when the shop has the money."""

    choice, day = "transfer", "returned_on"
    too_early = gettext_lazy("Le virement n'est parti que le %(day)s.")

    transfer = forms.ChoiceField(label=gettext_lazy("Virement"), widget=forms.RadioSelect)
    why = forms.ChoiceField(
        label=gettext_lazy("Que s'est-il passé\u00a0?"),
        choices=TransferReturn.choices,
        initial=TransferReturn.RETURNED,
        widget=forms.RadioSelect,
    )
    returned_on = forms.DateField(
        label=gettext_lazy("Date du retour"),
        widget=DayInput,
        help_text=gettext_lazy(
            "Le jour où l'argent est revenu sur votre compte\u00a0; aujourd'hui, s'il n'est jamais parti."
        ),
    )

    def __init__(self, data: Any, *, transfers: Sequence[Refund]) -> None:
        self._transfers = {str(transfer.pk): transfer for transfer in transfers}
        super().__init__(
            data, labels={key: _transfer_label(transfer) for key, transfer in self._transfers.items()}
        )

    @property
    def chosen(self) -> Refund:
        """The transfer that was chosen."""
        return self._transfers[self.cleaned_data["transfer"]]

    def possible_days(self) -> tuple[date, date]:
        return days_of_return(self.chosen)


@order_page(
    "transfer_returned",
    label=gettext_lazy("Virement non abouti"),
    action=StaffAction.RECORD_TRANSFER_RETURN,
    shown=lambda order: _succeeded_transfers(order).exists(),
)
def transfer_returned_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask which transfer, why and the day, say what follows, and record it."""
    posted = request.POST if request.method == "POST" else None
    transfers = list(_succeeded_transfers(order))
    if posted is not None and _has_returned(order, posted.get("transfer", "")):
        messages.info(request, _("Ce retour est déjà enregistré."))
        return redirect("admin:orders_order_change", order.pk)
    form = TransferReturnForm(posted, transfers=transfers)
    context |= {"form": form, "transfers": transfers}
    if posted is None or not transfers or not form.is_valid():
        return TemplateResponse(request, "admin/orders/order/transfer_returned.html", context)
    try:
        taken = take_transfer_back(
            refund_id=form.chosen.pk,
            returned_on=form.cleaned_data["returned_on"],
            why=TransferReturn(form.cleaned_data["why"]),
            actor=cast(User, request.user),
        )
    except Problem as problem:
        messages.error(request, problem.detail)
        return TemplateResponse(request, "admin/orders/order/transfer_returned.html", context)
    messages.success(
        request,
        _("Retour du virement de %(amount)s enregistré. Le client est prévenu\u00a0: il attend son argent.")
        % {"amount": localised_amount(taken.amount)},
    )
    return redirect("admin:orders_order_change", order.pk)


def _succeeded_transfers(order: Order) -> QuerySet[Refund]:
    transfers = Refund.objects.filter(order=order, method=RefundMethod.TRANSFER)
    return transfers.filter(state=RefundState.SUCCEEDED).order_by("created_at")


def _has_returned(order: Order, transfer_id: str) -> bool:
    returned = order.refunds.filter(method=RefundMethod.TRANSFER, state=RefundState.FAILED)
    return transfer_id in {str(key) for key in returned.values_list("pk", flat=True)}


def _transfer_label(transfer: Refund) -> str:
    return _("%(amount)s, viré le %(day)s (%(reference)s)") % {
        "amount": localised_amount(transfer.amount),
        "day": date_format(days_of_return(transfer)[0], "DATE_FORMAT"),
        "reference": transfer.transfer_reference,
    }
