"""What staff do with a declaration: find its order, let a late one count, note the return, refund, or refuse."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import RETURN_TAKEN_BACK, record_event, refuse_missing_reason
from orders.models import OPEN_CASES, Order, RefundLine, RefundRequest, WithdrawalCase, WithdrawalState
from orders.selectors.installments import outstanding
from orders.selectors.refund_rules import RefundProposal, ReturnedLine, propose_refund
from orders.selectors.shipments import units_at_customer
from orders.selectors.withdrawal_period import exercised_on, is_in_time
from orders.selectors.withdrawals import (
    FIRST_ALERT_DAY,
    LAST_ALERT_DAY,
    days_since,
    has_left,
    is_answered,
    may_wait,
    open_cases,
)
from orders.services.installments.mails import mail_resumed
from orders.services.installments.resuming import refuse_if_not_resumable, resume_scheduled
from orders.services.refunds.decisions import request_refund, stopped_by
from orders.services.status.shipments import credit_sent_units
from orders.services.withdrawals.declarations import accept_case, reduce_for_withdrawal
from orders.services.withdrawals.mails import mail_alert, mail_refused, mail_return_instructions
from shop.core.dates import shop_day
from shop.core.each_row import each_row
from shop.core.money import ZERO
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def attach_order(*, case_id: int, reference: str, actor: User | None) -> WithdrawalCase:
    """Name the order that a declaration is about; one that came in time takes effect now.

    Raises Problem 404 `unknown_order`, 409 `case_closed`, `case_has_order` and `order_placed_later`; nothing changes
    then.
    """
    paid = Order.objects.filter(reference=reference.strip().upper(), paid_at__isnull=False)
    order_id = paid.values_list("pk", flat=True).first()
    if order_id is None:
        raise Problem("unknown_order", _("Aucune commande payée n'a cette référence."), 404)
    with _open_case(case_id, order_id=order_id) as (case, order):
        assert order is not None
        if case.order_id is not None:
            raise Problem("case_has_order", _("Cette déclaration a déjà sa commande."), 409)
        if exercised_on(case.withdrawal) < shop_day(order.created_at):
            refusal = _("La commande n'existait pas encore ce jour-là.")
            raise Problem("order_placed_later", refusal, 409)
        case.order = order
        case.in_time = is_in_time(order, exercised_on(case.withdrawal))
        case.save()
        record_event(order, "withdrawal.attached", actor=actor, withdrawal=str(case.withdrawal_id))
        if case.in_time:
            accept_case(case=case, order=order, now=timezone.now(), actor=actor)
    return case


def accept_late(*, case_id: int, reason: str, actor: User | None) -> WithdrawalCase:
    """Let a declaration count although it came after the period. Raises Problem 409 `case_closed`, `case_not_late`."""
    with _open_case(case_id) as (case, order):
        if order is None or case.taken_up_at is not None:
            raise Problem("case_not_late", _("Cette déclaration n'attend pas cette décision."), 409)
        case.decision = reason
        accept_case(case=case, order=order, now=timezone.now(), actor=actor)
    return case


def ask_return(*, case_id: int, actor: User | None) -> WithdrawalCase:
    """Ask for goods that left the workshop after the declaration; the second call changes nothing. Raises Problem 409
    `case_closed`, `case_not_shipped`, `case_not_taken_up`."""
    with _open_case(case_id) as (case, order):
        known = _require_accepted(case, order)
        if case.state == WithdrawalState.GOODS_AWAITED:
            return case
        if not has_left(known, case.withdrawal):
            raise Problem("case_not_shipped", _("Rien n'a quitté l'atelier : rien n'est à renvoyer."), 409)
        had_left = case.goods_left
        case.state = WithdrawalState.GOODS_AWAITED
        case.save()
        _credit_what_left(case, known, had_left)
        event = record_event(
            known, "withdrawal.return_asked", actor=actor, withdrawal=str(case.withdrawal_id)
        )
        mail_return_instructions(case, known, once=event.pk)
    return case


def allow_shipping(*, case_id: int, actor: User | None) -> WithdrawalCase:
    """Allow the dispatch of what the customer keeps. Raises Problem 409 `case_closed`, `case_not_taken_up`."""
    with _open_case(case_id) as (case, order):
        known = _require_accepted(case, order)
        case.shipping_allowed_at = case.shipping_allowed_at or timezone.now()
        case.save()
        record_event(known, "withdrawal.shipping_allowed", actor=actor, withdrawal=str(case.withdrawal_id))
    return case


def record_return(
    *, case_id: int, goods_received: bool, moment: datetime, actor: User | None
) -> WithdrawalCase:
    """Note that the goods are back, or that the customer proved to have sent them: from then on the refund may not wait
    (L221-24). The first date of each stays. Raises Problem 409 `case_closed`, `case_not_taken_up`."""
    with _open_case(case_id) as (case, order):
        known = _require_accepted(case, order)
        had_left = case.goods_left
        if goods_received:
            case.goods_received_at = case.goods_received_at or moment
        else:
            case.shipping_proof_at = case.shipping_proof_at or moment
        case.save()
        _credit_what_left(case, known, had_left)
        name = "withdrawal.goods_received" if goods_received else "withdrawal.proof_received"
        record_event(known, name, actor=actor, withdrawal=str(case.withdrawal_id), moment=moment.isoformat())
    return case


def take_return_back(*, case_id: int, reason: str, actor: User | None) -> WithdrawalCase:
    """Take a return back that was noted by mistake, else the proof of its sending: the refund may wait for them again.
    The journal keeps the day that was noted.

    Raises Problem 409 `case_closed`, `case_not_taken_up`, `reason_needed`, `no_return` where neither was noted, and
    `case_refunding` once a refund was decided, which relied on it; nothing changes then.
    """
    refuse_missing_reason(reason)
    with _open_case(case_id) as (case, order):
        known = _require_accepted(case, order)
        if RefundRequest.objects.filter(withdrawal=case.withdrawal_id).exists():
            raise Problem("case_refunding", _("Un remboursement est déjà décidé."), 409)
        noted = case.goods_received_at or case.shipping_proof_at
        if noted is None:
            raise Problem("no_return", _("Aucun retour n'est noté."), 409)
        if is_return := case.goods_received_at is not None:
            case.goods_received_at = None
        else:
            case.shipping_proof_at = None
        case.save()
        record_event(
            known, RETURN_TAKEN_BACK, actor=actor, withdrawal=str(case.withdrawal_id), is_return=is_return,
            moment=noted.isoformat(), reason=reason.strip(),
        )  # fmt: skip
    return case


def _credit_what_left(case: WithdrawalCase, order: Order, had_left: bool) -> None:
    """A refund may have been decided before its pieces were known to have left; once is enough."""
    if not had_left:
        lines = RefundLine.objects.filter(request__withdrawal=case.withdrawal_id)
        credit_sent_units(lines, units_at_customer(order))


def refund_case(
    *,
    case_id: int,
    lines: Sequence[ReturnedLine] | None,
    amount: Decimal | None,
    reason: str,
    actor: User | None,
    resume: bool | None = None,
    require_proof: Callable[[], None] | None = None,
) -> RefundRequest:
    """Refund a declaration: these lines, or all that is left. Two clicks decide one refund.

    `amount` is less than the lines are worth when they lost value in the customer's hands (L221-23). The case is closed
    when all the money is back. Pieces whose return was asked for were sent, whether or not they are back already.
    `require_proof` as in `request_refund`. `resume` answers, as in `refuse_case`, what becomes of installments that the
    declaration had stopped and that this refund does not credit.

    Raises Problem 409 `case_closed`, `case_not_taken_up`, `resume_undecided`, `not_resumable` and what `request_refund`
    refuses; nothing changes then.
    """
    with _open_case(case_id) as (case, order):
        known = _require_accepted(case, order)
        if uncredited := _left_stopped(case, known, lines, amount):
            if resume is None:
                raise _resume_undecided()
            if resume:
                _resume_charges(case, known, actor, uncredited, granted_less=True)
        return request_refund(
            order_id=known.pk,
            key=f"withdrawal:{case.withdrawal_id}",
            actor=actor,
            reason=reason,
            lines=lines,
            amount=amount,
            withdrawal=case.withdrawal,
            require_proof=require_proof,
        )


def close_answered(*, case_id: int, actor: User | None) -> WithdrawalCase:
    """Close a declaration as refunded whose money went back otherwise: see `is_answered`. Raises Problem 409
    `case_closed`, `case_not_answered`; nothing changes then."""
    with _open_case(case_id) as (case, order):
        if order is None or not is_answered(case):
            raise Problem("case_not_answered", _("Tout n'est pas encore rendu pour cette rétractation."), 409)
        case.state = WithdrawalState.REFUNDED
        case.save()
        record_event(order, "withdrawal.refunded", actor=actor, withdrawal=str(case.withdrawal_id))
    return case


def left_stopped(stopped: Decimal, proposal: RefundProposal) -> Decimal:
    """Return the euros of the installments that a declaration stopped and that this refund of it would not credit."""
    return max(stopped - proposal.amount, ZERO)


def _left_stopped(
    case: WithdrawalCase, order: Order, lines: Sequence[ReturnedLine] | None, amount: Decimal | None
) -> Decimal:
    """Raises what `propose_refund` refuses."""
    stopped = stopped_by(case.withdrawal)
    if not stopped:
        return ZERO
    return left_stopped(stopped, propose_refund(order, lines, amount=amount, stopped=stopped))


def refuse_case(
    *,
    case_id: int,
    reason: str,
    actor: User | None,
    resume: bool | None = None,
    revocation_text: str = "",
    revoked_on: date | None = None,
) -> WithdrawalCase:
    """Close a declaration without acting on it, and mail the customer why.

    One that came in time ends the contract (L221-27): it is refused only when the customer took it back in writing, in
    the words `revocation_text` of `revoked_on`, or when another one in force says the same.

    `resume` answers what becomes of the installments that it had stopped: they are owed again as they were agreed, and
    the customer gets a mail, or they stay stopped, a loss. What another open declaration stops stays stopped.

    Raises Problem 409 `case_closed`, `case_refunding` once a refund was decided, `revocation_needed` without those
    words, 400 `invalid_date` for a day to come or before the declaration, `resume_undecided` when installments were
    stopped and nobody said what becomes of them, and `not_resumable`; nothing changes then.
    """
    with _open_case(case_id) as (case, order):
        if RefundRequest.objects.filter(withdrawal=case.withdrawal_id).exists():
            raise Problem("case_refunding", _("Un remboursement est déjà décidé."), 409)
        if needs_revocation(case):
            _require_revocation(case, revocation_text, revoked_on)
            case.revocation_text, case.revoked_on = revocation_text.strip(), revoked_on
        if case.voided and resume is None:
            raise _resume_undecided()
        case.state = WithdrawalState.REFUSED
        case.decision = reason
        case.save()
        if order is not None:
            record_event(order, "withdrawal.refused", actor=actor, withdrawal=str(case.withdrawal_id))
            if case.voided and resume:
                _resume_charges(case, order, actor, case.voided)
        mail_refused(case)
    return case


def needs_revocation(case: WithdrawalCase) -> bool:
    """Return whether only the customer's own words end this declaration: it came in time, and no other one of the order
    that took effect and was not refused says the same, or the whole order. Up to three queries."""
    if not case.in_time:
        return False
    others = WithdrawalCase.objects.filter(order=case.order_id).exclude(pk=case.pk)
    in_force = others.exclude(taken_up_at=None).exclude(state=WithdrawalState.REFUSED)
    covering = (_declared(case), ("", frozenset[tuple[int, int]]()))
    return not any(_declared(other) in covering for other in in_force.select_related("withdrawal"))


def _declared(case: WithdrawalCase) -> tuple[str, frozenset[tuple[int, int]]]:
    lines = case.withdrawal.lines.values_list("item_id", "quantity")
    return case.goods, frozenset(lines)


def _require_revocation(case: WithdrawalCase, text: str, day: date | None) -> None:
    if not text.strip() or day is None:
        raise Problem(
            "revocation_needed",
            _(
                "Cette rétractation est arrivée à temps : elle met fin au contrat. Pour la classer sans suite, "
                "recopiez l'écrit par lequel le client y renonce, et sa date."
            ),
            409,
        )
    if not exercised_on(case.withdrawal) <= day <= timezone.localdate():
        refusal = _("L'écrit du client ne peut être ni à venir ni avant sa rétractation.")
        raise Problem("invalid_date", refusal, errors={"revoked_on": [refusal]})


def _resume_undecided() -> Problem:
    return Problem("resume_undecided", _("Dites si les échéances arrêtées reprennent."), 409)


def _resume_charges(
    case: WithdrawalCase, order: Order, actor: User | None, amount: Decimal, *, granted_less: bool = False
) -> None:
    """So much of what the declaration stopped is owed again, except for what others of the order stop in its place."""
    refuse_if_not_resumable(order)
    case.voided -= resume_scheduled(order=order, amount=amount, actor=actor)
    case.save(update_fields=["voided", "updated_at"])
    others = open_cases(order).exclude(pk=case.pk).exclude(taken_up_at=None)
    for other in others.select_for_update(of=("self",)):
        other.voided += reduce_for_withdrawal(order, other)
        other.save(update_fields=["voided", "updated_at"])
    if outstanding(order):
        mail_resumed(order, once=str(case.withdrawal_id), granted_less=granted_less)


def alert_open_cases(now: datetime) -> int:
    """Mail the workshop about cases that are ten and fourteen days old, once each; returns how many mails were
    written."""
    due = WithdrawalCase.objects.filter(state__in=OPEN_CASES, alerted_day__lt=LAST_ALERT_DAY)

    def alert(case_id: int) -> bool:
        with transaction.atomic():
            case = (
                WithdrawalCase.objects.select_for_update(of=("self",))
                .select_related("withdrawal", "order")
                .get(pk=case_id)
            )
            passed = days_since(case, timezone.localdate(now))
            day = next((day for day in (LAST_ALERT_DAY, FIRST_ALERT_DAY) if passed >= day), 0)
            if case.state not in OPEN_CASES or day <= case.alerted_day:
                return False
            case.alerted_day = day
            case.save(update_fields=["alerted_day", "updated_at"])
            mail_alert(case, day=day, waiting=may_wait(case))
        return True

    return each_row(due.values_list("pk", flat=True), alert)


@contextmanager
def _open_case(
    case_id: int, *, order_id: uuid.UUID | None = None
) -> Iterator[tuple[WithdrawalCase, Order | None]]:
    """The case with its order, both locked, the order first. Raises Problem 409 `case_closed`."""
    with transaction.atomic():
        if order_id is None:
            order_id = WithdrawalCase.objects.values_list("order_id", flat=True).get(pk=case_id)
        order = None if order_id is None else Order.objects.select_for_update(no_key=True).get(pk=order_id)
        case = (
            WithdrawalCase.objects.select_for_update(of=("self",))
            .select_related("withdrawal")
            .get(pk=case_id)
        )
        if case.state not in OPEN_CASES:
            raise Problem("case_closed", _("Cette déclaration est déjà traitée."), 409)
        yield case, order


def _require_accepted(case: WithdrawalCase, order: Order | None) -> Order:
    if order is None or case.taken_up_at is None:
        raise Problem(
            "case_not_taken_up",
            _("Rattachez d'abord la déclaration à une commande, ou acceptez-la si elle est tardive."),
            409,
        )
    return order
