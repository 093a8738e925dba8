"""What an order still owes, and the calendar that its customer and the shop see."""

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from orders.models import (
    CLOSED_STATUSES,
    LIVE_ATTEMPTS,
    OPEN_PAYMENTS,
    PAID_STATUSES,
    Attempt,
    Dispute,
    DisputeState,
    InstallmentPause,
    Order,
    Payment,
    PaymentMode,
    PaymentState,
    RefundRequest,
    StoredCard,
)
from orders.models.payment import COLLECTED_PAYMENTS
from orders.pricing.installments import Installment, charge_day, last_day
from orders.selectors.refund_debts import took_effect
from orders.selectors.workshop import overdue_among
from shop.core.clocks import is_misdated, moment_is_misdated
from shop.core.money import ZERO, quantize


@dataclass(frozen=True, slots=True)
class CalendarRow:
    """A payment as people see it. `paid_early`: the customer paid it together with an earlier one. What is `by_link` is
    charged to no card."""

    payment: Payment
    is_open: bool
    is_late: bool
    paid_early: bool

    @property
    def day(self) -> date:
        """When it is charged: as agreed, or the next try after a refusal."""
        payment = self.payment
        waits = payment.next_try_on if self.is_open and not payment.stopped_code else None
        return waits or payment.due_on

    @property
    def is_advanced(self) -> bool:
        """Whether dispatch brought its day forward; with the end of a pause it puts off."""
        former = self.payment.moved_from
        return self.is_open and former is not None and former > self.payment.due_on

    @property
    def by_link(self) -> bool:
        return self.is_open and bool(self.payment.stopped_code)

    @property
    def is_refused(self) -> bool:
        """Whether the bank refused it, and its card is tried again."""
        payment = self.payment
        return payment.state == PaymentState.DUE and payment.next_try_on is not None and not self.by_link

    @property
    def is_missed(self) -> bool:
        """Whether its day has come, and it was not paid."""
        return self.is_late or self.is_refused


@dataclass(frozen=True, slots=True)
class Calendar:
    """The installments of an order, its stored card, what is left to pay in euros, what of them was `credited` instead,
    and the pause in which nothing is charged.

    `charged_card`: the card that what is left is charged to; None without one, when it was refused for good, and while
    a payment is disputed (`is_disputed`). `is_settled`: whether all was collected, or a part of it credited, and none
    is open, was given up or waits for a decision.
    """

    rows: tuple[CalendarRow, ...]
    card: StoredCard | None
    charged_card: StoredCard | None
    outstanding: Decimal
    credited: Decimal = ZERO
    is_settled: bool = False
    pause: InstallmentPause | None = None
    is_disputed: bool = False

    @property
    def is_suspended(self) -> bool:
        """Whether nothing of it is charged or asked for on any day for now."""
        return self.is_disputed or self.pause is not None

    @property
    def next_open(self) -> CalendarRow | None:
        """The first payment still to be made."""
        return next((row for row in self.rows if row.is_open), None)

    @property
    def is_missed(self) -> bool:
        """Whether the first payment still to be made was not paid on its day, and is asked for."""
        row = self.next_open
        return row is not None and row.is_missed and not self.is_suspended

    @property
    def open_count(self) -> int:
        return sum(row.is_open for row in self.rows)

    @property
    def paid_count(self) -> int:
        """Payments made, those that another one paid early included."""
        return sum(row.payment.paid_at is not None or row.paid_early for row in self.rows)

    @property
    def card_ends_early(self) -> bool:
        """Whether the stored card ends before the last payment that it is to make."""
        days = [row.payment.due_on for row in self.rows if row.is_open]
        return self.card is not None and bool(days) and self.card.ends_before(max(days))


def open_pause(order: Order) -> InstallmentPause | None:
    """Return the pause in which nothing is collected of the order now. One query."""
    return InstallmentPause.objects.filter(order=order, ended_at=None).first()


def suspended_payments() -> QuerySet[Payment]:
    """Return the payments still to be made of orders in a pause, which goes on where all was paid or stopped meanwhile:
    it may be owed again."""
    paused = InstallmentPause.objects.filter(ended_at=None)
    return Payment.objects.filter(state__in=OPEN_PAYMENTS, order__in=paused.values("order"))


def delivery_is_late(order: Order) -> bool:
    """Return whether its customer may suspend payment, as the delivery is late (`is_overdue`). At most one query."""
    return order.pk in overdue_among([order])


def may_pause(order: Order, plan: Calendar | None) -> bool:
    """Return whether its customer may suspend payment now: something is to be paid, nothing suspends it yet, and the
    delivery is late. At most one query."""
    return plan is not None and bool(plan.outstanding) and not plan.is_suspended and delivery_is_late(order)


def outstanding(order: Order) -> Decimal:
    """Return what is still to be collected for the order, in euros. One query."""
    owed = Payment.objects.filter(order=order, state__in=OPEN_PAYMENTS).aggregate(owed=Sum("amount"))["owed"]
    return quantize(owed) if owed is not None else ZERO


def first_charge_day(payment: Payment) -> date:
    """Return the day of an installment's first charge as its customer was told it, or could be today: later than agreed
    when that was told late. No query."""
    if payment.state != PaymentState.SCHEDULED:
        return payment.due_on
    if not is_announced(payment):
        return charge_day(payment.due_on, timezone.localdate())
    return payment.next_try_on or payment.due_on


def latest_day(order: Order) -> date:
    """Return the latest day on which an installment may fall: the fiftieth after the first of the goods left, any while
    all are here. No query."""
    left_at = order.supplied_at
    return date.max if left_at is None else last_day(timezone.localdate(left_at))


def being_paid(payments: Collection[Payment]) -> set[int]:
    """Return the keys of those open payments of one order that are collected at this moment: all of them by a page that
    pays everything off. One query."""
    live = Attempt.objects.filter(payment__in=payments, state__in=LIVE_ATTEMPTS)
    collecting = dict(live.values_list("payment", "pays_off"))
    return {payment.pk for payment in payments} if any(collecting.values()) else set(collecting)


def calendar(order: Order) -> Calendar | None:
    """Return the calendar of an order in installments, None for any other. The queries of `calendars`."""
    return calendars([order]).get(order.pk)


def calendars(orders: Iterable[Order]) -> dict[uuid.UUID, Calendar]:
    """Return the calendars of those orders that are paid in installments, by the order's key. Two queries, none when no
    order is; one more where one is over and was not paid whole, and for each whose payments are not prefetched."""
    wanted = [order for order in orders if order.payment_mode == PaymentMode.INSTALLMENTS]
    if not wanted:
        return {}
    pauses = {
        pause.order_id: pause for pause in InstallmentPause.objects.filter(order__in=wanted, ended_at=None)
    }
    states = (
        Order.objects.filter(pk__in=[order.pk for order in wanted])
        .select_related("card")
        .annotate(is_disputed=Exists(_disputes().filter(order=OuterRef("pk"))))
        .in_bulk()
    )
    payments = {
        order.pk: sorted(order.payments.all(), key=lambda payment: payment.position) for order in wanted
    }
    short = {order.pk: _short_of(order, payments[order.pk]) for order in wanted}
    credited = _credited([order for order in wanted if short[order.pk]])
    return {
        order.pk: _calendar(
            order,
            payments[order.pk],
            short[order.pk],
            credited.get(order.pk, ZERO),
            getattr(states[order.pk], "card", None),
            pauses.get(order.pk),
            is_disputed=states[order.pk].is_disputed,
        )
        for order in wanted
    }


def _short_of(order: Order, payments: list[Payment]) -> Decimal:
    """The euros that were not collected of an order of which something was and nothing is owed any more."""
    collected = [payment.amount for payment in payments if payment.state in COLLECTED_PAYMENTS]
    if not collected or any(payment.state in OPEN_PAYMENTS for payment in payments):
        return ZERO
    return order.total - sum(collected, ZERO)


def _credited(orders: Collection[Order]) -> dict[uuid.UUID, Decimal]:
    """The euros of installments that decisions credited instead, by order."""
    if not orders:
        return {}
    decided = RefundRequest.objects.filter(took_effect(), order__in=orders).order_by()
    rows = decided.values_list("order").annotate(voided=Sum("voided"))
    return {order_id: quantize(voided) for order_id, voided in rows}


def _calendar(
    order: Order,
    payments: list[Payment],
    short: Decimal,
    credited: Decimal,
    stored: StoredCard | None,
    pause: InstallmentPause | None,
    *,
    is_disputed: bool,
) -> Calendar:
    card = stored if stored and stored.forgotten_at is None else None
    today = timezone.localdate()
    rows = tuple(
        CalendarRow(
            payment=payment,
            is_open=payment.state in OPEN_PAYMENTS,
            is_late=payment.state in OPEN_PAYMENTS
            and (
                payment.state == PaymentState.OVERDUE
                or (bool(payment.stopped_code) and payment.due_on <= today)
            ),
            paid_early=payment.merged_into_id is not None,
        )
        for payment in payments
    )
    left = sum((row.payment.amount for row in rows if row.is_open), ZERO)
    return Calendar(
        rows=rows,
        card=card,
        charged_card=None if card is None or card.refused_code or is_disputed else card,
        outstanding=left,
        credited=credited,
        is_settled=not left
        and any(payment.state in COLLECTED_PAYMENTS for payment in payments)
        and short == credited
        and not (credited and order.status in CLOSED_STATUSES),
        pause=pause,
        is_disputed=is_disputed,
    )


def needs_card(order: Order) -> bool:
    """Return whether a card may still be charged for later payments of an order: else none is stored.

    At most two queries. The order must be freshly read, under its lock where the answer is acted on.
    """
    if (
        order.status not in PAID_STATUSES
        or not _collectable().filter(order=order, state__in=OPEN_PAYMENTS).exists()
    ):
        return False
    return not is_disputed(order)


def is_disputed(order: Order) -> bool:
    """Return whether a bank holds or took back money of the order: a dispute is open or lost. One query."""
    return disputes_of([order.pk]).exists()


def disputes_of(order_ids: Collection[uuid.UUID]) -> QuerySet[Dispute]:
    """Return the disputes by which a bank holds or took back money of these orders."""
    return _disputes().filter(order__in=order_ids)


def _disputes() -> QuerySet[Dispute]:
    return Dispute.objects.exclude(state=DisputeState.WON)


def agreed_plan(order: Order) -> list[Installment]:
    """Return the parts as they are now; empty for an order paid at once. One query."""
    if order.payment_mode != PaymentMode.INSTALLMENTS:
        return []
    return [
        Installment(due=payment.due_on, amount=payment.amount)
        for payment in order.payments.filter(merged_into=None).order_by("position")
    ]


def is_announced(payment: Payment) -> bool:
    """Return whether its customer read on which day a later payment is charged: not of one that a clock ahead named. No
    query."""
    return payment.announced_at is not None and not moment_is_misdated(payment.announced_at, timezone.now())


def to_announce(until: date) -> QuerySet[Payment]:
    """Return later payments due by `until` that are not announced (`is_announced`)."""
    unannounced = Q(announced_at=None) | is_misdated("announced_at", timezone.now())
    return _collectable().filter(unannounced, state=PaymentState.SCHEDULED, due_on__lte=until)


def to_collect(today: date) -> QuerySet[Payment]:
    """Return announced later payments whose day has come and that the card may still pay."""
    return _collectable().filter(
        charge_day_has_come(today),
        state__in=(PaymentState.SCHEDULED, PaymentState.DUE),
        stopped_code="",
        announced_at__isnull=False,
    )


def charge_day_has_come(today: date) -> Q:
    """Payments of which the day that their customer was told, or agreed to, is here or has passed."""
    return Q(next_try_on=None, due_on__lte=today) | Q(next_try_on__lte=today)


def to_remind(today: date) -> QuerySet[Payment]:
    """Return payments that only their customer can make, and of whose link they are reminded today; and refused ones
    whose next step a clock ahead wrote."""
    come = Q(next_try_on__lte=today) & ~Q(stopped_code="")
    refused = _collectable().filter(state=PaymentState.DUE, next_try_on__isnull=False)
    return refused.filter(come | is_misdated("link_sent_at", timezone.now()))


def _collectable() -> QuerySet[Payment]:
    return Payment.objects.filter(position__gt=1).order_by("due_on", "pk")
