"""Refunding a declaration: what comes back, what it is worth to the cent, then the button."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.models import WithdrawalCase
from orders.models.returns import OPEN_CASES
from orders.selectors.refund_rules import RefundProposal, ReturnedLine, propose_refund
from orders.selectors.withdrawals import ReturnableLine, returnable_lines
from orders.services.refunds.decisions import stopped_by
from orders.services.withdrawals.cases import refund_case
from shop.core.amounts import AmountFormField
from shop.core.money import amount_string
from shop.core.problems import Problem


class ReturnForm(forms.Form):
    """The units that came back. `amount` is less than their worth when they lost value (L221-23)."""

    restock = forms.BooleanField(label=_("Remettre en stock"), required=False)
    amount = AmountFormField(
        label=_("Montant accordé (€), si les pièces ont perdu de la valeur"),
        required=False,
        min_value=Decimal("0.01"),
        max_digits=10,
        decimal_places=2,
        help_text=_("Vide : tout ce qui a été payé pour ces pièces (article L221-23)."),
    )
    reason = forms.CharField(label=_("Motif, envoyé au client"), max_length=500, required=False)

    def __init__(self, *args: Any, lines: Sequence[ReturnableLine], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lines = lines
        units = {
            f"units_{line.item.pk}": forms.IntegerField(
                label=f"{line.item} ({line.left})", min_value=0, max_value=line.left
            )
            for line in lines
        }
        self.fields = {**units, **self.fields}

    def chosen(self) -> list[ReturnedLine] | None:
        """The lines of a valid form as a refund wants them; None when the order has none left to choose."""
        if not self.lines:
            return None
        restock: bool = self.cleaned_data["restock"]
        wanted = ((line.item.pk, self.cleaned_data[f"units_{line.item.pk}"]) for line in self.lines)
        return [ReturnedLine(item, units, restock) for item, units in wanted if units]


def refund_page(request: HttpRequest, case: WithdrawalCase, context: dict[str, Any]) -> HttpResponseBase:
    """Shows the sum for what is chosen; the button carries that sum, and another one is shown before it is used."""
    back = redirect("admin:orders_withdrawalcase_change", case.pk)
    if case.order is None or case.state not in OPEN_CASES:
        messages.error(request, _("Cette déclaration n'a rien à rembourser."))
        return back
    lines = returnable_lines(case.order)
    start = _start(case, lines)
    form = ReturnForm(request.POST if request.method == "POST" else start, lines=lines)
    proposal: RefundProposal | None = None
    if form.is_valid():
        amount = form.cleaned_data["amount"]
        try:
            proposal = propose_refund(
                case.order, form.chosen(), amount=amount, stopped=stopped_by(case.withdrawal)
            )
            agreed = request.POST.get("expected") == amount_string(proposal.amount)
            if request.method == "POST" and "confirm" in request.POST and agreed:
                refund_case(
                    case_id=case.pk,
                    lines=form.chosen(),
                    amount=amount,
                    reason=form.cleaned_data["reason"],
                    actor=cast(User, request.user),
                )
                messages.success(request, _("Remboursement décidé : l'argent part dans la minute."))
                return back
        except Problem as problem:
            messages.error(request, problem.detail)
    context |= {
        "form": form,
        "proposal": proposal,
        "expected": "" if proposal is None else amount_string(proposal.amount),
        "title": _("Rembourser la rétractation"),
    }
    return TemplateResponse(request, "admin/orders/withdrawalcase/refund.html", context)


def _start(case: WithdrawalCase, lines: Sequence[ReturnableLine]) -> dict[str, Any]:
    """What the declaration says: its lines, nothing where the customer only described them, else everything."""
    declared = {line.item_id: line.quantity for line in case.withdrawal.lines.all()}
    everything = not declared and not case.goods
    return {
        f"units_{line.item.pk}": line.left if everything else min(declared.get(line.item.pk, 0), line.left)
        for line in lines
    }
