"""« Virement non abouti »: staff write down that a transfer came back, or was recorded by mistake."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
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
from orders.models import Order, Refund, RefundMethod, RefundState, TransferReturn
from orders.services.refunds.transfers import days_of_return, take_transfer_back
from shop.core.amounts import localised_amount
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction

LABEL = gettext_lazy("Virement non abouti")


class TransferReturnForm(forms.Form):
    """Which transfer did not reach its customer, why, and since when the shop has the money."""

    transfer = forms.ChoiceField(label=gettext_lazy("Virement"), widget=forms.RadioSelect)
    why = forms.ChoiceField(
        label=gettext_lazy("Que s'est-il passé\u00a0?"),
        choices=TransferReturn.choices,
        initial=TransferReturn.RETURNED,
        widget=forms.RadioSelect,
    )
    returned_on = forms.DateField(
        label=gettext_lazy("Date du retour"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy(
            "Le jour où l'argent est revenu sur votre compte\u00a0; aujourd'hui, s'il n'est jamais parti."
        ),
    )

    def __init__(self, data: Any, *, transfers: Sequence[Refund]) -> None:
        self._transfers = {str(transfer.pk): transfer for transfer in transfers}
        initial = {"transfer": next(iter(self._transfers), ""), "returned_on": timezone.localdate()}
        super().__init__(data, initial=initial)
        field = cast(forms.ChoiceField, self.fields["transfer"])
        field.choices = [(key, _told(transfer)) for key, transfer in self._transfers.items()]
        self.fields["returned_on"].widget.attrs["max"] = timezone.localdate().isoformat()

    @property
    def chosen(self) -> Refund:
        return self._transfers[self.cleaned_data["transfer"]]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        returned_on = values.get("returned_on")
        if returned_on is None or "transfer" not in values:
            return values
        first, last = days_of_return(self.chosen)
        if returned_on > last:
            self.add_error("returned_on", _("Cette date est dans l'avenir."))
        elif returned_on < first:
            day = date_format(first, "DATE_FORMAT")
            self.add_error("returned_on", _("Le virement n'est parti que le %(day)s.") % {"day": day})
        return values


@order_page(
    "transfer_returned",
    label=LABEL,
    action=StaffAction.RECORD_TRANSFER_RETURN,
    shown=lambda order: _standing(order).exists(),
)
def transfer_returned_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Asks which transfer, why and the day, says what follows, and writes it."""
    posted = request.POST if request.method == "POST" else None
    transfers = list(_standing(order))
    if posted is not None and _is_written(order, posted.get("transfer", "")):
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


def _standing(order: Order) -> QuerySet[Refund]:
    transfers = Refund.objects.filter(order=order, method=RefundMethod.TRANSFER)
    return transfers.filter(state=RefundState.SUCCEEDED).order_by("created_at")


def _is_written(order: Order, transfer_id: str) -> bool:
    returned = order.refunds.filter(method=RefundMethod.TRANSFER, state=RefundState.FAILED)
    return transfer_id in {str(key) for key in returned.values_list("pk", flat=True)}


def _told(transfer: Refund) -> str:
    return _("%(amount)s, viré le %(day)s (%(reference)s)") % {
        "amount": localised_amount(transfer.amount),
        "day": date_format(days_of_return(transfer)[0], "DATE_FORMAT"),
        "reference": transfer.transfer_reference,
    }
