"""The later installments of an order: received, refused, announced, moved, voided, written off.

Functions that are given an order run in their caller's transaction, with the order's row locked.
"""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import (
    LIVE_ATTEMPTS,
    OPEN_PAYMENTS,
    Attempt,
    AttemptKind,
    AttemptState,
    Order,
    Payment,
    PaymentState,
    StoredCard,
)
from orders.pricing.dunning import AUTHENTICATION_REQUIRED, MAX_TRIES, RESUMED, Refusal, classify, next_step
from orders.pricing.installments import charge_day
from orders.selectors.installments import charge_day_has_come, is_disputed, latest_day, open_pause
from orders.services.installments import mails
from orders.services.installments.mails import mail_link
from shop.core.clocks import moment_is_misdated
from shop.core.enqueue import enqueue_after_commit
from shop.core.money import ZERO, to_cents
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

NO_CARD = "no_card"
NOT_ACCEPTED = "not_accepted"
"""The provider refused the call itself: staff look, the customer is not bothered."""


def void_scheduled(*, order: Order, reason: str) -> Decimal:
    """Void every payment of the order that is not paid yet; returns the euros that will not be collected.

    Call it with the order's row locked, in the transaction that records why (`reason` is the journal's dotted name).
    Every payment not yet paid becomes `void`. An attempt that the provider has not received is dropped here; an open
    payment page is closed once the transaction is committed; a charge that is under way and succeeds goes back by
    itself. Repeating it changes nothing and returns 0.
    """
    payments = lock_open_payments(order)
    if not payments:
        return ZERO
    voided = sum((payment.amount for payment in payments), ZERO)
    ids = [payment.pk for payment in payments]
    Attempt.objects.filter(payment__in=ids, state=AttemptState.PREPARED).update(
        state=AttemptState.CANCELLED, settled_at=timezone.now()
    )
    Payment.objects.filter(pk__in=ids).update(state=PaymentState.VOID, next_try_on=None)
    record_event(
        order,
        "installments.voided",
        reason=reason,
        amount=str(voided),
        positions=[payment.position for payment in payments],
    )
    if Attempt.objects.filter(payment__in=ids, state__in=LIVE_ATTEMPTS).exists():
        enqueue_after_commit("orders.tasks.close_void_attempts", str(order.pk))
    return voided


def receive_installment(*, order: Order, payment: Payment, attempt: Attempt, paid_at: datetime) -> bool:
    """Record a later installment as paid at `paid_at`. False when it isn't owed any more, and must be refunded.

    An attempt that pays everything off makes one payment of all that are open: a charge and its payment have the same
    amount, so that refunds and books need not know of it.
    """
    if payment.state not in (*OPEN_PAYMENTS, PaymentState.WRITTEN_OFF):
        return False
    others = (
        [other for other in lock_open_payments(order) if other.pk != payment.pk] if attempt.pays_off else []
    )
    if to_cents(payment.amount + sum((other.amount for other in others), ZERO)) != attempt.amount_cents:
        return False
    for other in others:
        payment.amount += other.amount
        other.state = PaymentState.VOID
        other.merged_into = payment
        other.next_try_on = None
        other.save(update_fields=["state", "merged_into", "next_try_on"])
    payment.state = PaymentState.PAID
    payment.paid_at = paid_at
    payment.next_try_on = None
    payment.stopped_code = ""
    payment.save(update_fields=["amount", "state", "paid_at", "next_try_on", "stopped_code"])
    record_event(
        order,
        "installment.paid",
        position=payment.position,
        amount=str(payment.amount),
        with_it=[other.position for other in others],
    )
    mails.mail_received(order, payment)
    return True


def restore_scheduled(*, order: Order) -> None:
    """Schedule the installments again, as agreed: the order was closed before anything was paid, which voided all."""
    Payment.objects.filter(order=order, position__gt=1).update(state=PaymentState.SCHEDULED)


def record_refusal(*, order: Order, payment: Payment, attempt: Attempt) -> None:
    """Record that the bank refused a charge: try again later, or ask the customer; at the end, mail staff."""
    refusal = classify(attempt.error_code, attempt.advice_code)
    record_event(
        order,
        "installment.refused",
        position=payment.position,
        code=attempt.error_code,
        advice=attempt.advice_code,
    )
    if refusal == Refusal.CARD_IS_DEAD:
        StoredCard.objects.filter(order=order).update(refused_code=attempt.error_code[:60])
    # While the payments are suspended nothing is asked for: the mail that ends the pause has the next day. Nor is it
    # while a bank disputes one of them.
    if payment.state not in OPEN_PAYMENTS or open_pause(order) is not None or is_disputed(order):
        return
    if payment.state == PaymentState.SCHEDULED and payment.due_on > timezone.localdate():
        # Its day was moved while the bank was asked: it is charged then.
        return
    tries = payment.attempts.filter(kind=AttemptKind.OFF_SESSION, state=AttemptState.FAILED).count()
    stopped = "" if refusal == Refusal.RETRY else attempt.error_code[:60]
    _ask_customer(order, payment, code=attempt.error_code, stopped=stopped, exhausted=tries >= MAX_TRIES)


def stop_charging(*, order: Order, payment: Payment, code: str) -> None:
    """Mail the payment link for a payment whose day has come and that the card can't pay (`code` says why)."""
    _ask_customer(order, payment, code=code, stopped=code[:60], exhausted=False)


def remind(*, order: Order, payment: Payment) -> None:
    """Mail once more how a refused payment goes on."""
    refused = payment.attempts.filter(state=AttemptState.FAILED).order_by("-number")
    code = payment.stopped_code or refused.values_list("error_code", flat=True).first() or ""
    _ask_customer(order, payment, code=code, stopped=payment.stopped_code, exhausted=False)


def hold_charging(*, payment: Payment) -> None:
    """Stop charging a payment whose call the provider did not accept, until staff have looked. What was stopped while
    the provider was asked is not owed again."""
    if payment.state not in OPEN_PAYMENTS:
        return
    payment.state = PaymentState.DUE
    payment.stopped_code = NOT_ACCEPTED
    payment.next_try_on = None
    payment.save(update_fields=["state", "stopped_code", "next_try_on"])


def not_accepted(order: Order) -> QuerySet[Payment]:
    """Return the installments of which the provider did not accept the call: nobody collects them but staff."""
    return Payment.objects.filter(order=order, state__in=OPEN_PAYMENTS, stopped_code=NOT_ACCEPTED)


def _ask_customer(order: Order, payment: Payment, *, code: str, stopped: str, exhausted: bool) -> None:
    now = timezone.now()
    today = timezone.localdate(now)
    if payment.link_sent_at is None or moment_is_misdated(payment.link_sent_at, now):
        payment.link_sent_at = now
    step = None if exhausted else next_step(first=timezone.localdate(payment.link_sent_at), today=today)
    # This mail names the next day, also where a new calendar took the announcement back.
    payment.announced_at = payment.announced_at or now
    payment.next_try_on = step
    payment.stopped_code = stopped if step else (stopped or code[:60] or NO_CARD)
    payment.state = PaymentState.DUE if step else PaymentState.OVERDUE
    payment.save(update_fields=["state", "stopped_code", "next_try_on", "link_sent_at", "announced_at"])
    if step is None:
        record_event(order, "installment.overdue", position=payment.position, code=code)
        mails.mail_overdue(order, payment)
        mails.mail_overdue_alert(order, payment, code)
    elif code == RESUMED:
        mails.mail_link(order, payment, once=today.isoformat())
    else:
        mails.mail_refused(
            order,
            payment,
            code=code,
            retry_on=None if stopped else step,
            asks_bank=code == AUTHENTICATION_REQUIRED,
        )


def announce(*, order: Order, payment: Payment, today: date) -> None:
    """Mail the customer which amount is charged on which day: later than agreed when it is told late, and by the link
    what could only be charged after the fifty days."""
    day = charge_day(payment.due_on, today)
    if payment.state == PaymentState.SCHEDULED and day > latest_day(order):
        # A later day granted now may be a credit of its own (L312-4 4°): its customer pays it.
        stop_charging(order=order, payment=payment, code=RESUMED)
        return
    payment.announced_at = timezone.now()
    if payment.state == PaymentState.DUE:
        delay_step(payment, day)
    else:
        payment.next_try_on = day if day != payment.due_on else None
    payment.save(update_fields=["announced_at", "next_try_on", "link_sent_at"])
    mails.mail_reminder(order, payment, day)


def delay_step(payment: Payment, day: date) -> None:
    """Have the next step after a refusal on a later day, and those that follow it as many days later: nothing was
    collected for a while. The caller saves."""
    if payment.link_sent_at is not None and payment.next_try_on is not None:
        payment.link_sent_at = min(payment.link_sent_at + (day - payment.next_try_on), timezone.now())
    payment.next_try_on = day


def announce_anew(*, order: Order) -> None:
    """Announce once more those that could not be charged on their day, and remind anew of those that only their
    customer can pay: nothing was collected for a while, and a charge follows its announcement by three days. A dispute
    that goes on, or is lost, changes nothing; during a pause the mail that ends it names the next day."""
    if is_disputed(order) or open_pause(order) is not None:
        return
    today = timezone.localdate()
    # A charge under way was announced, and is tried again after a refusal as any other.
    missed = Payment.objects.filter(charge_day_has_come(today), order=order, position__gt=1).exclude(
        attempts__state__in=LIVE_ATTEMPTS
    )
    for payment in missed.filter(state__in=(PaymentState.SCHEDULED, PaymentState.DUE)).order_by("position"):
        if not payment.stopped_code:
            announce(order=order, payment=payment, today=today)
        elif payment.next_try_on is not None:
            # The daily round reminds of it.
            delay_step(payment, today)
            payment.save(update_fields=["next_try_on", "link_sent_at"])


def cap_due_dates(*, order: Order) -> None:
    """Move installments that are due later than fifty days after the first of the goods left to that day, each with a
    mail; during a pause without, for its end tells all days. What can't be announced for that day any more is paid by
    the link."""
    limit = latest_day(order)
    next_round = timezone.localdate() + timedelta(days=1)
    can_be_charged = charge_day(limit, next_round) == limit
    is_paused = open_pause(order) is not None
    for payment in lock_open_payments(order):
        if payment.state != PaymentState.SCHEDULED or payment.due_on <= limit:
            continue
        payment.moved_from = payment.moved_from or payment.due_on
        payment.due_on = limit
        payment.announced_at = None
        payment.next_try_on = None
        payment.save(update_fields=["due_on", "moved_from", "announced_at", "next_try_on"])
        event = record_event(order, "installment.moved", position=payment.position, due_on=limit.isoformat())
        if is_paused:
            continue
        if can_be_charged:
            mails.mail_moved(order, payment, once=str(event.pk))
        else:
            stop_charging(order=order, payment=payment, code=RESUMED)


def write_off(*, order: Order, payment: Payment, actor: "User | None", reason: str) -> None:
    """Write an installment off, at the amount that it has: it is not collected any more."""
    payment.state = PaymentState.WRITTEN_OFF
    payment.next_try_on = None
    payment.save(update_fields=["amount", "state", "next_try_on"])
    record_event(
        order, "installment.written_off", actor=actor, position=payment.position, reason=reason[:500]
    )


def send_link(*, payment_id: int, actor: "User | None") -> None:
    """Mail the customer the page where the installment is paid. Raises Problem 409 when it isn't owed, while the
    payments are suspended, and when the customer's bank disputes one."""
    with transaction.atomic():
        order, payment = _locked(payment_id)
        if open_pause(order) is not None:
            raise Problem(
                "installments_paused", _("Les échéances sont suspendues : reprenez-les d'abord."), 409
            )
        if is_disputed(order):
            raise Problem(
                "disputed",
                _("Un litige est ouvert ou perdu sur cette commande : plus rien n'est réclamé."),
                409,
            )
        event = record_event(order, "installment.link_sent", actor=actor, position=payment.position)
        mail_link(order, payment, once=str(event.pk))


def write_off_payment(*, payment_id: int, actor: "User | None", reason: str) -> None:
    """Write an installment off. Raises Problem 409 when it isn't owed, or while somebody is paying it."""
    with transaction.atomic():
        order, payment = _locked(payment_id)
        if Attempt.objects.filter(payment__order=order, state__in=LIVE_ATTEMPTS).exists():
            raise Problem("payment_in_progress", _("Un paiement de cette commande est en cours."), 409)
        write_off(order=order, payment=payment, actor=actor, reason=reason)


def _locked(payment_id: int) -> tuple[Order, Payment]:
    order = Order.objects.select_for_update(no_key=True, of=("self",)).get(payments=payment_id)
    payment = Payment.objects.select_for_update(no_key=True, of=("self",)).get(pk=payment_id)
    if payment.state not in OPEN_PAYMENTS or payment.position == 1:
        raise Problem("not_owed", _("Cette échéance n'est plus à payer."), 409)
    return order, payment


def lock_open_payments(order: Order) -> list[Payment]:
    """Lock and return what an order still owes, in the order of its calendar."""
    payments = Payment.objects.select_for_update(no_key=True).filter(order=order, state__in=OPEN_PAYMENTS)
    return list(payments.order_by("position"))
