"""« Réglé par virement »: staff write down that a failed refund was sent from the shop's bank."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from orders.admin.parts import order_page
from orders.models import Order, RefundMethod
from orders.selectors.refund_debts import Debt
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refunds import refund_error_text
from orders.services.refunds.transfers import (
    LONGEST_REFERENCE,
    possible_days,
    settle_by_transfer,
    sync_other_refunds,
)
from shop.core.amounts import localised_amount
from shop.core.money import amount_string
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction

LABEL = gettext_lazy("Réglé par virement")


class TransferForm(forms.Form):
    """Which failed refund was sent, when, and under which reference."""

    refund = forms.ChoiceField(label=gettext_lazy("Remboursement échoué"), widget=forms.RadioSelect)
    sent_on = forms.DateField(
        label=gettext_lazy("Date du virement"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    reference = forms.CharField(
        label=gettext_lazy("Référence du virement"),
        max_length=LONGEST_REFERENCE,
        help_text=gettext_lazy("Comme sur le relevé de la banque. Le client la lit aussi."),
    )

    def __init__(self, data: Any, *, owed: Sequence[Debt], chosen: str) -> None:
        self._owed = {str(debt.refund.pk): debt for debt in owed}
        first = chosen if chosen in self._owed else next(iter(self._owed), "")
        super().__init__(data, initial={"refund": first, "sent_on": timezone.localdate()})
        field = cast(forms.ChoiceField, self.fields["refund"])
        field.choices = [(key, _told(debt)) for key, debt in self._owed.items()]
        self.fields["sent_on"].widget.attrs["max"] = timezone.localdate().isoformat()

    @property
    def debt(self) -> Debt:
        return self._owed[self.cleaned_data["refund"]]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        sent_on = values.get("sent_on")
        if sent_on is None or "refund" not in values:
            return values
        first, last = possible_days(self.debt.refund)
        if sent_on > last:
            self.add_error("sent_on", _("Cette date est dans l'avenir."))
        elif sent_on < first:
            day = date_format(first, "DATE_FORMAT")
            self.add_error("sent_on", _("Le remboursement n'a échoué que le %(day)s.") % {"day": day})
        return values


@order_page(
    "transfer",
    label=LABEL,
    action=StaffAction.RECORD_TRANSFER,
    shown=lambda order: bool(retryable_refunds(order)),
)
def transfer_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Asks which refund, the day and the reference, shows what will be written, and writes it once confirmed."""
    posted = request.POST if request.method == "POST" else None
    if posted is not None:
        if _is_written(order, posted.get("refund", "")):
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


def _is_written(order: Order, refund_id: str) -> bool:
    transfers = order.refunds.filter(method=RefundMethod.TRANSFER)
    return refund_id in {str(failed) for failed in transfers.values_list("replaces", flat=True)}


def _told(debt: Debt) -> str:
    refund = debt.refund
    return _("%(amount)s, échoué le %(day)s\u00a0: %(why)s") % {
        "amount": localised_amount(debt.owed),
        "day": date_format(possible_days(refund)[0], "DATE_FORMAT"),
        "why": refund_error_text(refund.error),
    }
