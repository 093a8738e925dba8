"""Withdrawals: the list by urgency, a case with its declaration, each step as a page that explains and asks."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.models import User
from accounts.recent_authentication import ask_again, require_recent
from orders.journal import RETURN_TAKEN_BACK
from orders.models import REFUNDS_UNDER_WAY, Order, OrderEvent, Refund, WithdrawalCase
from orders.models.returns import OPEN_CASES
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refund_rules import (
    RefundProposal,
    ReturnedLine,
    needs_recent_authentication,
    open_dispute,
    propose_refund,
)
from orders.selectors.withdrawals import (
    ReturnableLine,
    Urgency,
    cases_of,
    is_answered,
    may_wait,
    returnable_lines,
    urgency_of,
)
from orders.services.refunds.decisions import stopped_by
from orders.services.withdrawals.cases import left_stopped, refund_case
from orders.staff.base import PageLink, ask_page, carry_out, order_url
from orders.staff.withdrawal_filing import LABEL as FILE_LABEL
from orders.staff.withdrawal_steps import STEPS, is_accepted, resume_field
from shop.core.amounts import AmountFormField, localised_amount
from shop.core.money import amount_string
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page


@dataclass(frozen=True, slots=True)
class UrgencySign:
    """How an urgency is shown."""

    icon: str
    label: str


URGENCY_SIGNS = {
    Urgency.GREEN: UrgencySign("success", "dans les temps"),
    Urgency.WAITING: UrgencySign("truck", "retour attendu"),
    Urgency.AMBER: UrgencySign("clock", "à rembourser bientôt"),
    Urgency.RED: UrgencySign("warning", "à rembourser maintenant"),
    Urgency.CLOSED: UrgencySign("check", "terminée"),
}

# The days to refund run from the declaration: the oldest is the most urgent.
PARTS = (
    Part("a-traiter", "À traiter", lambda cases: cases.filter(state__in=OPEN_CASES), oldest_first=True),
    Part("terminees", "Terminées", lambda cases: cases.exclude(state__in=OPEN_CASES)),
    Part("toutes", "Toutes"),
)
SEARCHED = ("withdrawal__name", "withdrawal__email", "email", "withdrawal__order_text", "order__reference")


@staff_page(StaffAction.SEE_WITHDRAWALS)
def withdrawals_page(request: HttpRequest) -> HttpResponseBase:
    """Every declaration, what is urgent first."""
    cases = WithdrawalCase.objects.select_related("withdrawal", "order")
    listed = staff_list(request, cases, PARTS, searched=SEARCHED, moment="withdrawal__declared_at")
    context = {
        "list": listed,
        "rows": [(case, URGENCY_SIGNS[urgency_of(case)], may_wait(case)) for case in listed.rows],
        "file_label": FILE_LABEL if may(request.user, StaffAction.FILE_WITHDRAWAL) else "",
    }
    return render(request, "staff/withdrawals/list.html", context)


@staff_page(StaffAction.SEE_WITHDRAWALS)
def withdrawal_page(request: HttpRequest, case_id: int) -> HttpResponseBase:
    """The declaration, which never changes, how far it is, and what may be done now."""
    case = _case(case_id)
    is_settled = is_answered(case)
    decided = set(case.withdrawal.refund_requests.values_list("pk", flat=True))
    is_decided = is_accepted(case) and not is_settled and bool(decided)
    has_failed = (
        is_decided
        and case.order is not None
        and any(debt.refund.request_id in decided for debt in retryable_refunds(case.order))
    )
    goes_on = Refund.objects.filter(request__in=decided, state__in=REFUNDS_UNDER_WAY).exists() or (
        case.order is not None and open_dispute(case.order) is not None
    )
    context = {
        "case": case,
        "withdrawal": case.withdrawal,
        "sign": URGENCY_SIGNS[urgency_of(case)],
        "may_wait": may_wait(case),
        "lines": list(case.withdrawal.lines.select_related("item").order_by("item__position")),
        "order_url": "" if case.order is None else order_url(case.order.pk),
        "taken_back": _taken_back(case),
        "is_decided": is_decided,
        "has_failed": has_failed,
        "is_stuck": is_decided and not has_failed and not goes_on,
        "may_refund": may(request.user, StaffAction.REFUND_ORDER),
        "pages": _steps(request, case, may_refund=not is_decided and not is_settled),
    }
    return render(request, "staff/withdrawals/case.html", context)


def _taken_back(case: WithdrawalCase) -> list[tuple[OrderEvent, datetime]]:
    """Returns and proofs that were noted by mistake, each with the day that had been noted."""
    if case.order is None:
        return []
    events = case.order.events.filter(name=RETURN_TAKEN_BACK, data__withdrawal=str(case.withdrawal_id))
    return [(event, datetime.fromisoformat(event.data["moment"])) for event in events.select_related("actor")]


def _steps(request: HttpRequest, case: WithdrawalCase, *, may_refund: bool) -> list[PageLink]:
    steps = [
        PageLink(step.label, reverse("staff-withdrawal-step", args=[case.pk, name]))
        for name, step in STEPS.items()
        if may(request.user, step.action) and step.shown(case)
    ]
    if may_refund and may(request.user, StaffAction.REFUND_ORDER) and is_accepted(case):
        # The first one is what to do: while pieces are awaited, to note that they came.
        place = len(steps) if urgency_of(case) == Urgency.WAITING else 0
        steps.insert(place, PageLink("Rembourser", reverse("staff-withdrawal-refund", args=[case.pk])))
    return steps


@staff_page(StaffAction.SEE_WITHDRAWALS, WRITE)
def withdrawal_step_page(request: HttpRequest, case_id: int, step: str) -> HttpResponseBase:
    """One step: what it does, what it needs, and the button."""
    found = STEPS.get(step)
    if found is None:
        raise Http404
    require(request.user, found.action)
    case = _case(case_id)
    form = found.form(request.POST if request.method == "POST" else None, case=case)
    if request.method == "POST" and form.is_valid():
        actor = cast(User, request.user)
        if carry_out(request, lambda: found.act(case, form.cleaned_data, actor)):
            return redirect("staff-withdrawal", case.pk)
    return ask_page(
        request,
        title=found.label,
        back=reverse("staff-withdrawal", args=[case.pk]),
        submit=found.label,
        form=form,
        template="staff/withdrawals/step.html",
        case=case,
        sentences=[found.explanation],
    )


def _case(case_id: int) -> WithdrawalCase:
    return get_object_or_404(WithdrawalCase.objects.select_related("withdrawal", "order"), pk=case_id)


@staff_page(StaffAction.SEE_WITHDRAWALS)
def order_withdrawals_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """The declarations about an order; straight to the only one."""
    order = get_object_or_404(Order, pk=order_id)
    cases = cases_of(order)
    if len(cases) == 1:
        return redirect("staff-withdrawal", cases[0].pk)
    context = {
        "order": order,
        "back": order_url(order.pk),
        "rows": [(case, URGENCY_SIGNS[urgency_of(case)]) for case in cases],
    }
    return render(request, "staff/withdrawals/of_order.html", context)


class ReturnForm(forms.Form):
    """The units that came back. `amount` is less than their worth when they lost value (L221-23)."""

    restock = forms.BooleanField(label="Remettre en stock", required=False)
    amount = AmountFormField(
        label="Montant accordé (€), si les pièces ont perdu de la valeur",
        required=False,
        min_value=Decimal("0.01"),
        max_digits=10,
        decimal_places=2,
        help_text=(
            "Vide\u00a0: tout ce qui a été payé pour ces pièces (article L221-23). La livraison d'une commande rendue "
            "en entier s'y ajoute."
        ),
    )
    reason = forms.CharField(label="Motif, envoyé au client", max_length=500, required=False)
    resume = resume_field("reprennent : le client les doit encore", required=False)

    def __init__(self, *args: Any, lines: Sequence[ReturnableLine], stopped: Decimal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lines = lines
        self.fields["resume"].help_text = (
            f"La déclaration a arrêté {localised_amount(stopped)}. Si le remboursement est moindre, dites ce que "
            "devient la différence."
        )
        if not stopped:
            del self.fields["resume"]
        units = {
            f"units_{line.item.pk}": forms.IntegerField(
                label=f"{line.item.staff_label} (au plus {line.left})", min_value=0, max_value=line.left
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


@staff_page(StaffAction.REFUND_ORDER, WRITE)
def withdrawal_refund_page(request: HttpRequest, case_id: int) -> HttpResponseBase:
    """Show the sum for what is chosen; the button carries that sum, and another one is shown before it is used."""
    case = _case(case_id)
    back = reverse("staff-withdrawal", args=[case.pk])
    if case.order is None or case.state not in OPEN_CASES:
        messages.error(request, "Cette déclaration n'a rien à rembourser.")
        return redirect(back)
    lines = returnable_lines(case.order)
    start = _start(case, lines)
    stopped = stopped_by(case.withdrawal)
    form = ReturnForm(request.POST if request.method == "POST" else start, lines=lines, stopped=stopped)
    proposal: RefundProposal | None = None
    unchosen = request.method != "POST" and bool(lines) and not any(start.values())
    if not unchosen and form.is_valid():
        amount = form.cleaned_data["amount"]
        try:
            proposal = propose_refund(case.order, form.chosen(), amount=amount, stopped=stopped)
            agreed = request.POST.get("expected") == amount_string(proposal.amount)
            if request.method == "POST" and "confirm" in request.POST and agreed:
                if needs_recent_authentication(case.order, proposal.amount) and (
                    answer := ask_again(request)
                ):
                    return answer
                refund_case(
                    case_id=case.pk,
                    lines=form.chosen(),
                    amount=amount,
                    reason=form.cleaned_data["reason"],
                    actor=cast(User, request.user),
                    resume=form.cleaned_data.get("resume"),
                    require_proof=lambda: require_recent(request),
                )
                then = (
                    "l'argent part dans la minute." if proposal.money else "cette somme ne sera pas prélevée."
                )
                messages.success(request, f"Remboursement décidé\u00a0: {then}")
                return redirect(back)
        except Problem as problem:
            messages.error(request, problem.detail)
    return ask_page(
        request,
        title=f"Rembourser la rétractation {case.withdrawal.reference}",
        back=back,
        form=form,
        template="staff/withdrawals/refund.html",
        case=case,
        waiting=may_wait(case),
        unchosen=unchosen,
        proposal=proposal,
        expected="" if proposal is None else amount_string(proposal.amount),
        uncredited=proposal and left_stopped(stopped, proposal),
    )


def _start(case: WithdrawalCase, lines: Sequence[ReturnableLine]) -> dict[str, Any]:
    """What the declaration says: its lines, nothing where the customer only described them, else everything."""
    declared = {line.item_id: line.quantity for line in case.withdrawal.lines.all()}
    everything = not declared and not case.goods
    return {
        f"units_{line.item.pk}": line.left if everything else min(declared.get(line.item.pk, 0), line.left)
        for line in lines
    }
