"""The daily round of the later installments: announced, charged, asked for. Its calendar is in the database.

Each payment is taken in a transaction of its own that skips rows held by another worker, so that the round may run
twice at once and on several machines.
"""

import logging
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import OPEN_PAYMENTS, Attempt, AttemptState, Order, Payment, PaymentState, StoredCard
from orders.pricing.installments import NOTICE_DAYS
from orders.selectors import installments as due
from orders.services.installments import scheduled_payments
from orders.services.payments.off_session import claim_charge, obstacle, prepare_charge
from orders.services.payments.settlement import settle
from orders.stripe import gateway
from shop.core.clocks import moment_is_misdated
from shop.core.each_row import each_row, each_step
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

logger = logging.getLogger(__name__)

Locked = Callable[[Order, Payment], Attempt | None]


def run_round(now: datetime) -> None:
    """Announce, charge and remind what today's calendar says, then detach cards that are not needed any more.

    A payment that fails keeps no other waiting. Raises GatewayUnreachable when the provider stops answering, and what
    failed: what was not reached is reached by the next run.
    """
    today = timezone.localdate(now)

    def announce(payment: Payment) -> None:
        _with_locks(payment, lambda order, current: _announce(order, current, today))

    def remind(payment: Payment) -> None:
        _with_locks(payment, lambda order, current: _remind(order, current, today))

    def charge(payment: Payment) -> None:
        charge_payment(payment, today=today)

    steps: list[Callable[[], object]] = [
        lambda: each_row(list(due.to_announce(today + timedelta(days=NOTICE_DAYS))), announce),
        lambda: each_row(list(due.to_remind(today)), remind),
    ]
    if gateway.is_configured():
        steps += [
            lambda: each_row(list(due.to_collect(today)), charge, ends=gateway.OUTAGES),
            detach_unused_cards,
        ]
    else:
        logger.error("Later installments are announced and not charged: STRIPE_SECRET_KEY is empty")
    each_step(*steps, ends=gateway.OUTAGES)


def charge_payment(payment: Payment, *, today: date) -> Attempt | None:
    """Charge one payment to the stored card; None when it was not to be charged now.

    Raises GatewayUnavailable while the outcome is unknown: reconciliation finds it.
    """
    attempt = _with_locks(payment, lambda order, current: _prepare(order, current, today))
    if attempt is None:
        return None
    return _execute(attempt)


def resume_charge(attempt: Attempt) -> None:
    """Resume a charge that a process left unfinished, wherever it stopped."""
    if attempt.state == AttemptState.PREPARED:
        _execute(attempt)
    else:
        settle(attempt.pk)


def charge_now(*, payment_id: int, actor: "User | None") -> Attempt:
    """Charge an installment whose day has come, overdue ones too, on behalf of staff. Raises Problem (409) that says
    why not."""
    today = timezone.localdate()
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True, of=("self",)).get(payments=payment_id)
        payment = Payment.objects.select_for_update(no_key=True).get(pk=payment_id)
        reason = obstacle(order, payment)
        if not reason and (payment.position == 1 or due.first_charge_day(payment) > today):
            reason = "too_early"
        if reason:
            raise Problem("charge_refused", charge_obstacle_text(reason), 409)
        attempt = prepare_charge(payment)
        record_event(order, "installment.charged_by_hand", actor=actor, position=payment.position)
    return _execute(attempt)


def charge_obstacle_text(reason: str) -> str:
    """Return why an installment can't be charged, for staff."""
    texts = {
        "not_owed": _("Cette échéance n'est plus à payer."),
        "order_closed": _("La commande n'est pas payée, ou a été annulée ou remboursée."),
        "disputed": _("Un litige est ouvert ou perdu sur cette commande : plus rien n'est débité."),
        "paused": _("Les échéances sont suspendues : reprenez-les d'abord."),
        "no_card": _("Aucune carte n'est enregistrée : envoyez le lien de paiement."),
        "card_refused": _(
            "La banque interdit tout nouvel essai sur cette carte : envoyez le lien de paiement."
        ),
        "needs_customer": _("La banque veut l'accord de son client : envoyez le lien de paiement."),
        "attempt_live": _("Un paiement de cette commande est en cours."),
        "in_review": _(
            "Un paiement de cette commande est à vérifier\u00a0: demandez d'abord son état à Stripe."
        ),
        "too_early": _("Son jour n'est pas venu : le client a accepté d'être débité à cette date."),
    }
    return texts[reason]


def detach_unused_cards() -> int:
    """Detach the cards of orders that owe nothing any more. Returns how many."""
    unused = StoredCard.objects.filter(forgotten_at=None).exclude(order__payments__state__in=OPEN_PAYMENTS)
    return each_row(unused, _detach, ends=gateway.OUTAGES)


def _detach(card: StoredCard) -> bool:
    gateway.detach_payment_method(card.payment_method_id)
    same = StoredCard.objects.filter(pk=card.pk, payment_method_id=card.payment_method_id)
    return bool(same.update(forgotten_at=timezone.now()))


def _execute(attempt: Attempt) -> Attempt:
    if claim_charge(attempt):
        settle(attempt.pk)
    attempt.refresh_from_db()
    return attempt


def _with_locks(payment: Payment, act: Locked) -> Attempt | None:
    """Runs `act` with order and payment locked and freshly read; passes by an order that somebody else holds."""
    with transaction.atomic():
        order = (
            Order.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
            .filter(pk=payment.order_id)
            .first()
        )
        if order is None:
            return None
        current = Payment.objects.select_for_update(no_key=True, of=("self",)).get(pk=payment.pk)
        return act(order, current)


def _announce(order: Order, payment: Payment, today: date) -> None:
    if payment.state != PaymentState.SCHEDULED or due.is_announced(payment):
        return
    # The same mail says when the card can't be charged; a dispute, a pause or a closed order stops the calendar.
    if obstacle(order, payment) in ("", "no_card", "card_refused", "attempt_live", "in_review"):
        scheduled_payments.announce(order=order, payment=payment, today=today)


def _remind(order: Order, payment: Payment, today: date) -> None:
    if payment.state != PaymentState.DUE or payment.next_try_on is None:
        return
    has_come = payment.stopped_code and payment.next_try_on <= today
    sent_at = payment.link_sent_at
    if not has_come and (sent_at is None or not moment_is_misdated(sent_at, timezone.now())):
        return
    if obstacle(order, payment) in ("", "no_card", "card_refused", "needs_customer"):
        scheduled_payments.remind(order=order, payment=payment)


def _prepare(order: Order, payment: Payment, today: date) -> Attempt | None:
    # Read again under the lock: another round, the customer or staff may have been quicker.
    if (
        payment.stopped_code
        or payment.announced_at is None
        or (payment.next_try_on or payment.due_on) > today
    ):
        return None
    reason = obstacle(order, payment)
    if not reason:
        return prepare_charge(payment)
    if reason in ("no_card", "card_refused"):
        code = StoredCard.objects.filter(order=order).values_list("refused_code", flat=True).first()
        scheduled_payments.stop_charging(
            order=order, payment=payment, code=code or scheduled_payments.NO_CARD
        )
    return None
