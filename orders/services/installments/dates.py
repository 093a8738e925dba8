"""The calendar of an order in installments: capped by its dispatch, suspended, and put back.

A pause stops the clock: what falls due after its beginning falls due as many days later as it lasted, never later than
fifty days after dispatch (Code de la consommation, L312-4 4°). Dispatch ends it, and the clock stands still until the
goods should have arrived, for payment may be suspended until they are delivered (L216-6). Functions without an order's
id run in their caller's transaction, with the order's row locked.
"""

import uuid
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event, refuse_missing_reason
from orders.models import InstallmentPause, Order, PausedBy, PauseEnd, Payment, PaymentState
from orders.pricing.installments import NOTICE_DAYS
from orders.selectors.installments import delivery_is_late, is_disputed, open_pause, outstanding
from orders.selectors.workshop import arrival_day
from orders.services.installments.mails import mail_calendar, mail_if_card_expires
from orders.services.installments.resuming import refuse_if_not_resumable, schedule_payment
from orders.services.installments.scheduled_payments import cap_due_dates, delay_step, lock_open_payments
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def pause_installments(
    *, order_id: uuid.UUID, by: PausedBy, actor: "User | None" = None, reason: str = ""
) -> InstallmentPause:
    """Collect nothing more until the pause ends; the second call returns the first pause.

    A charge that the provider has received before goes on. Raises Problem 409 `nothing_due`, `delivery_not_late` for a
    customer whose order is not late, `reason_needed` for staff without one, and Order.DoesNotExist.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        known = open_pause(order)
        if known is not None:
            return known
        if not order.is_paid or not outstanding(order):
            raise Problem("nothing_due", _("Cette commande n'a plus rien à payer."), 409)
        if by == PausedBy.CUSTOMER and not delivery_is_late(order):
            raise Problem(
                "delivery_not_late",
                _("Vos échéances peuvent être suspendues quand la date de livraison promise est passée."),
                409,
            )
        if by == PausedBy.STAFF:
            refuse_missing_reason(reason)
        pause = InstallmentPause.objects.create(
            order=order, started_by=by, actor=actor, reason=reason.strip()[:500]
        )
        record_event(order, "installments.paused", actor=actor, by=str(by), reason=pause.reason)
        mail_calendar(order, why="paused", once=f"{pause.pk}:start")
    return pause


def resume_installments(*, order_id: uuid.UUID, by: PauseEnd, actor: "User | None" = None) -> None:
    """End the open pause and mail the customer the new days; without one nothing changes. Raises Problem 409
    `not_resumable` while a bank disputes a payment, for nothing is charged on any day then, and Order.DoesNotExist."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        pause = open_pause(order)
        if pause is not None:
            refuse_if_not_resumable(order)
            _end_pause(order, pause, by=by, actor=actor)


def advance_due_dates(*, order: Order) -> None:
    """End a pause at dispatch, and move what is due later than fifty days after it to that day."""
    pause = open_pause(order)
    if pause is not None:
        _end_pause(order, pause, by=PauseEnd.DISPATCH, actor=None)
        return
    cap_due_dates(order=order)


def restore_dates(*, order: Order) -> None:
    """Undo `advance_due_dates`: what dispatch moved has its former day, a pause that it ended goes on; one that was
    begun since, and is open, goes on from the beginning of that one.

    What was charged meanwhile stays charged. Another parcel that left caps those days as each is set.
    """
    pauses = list(order.installment_pauses.order_by("-started_at", "-pk")[:2])
    if pauses and pauses[0].ended_by == PauseEnd.DISPATCH:
        pauses[0].ended_at, pauses[0].ended_by = None, ""
        pauses[0].save(update_fields=["ended_at", "ended_by"])
    elif len(pauses) == 2 and pauses[0].ended_at is None and pauses[1].ended_by == PauseEnd.DISPATCH:
        pauses[0].started_at = pauses[1].started_at
        pauses[0].save(update_fields=["started_at"])
    # What a withdrawal has stopped may be owed again, on the day that was agreed.
    stopped = Payment.objects.filter(order=order, state=PaymentState.VOID, moved_from__isnull=False)
    stopped.update(due_on=F("moved_from"), moved_from=None)
    now, disputed = timezone.now(), is_disputed(order)
    moved = [payment for payment in lock_open_payments(order) if payment.moved_from is not None]
    for payment in moved:
        assert payment.moved_from is not None
        payment.due_on, payment.moved_from = payment.moved_from, None
        schedule_payment(order, payment, now, announce=not disputed and open_pause(order) is None)
        payment.save()
    if not moved:
        return
    event = record_event(
        order, "installments.dates_restored", positions=[payment.position for payment in moved]
    )
    # Nothing is charged on any day while a bank disputes a payment; what is still owed then is announced later.
    if not disputed:
        mail_calendar(order, why="dispatch_undone", once=f"dates:{event.pk}")


def _end_pause(order: Order, pause: InstallmentPause, *, by: PauseEnd, actor: "User | None") -> None:
    now = timezone.now()
    started, today = timezone.localdate(pause.started_at), timezone.localdate(now)
    until = _arrival(order, today) if by == PauseEnd.DISPATCH else today
    pause.ended_at, pause.ended_by = now, by
    pause.save(update_fields=["ended_at", "ended_by"])
    for payment in lock_open_payments(order):
        _reschedule(order, payment, started=started, until=until, now=now, dispatched=by == PauseEnd.DISPATCH)
    record_event(order, "installments.unpaused", actor=actor, by=str(by), days=(until - started).days)
    if outstanding(order):
        mail_calendar(order, why="resumed", once=f"{pause.pk}:end:{now.isoformat()}")
        mail_if_card_expires(order)


def _arrival(order: Order, today: date) -> date:
    """The day by which goods of which the last have just left should be there; today for what was handed over."""
    if order.shipped_at is None:
        return today
    return max(today, arrival_day(order, timezone.localdate(order.shipped_at)))


def _reschedule(
    order: Order, payment: Payment, *, started: date, until: date, now: datetime, dispatched: bool
) -> None:
    if payment.state == PaymentState.SCHEDULED:
        # Of a former pause, too: dispatch put off what it had suspended.
        agreed = max(payment.moved_from or payment.due_on, payment.due_on)
        # Undoing the dispatch brings this day back, and the pause with it.
        payment.moved_from = agreed if dispatched else None
        payment.due_on = agreed + (until - started) if agreed >= started else agreed
        schedule_payment(order, payment, now)
        if payment.moved_from == payment.due_on:
            payment.moved_from = None
    elif payment.next_try_on is not None:
        # Late before the pause: its next step is announced by the mail that ends the pause.
        notice = timezone.localdate(now) + timedelta(days=NOTICE_DAYS)
        delay_step(payment, max(payment.next_try_on, notice, until))
    payment.save()
