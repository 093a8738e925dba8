"""What staff may do with a declaration, step by step: each explains itself and asks for what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.admin.base import DayField
from orders.models import WithdrawalCase, WithdrawalState
from orders.models.returns import OPEN_CASES
from orders.services.withdrawals import cases
from shop.core.amounts import localised_amount
from shop.core.staff_actions import StaffAction


class StepForm(forms.Form):
    """What a step asks about `case`; nothing but the button unless a step says more."""

    def __init__(self, *args: Any, case: WithdrawalCase, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.case = case


class ReferenceForm(StepForm):
    """Which order a declaration is about."""

    reference = forms.CharField(label=_("Référence de la commande"), min_length=8, max_length=8)


class ReasonForm(StepForm):
    """Why, for the case."""

    reason = forms.CharField(label=_("Motif"), max_length=500, widget=forms.Textarea)


class RefusalForm(ReasonForm):
    """A declaration in time ends by the customer's own words only; installments that it stopped need a decision, so
    that nobody is charged again by an oversight."""

    revocation_text = forms.CharField(
        label=_("Écrit du client qui renonce à sa rétractation"), max_length=5000, widget=forms.Textarea
    )
    revoked_on = DayField(label=_("Écrit du"))
    resume = forms.TypedChoiceField(
        label=_("Les échéances arrêtées"),
        choices=[
            ("yes", _("reprennent : la déclaration ne valait pas, ou le client l'a retirée par écrit")),
            ("no", _("restent arrêtées : elles sont perdues, sans avoir")),
        ],
        coerce=lambda answer: answer == "yes",
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if cases.needs_revocation(self.case):
            self.fields["revocation_text"].help_text = _(
                "Elle est arrivée à temps : elle met fin au contrat. Recopiez mot pour mot le courrier ou l'e-mail par "
                "lequel le client la retire ; il reste au dossier."
            )
        else:
            del self.fields["revocation_text"], self.fields["revoked_on"]
        if not self.case.voided:
            del self.fields["resume"]
            return
        self.fields["resume"].help_text = _(
            "%(amount)s. Une rétractation faite à temps met fin au contrat (article L221-27) : ne reprenez qu'avec "
            "l'accord écrit du client. Une échéance à venir est débitée au jour convenu ; celle dont le jour est passé "
            "lui est demandée par un lien de paiement."
        ) % {"amount": localised_amount(self.case.voided)}


class DayForm(StepForm):
    """The day of what was received, not in the future."""

    day = DayField(label=_("Reçu le"), initial=timezone.localdate)

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > timezone.localdate():
            raise forms.ValidationError(_("Cette date est à venir."))
        return day


@dataclass(frozen=True, slots=True)
class Step:
    """Something that staff may do with a case: its page explains it, its form asks what is needed."""

    action: StaffAction
    label: str | Promise
    explanation: str | Promise
    shown: Callable[[WithdrawalCase], bool]
    act: Callable[[WithdrawalCase, dict[str, Any], User], object]
    form: type[StepForm] = StepForm


def _moment(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time(12)))


def _open(case: WithdrawalCase) -> bool:
    return case.state in OPEN_CASES


def is_accepted(case: WithdrawalCase) -> bool:
    """Return whether the declaration took effect and its case is still open."""
    return _open(case) and case.order is not None and case.taken_up_at is not None


STEPS: dict[str, Step] = {
    "attach": Step(
        StaffAction.HANDLE_RETURN,
        _("Rattacher à une commande"),
        _(
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
    "accept": Step(
        StaffAction.DECIDE_WITHDRAWAL,
        _("Accepter malgré le retard"),
        _(
            "La loi ne vous y oblige pas. La déclaration prend alors effet comme si elle était arrivée à temps. Le "
            "motif reste dans le dossier."
        ),
        lambda case: _open(case) and case.order is not None and case.taken_up_at is None,
        lambda case, data, actor: cases.accept_late(case_id=case.pk, reason=data["reason"], actor=actor),
        ReasonForm,
    ),
    "return": Step(
        StaffAction.HANDLE_RETURN,
        _("Demander le renvoi"),
        _(
            "Les pièces sont parties après la déclaration : le client reçoit l'adresse de renvoi et le délai, et le "
            "remboursement peut attendre le retour ou sa preuve."
        ),
        lambda case: (
            is_accepted(case)
            and case.state == WithdrawalState.DECLARED
            and case.order is not None
            and case.order.goods_have_left
        ),
        lambda case, data, actor: cases.ask_return(case_id=case.pk, actor=actor),
    ),
    "ship": Step(
        StaffAction.HANDLE_RETURN,
        _("Permettre l'expédition du reste"),
        _(
            "Une commande rétractée ne peut pas être expédiée. Confirmez ici que ce que vous envoyez n'est pas "
            "concerné par la déclaration."
        ),
        lambda case: (
            is_accepted(case)
            and case.shipping_allowed_at is None
            and case.order is not None
            and not case.order.goods_have_left
        ),
        lambda case, data, actor: cases.allow_shipping(case_id=case.pk, actor=actor),
    ),
    "goods": Step(
        StaffAction.HANDLE_RETURN,
        _("Noter le retour des pièces"),
        _(
            "À partir de ce jour, le remboursement n'attend plus : remboursez dès que vous avez ouvert le colis."
        ),
        lambda case: is_accepted(case) and case.goods_received_at is None,
        lambda case, data, actor: cases.record_return(
            case_id=case.pk, goods_received=True, moment=_moment(data["day"]), actor=actor
        ),
        DayForm,
    ),
    "proof": Step(
        StaffAction.HANDLE_RETURN,
        _("Noter la preuve d'expédition"),
        _(
            "Un reçu du transporteur suffit : la loi ne permet plus d'attendre le colis pour rembourser "
            "(article L221-24)."
        ),
        lambda case: is_accepted(case) and case.shipping_proof_at is None and case.goods_received_at is None,
        lambda case, data, actor: cases.record_return(
            case_id=case.pk, goods_received=False, moment=_moment(data["day"]), actor=actor
        ),
        DayForm,
    ),
    "refuse": Step(
        StaffAction.DECIDE_WITHDRAWAL,
        _("Ne pas donner suite"),
        _(
            "Réservé à une déclaration tardive, sans commande, faite deux fois ou retirée par écrit. Le motif lui "
            "est envoyé par e-mail : écrivez-le pour lui, dans sa langue."
        ),
        _open,
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
}
