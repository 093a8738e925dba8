"""What staff may do with a declaration, step by step: each explains itself and asks for what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.utils import timezone

from accounts.models import User
from orders.models import IN_WORKSHOP, WithdrawalCase, WithdrawalState
from orders.models.returns import OPEN_CASES
from orders.selectors.withdrawals import has_left, is_answered
from orders.services.withdrawals import cases
from orders.staff.base import DayField
from shop.core.amounts import localised_amount
from shop.core.dates import moment_on, shop_day
from shop.core.staff_actions import StaffAction


class StepForm(forms.Form):
    """What a step asks about `case`; nothing but the button unless a step says more."""

    def __init__(self, *args: Any, case: WithdrawalCase, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.case = case


class ReferenceForm(StepForm):
    """Which order a declaration is about."""

    reference = forms.CharField(label="Référence de la commande", min_length=8, max_length=8)


class ReasonForm(StepForm):
    """Why, for the case."""

    reason = forms.CharField(label="Motif", max_length=500, widget=forms.Textarea)


def resume_field(resumed: str, **options: Any) -> forms.TypedChoiceField:
    """What becomes of installments that a declaration stopped; `resumed` says when they are owed again."""
    return forms.TypedChoiceField(
        label="Les échéances arrêtées",
        choices=[("yes", resumed), ("no", "restent arrêtées : elles sont perdues, sans avoir")],
        coerce=lambda answer: answer == "yes",
        empty_value=None,
        widget=forms.RadioSelect,
        **options,
    )


class RefusalForm(ReasonForm):
    """A declaration in time ends by the customer's own words only; installments that it stopped need a decision, so
    that nobody is charged again by an oversight."""

    revocation_text = forms.CharField(
        label="Écrit du client qui renonce à sa rétractation", max_length=5000, widget=forms.Textarea
    )
    revoked_on = DayField(label="Écrit du")
    resume = resume_field("reprennent : la déclaration ne valait pas, ou le client l'a retirée par écrit")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if cases.needs_revocation(self.case):
            self.fields["revocation_text"].help_text = (
                "Elle est arrivée à temps : elle met fin au contrat. Recopiez mot pour mot le courrier ou l'e-mail par "
                "lequel le client la retire ; il reste au dossier."
            )
        else:
            del self.fields["revocation_text"], self.fields["revoked_on"]
        if not self.case.voided:
            del self.fields["resume"]
            return
        self.fields["resume"].help_text = (
            f"{localised_amount(self.case.voided)}. "
            "Une rétractation faite à temps met fin au contrat (article L221-27) : ne reprenez qu'avec "
            "l'accord écrit du client. Une échéance à venir est débitée au jour convenu ; celle dont le jour est passé "
            "lui est demandée par un lien de paiement."
        )


class DayForm(StepForm):
    """The day of what was received, not in the future."""

    day = DayField(label="Reçu le", initial=timezone.localdate)

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > timezone.localdate():
            raise forms.ValidationError("Cette date est à venir.")
        order = self.case.order
        if order is not None and order.paid_at is not None and day < shop_day(order.paid_at):
            raise forms.ValidationError("Cette date est avant la commande.")
        return day


@dataclass(frozen=True, slots=True)
class Step:
    """Something that staff may do with a case: its page explains it, its form asks what is needed."""

    action: StaffAction
    label: str
    explanation: str
    shown: Callable[[WithdrawalCase], bool]
    act: Callable[[WithdrawalCase, dict[str, Any], User], object]
    form: type[StepForm] = StepForm


def _open(case: WithdrawalCase) -> bool:
    return case.state in OPEN_CASES


def is_accepted(case: WithdrawalCase) -> bool:
    """Return whether the declaration took effect and its case is still open."""
    return _open(case) and case.order is not None and case.taken_up_at is not None


STEPS: dict[str, Step] = {
    "clore": Step(
        StaffAction.DECIDE_WITHDRAWAL,
        "Clore\u00a0: déjà rendu",
        (
            "Plus rien n'est à rendre\u00a0: la commande a été remboursée autrement que depuis cette page, ou la "
            "banque du client a repris l'argent. Le client ne reçoit pas d'e-mail de plus\u00a0; sa page dit "
            "«\u00a0remboursée\u00a0»."
        ),
        is_answered,
        lambda case, data, actor: cases.close_answered(case_id=case.pk, actor=actor),
    ),
    "rattacher": Step(
        StaffAction.HANDLE_RETURN,
        "Rattacher à une commande",
        (
            "Cherchez la commande par le nom ou l'e-mail du client, puis donnez sa référence. Si la déclaration est "
            "arrivée à temps, elle prend effet aussitôt : échéances arrêtées, renvoi demandé si les pièces sont "
            "parties."
        ),
        lambda case: _open(case) and case.order is None,
        lambda case, data, actor: cases.attach_order(
            case_id=case.pk, reference=data["reference"], actor=actor
        ),
        ReferenceForm,
    ),
    "accepter": Step(
        StaffAction.DECIDE_WITHDRAWAL,
        "Accepter malgré le retard",
        (
            "La loi ne vous y oblige pas. La déclaration prend alors effet comme si elle était arrivée à temps. Le "
            "motif reste dans le dossier."
        ),
        lambda case: _open(case) and case.order is not None and case.taken_up_at is None,
        lambda case, data, actor: cases.accept_late(case_id=case.pk, reason=data["reason"], actor=actor),
        ReasonForm,
    ),
    "renvoi": Step(
        StaffAction.HANDLE_RETURN,
        "Demander le renvoi",
        (
            "Les pièces sont parties après la déclaration : le client reçoit l'adresse de renvoi et le délai, et le "
            "remboursement peut attendre le retour ou sa preuve."
        ),
        lambda case: (
            is_accepted(case)
            and case.state == WithdrawalState.DECLARED
            and case.order is not None
            and has_left(case.order, case.withdrawal)
        ),
        lambda case, data, actor: cases.ask_return(case_id=case.pk, actor=actor),
    ),
    "expedition": Step(
        StaffAction.HANDLE_RETURN,
        "Permettre l'expédition du reste",
        (
            "Une commande rétractée ne peut pas être expédiée. Confirmez ici que ce que vous envoyez n'est pas "
            "concerné par la déclaration."
        ),
        lambda case: (
            is_accepted(case)
            and case.shipping_allowed_at is None
            and case.order is not None
            and case.order.status in IN_WORKSHOP
        ),
        lambda case, data, actor: cases.allow_shipping(case_id=case.pk, actor=actor),
    ),
    "retour": Step(
        StaffAction.HANDLE_RETURN,
        "Noter le retour des pièces",
        "À partir de ce jour, le remboursement n'attend plus : remboursez dès que vous avez ouvert le colis.",
        lambda case: is_accepted(case) and case.goods_received_at is None,
        lambda case, data, actor: cases.record_return(
            case_id=case.pk, goods_received=True, moment=moment_on(data["day"]), actor=actor
        ),
        DayForm,
    ),
    "preuve": Step(
        StaffAction.HANDLE_RETURN,
        "Noter la preuve d'expédition",
        (
            "Un reçu du transporteur suffit : la loi ne permet plus d'attendre le colis pour rembourser "
            "(article L221-24)."
        ),
        lambda case: is_accepted(case) and case.shipping_proof_at is None and case.goods_received_at is None,
        lambda case, data, actor: cases.record_return(
            case_id=case.pk, goods_received=False, moment=moment_on(data["day"]), actor=actor
        ),
        DayForm,
    ),
    "refuser": Step(
        StaffAction.DECIDE_WITHDRAWAL,
        "Ne pas donner suite",
        (
            "Réservé à une déclaration tardive, sans commande, faite deux fois ou retirée par écrit. Le motif lui "
            "est envoyé par e-mail : écrivez-le pour lui, dans sa langue."
        ),
        lambda case: _open(case) and not case.withdrawal.refund_requests.exists(),
        lambda case, data, actor: cases.refuse_case(
            case_id=case.pk,
            reason=data["reason"],
            actor=actor,
            resume=data.get("resume"),
            revocation_text=data.get("revocation_text", ""),
            revoked_on=data.get("revoked_on"),
        ),
        RefusalForm,
    ),
    "retour-errone": Step(
        StaffAction.HANDLE_RETURN,
        "Retirer le retour noté",
        (
            "Noté sur le mauvais dossier\u00a0? Le retour est retiré, ou la preuve d'expédition s'il n'y en a pas, et "
            "le remboursement peut de nouveau l'attendre. Le jour noté et le motif restent au dossier."
        ),
        lambda case: (
            is_accepted(case)
            and bool(case.goods_received_at or case.shipping_proof_at)
            and not case.withdrawal.refund_requests.exists()
        ),
        lambda case, data, actor: cases.take_return_back(case_id=case.pk, reason=data["reason"], actor=actor),
        ReasonForm,
    ),
}
