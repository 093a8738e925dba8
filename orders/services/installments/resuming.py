"""Collecting again what a declaration stopped that has no effect after all.

What was agreed applies: amounts, days, notice, fifty days after dispatch. Nothing is rescheduled, for a delay granted
afterwards may be a credit of its own (Code de la consommation, L312-4 4°): an installment whose day is still to come is
charged on that day, one whose day has passed is due now, by the link.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import OPEN_PAYMENTS, PAID_STATUSES, Order, Payment, PaymentState
from orders.pricing.dunning import RESUMED, next_step
from orders.pricing.installments import NOTICE_DAYS, OwedPart, charge_day, plan, restore_parts
from orders.selectors.installments import being_paid, is_disputed, latest_day, open_pause
from shop.core.money import ZERO, amount_string
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def refuse_if_not_resumable(order: Order) -> None:
    """Raise Problem 409 `not_resumable` for an order that nothing may be collected for any more."""
    if is_disputed(order) or order.status not in PAID_STATUSES:
        raise Problem(
            "not_resumable",
            _("Un litige, une annulation ou un remboursement empêche de reprendre les échéances."),
            409,
        )


def resume_scheduled(*, order: Order, amount: Decimal, actor: User | None) -> Decimal:
    """Make up to `amount` euros that were stopped owed again; returns how many. No mail is written.

    Call it with the order's row locked. What is taken off is taken off the latest installment first, so the earliest
    ones are filled first, each up to what was agreed. An installment that is being paid at this moment keeps its
    amount.
    """
    agreed = {
        position: part.amount
        for position, part in enumerate(plan(order.total, timezone.localdate()), start=1)
    }
    installments = Payment.objects.select_for_update(no_key=True).filter(
        Q(state=PaymentState.VOID, merged_into=None) | Q(state__in=OPEN_PAYMENTS), order=order, position__gt=1
    )
    rows = list(installments.order_by("position"))
    busy = being_paid([payment for payment in rows if payment.state in OPEN_PAYMENTS])
    waiting = [
        (payment, payment.amount if payment.state in OPEN_PAYMENTS else ZERO)
        for payment in rows
        if payment.pk not in busy
    ]
    filled = restore_parts(
        [OwedPart(owed, agreed.get(payment.position, ZERO)) for payment, owed in waiting], amount
    )
    resumed, positions = ZERO, []
    now = timezone.now()
    notice = timezone.localdate(now) + timedelta(days=NOTICE_DAYS)
    is_paused = open_pause(order) is not None
    for (payment, owed), owed_again in zip(waiting, filled, strict=True):
        if owed_again == owed:
            continue
        payment.amount = owed_again
        if payment.state in (PaymentState.VOID, PaymentState.SCHEDULED):
            schedule_payment(order, payment, now, announce=not is_paused)
        elif payment.next_try_on is not None:
            # Its next try was announced with less than is owed now.
            payment.next_try_on = max(payment.next_try_on, notice)
        payment.save()
        resumed += owed_again - owed
        positions.append(payment.position)
    if resumed:
        record_event(
            order, "installments.restored", actor=actor, amount=amount_string(resumed), positions=positions
        )
    return resumed


def schedule_payment(order: Order, payment: Payment, now: datetime, *, announce: bool = True) -> None:
    """Set a payment to be charged on its agreed day when that can still be announced, else due by the payment link.

    The caller saves the payment, and mails the customer; without `announce` it waits, unannounced, for that.
    """
    today = timezone.localdate(now)
    limit = latest_day(order)
    if payment.due_on > limit:
        payment.moved_from = payment.moved_from or payment.due_on
        payment.due_on = limit
    day = charge_day(payment.due_on, today)
    payment.announced_at, payment.next_try_on, payment.link_sent_at, payment.stopped_code = (
        None,
        None,
        None,
        "",
    )
    if not announce:
        payment.state = PaymentState.SCHEDULED
    elif payment.due_on < today or day > limit:
        payment.state = PaymentState.DUE
        payment.stopped_code = RESUMED
        payment.link_sent_at = now
        payment.next_try_on = next_step(first=today, today=today)
    else:
        payment.state = PaymentState.SCHEDULED
        if payment.due_on <= today + timedelta(days=NOTICE_DAYS):
            # The mail about it is its announcement.
            payment.announced_at = now
            payment.next_try_on = day if day != payment.due_on else None
