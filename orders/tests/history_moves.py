"""What histories do to the status of an order: every transition, parcels, pauses, archiving, and the daily jobs; and
the pages on which later installments are paid."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import rule

from orders.models import (
    Attempt,
    DiscardedCard,
    InstallmentPause,
    Order,
    OrderStatus,
    PausedBy,
    PauseEnd,
    Payment,
    PaymentState,
    StoredCard,
)
from orders.selectors.refund_rules import RefundRefused
from orders.services.fulfilment.archiving import archiving_obstacles, remove_order, restore_order
from orders.services.fulfilment.delivery_promises import report_overdue_orders
from orders.services.fulfilment.shipments import ship_units, undo_shipment
from orders.services.fulfilment.status_changes import change_status, decide_retention
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.payments import payment_links, settlement
from orders.services.payments.due_installments import run_round
from orders.services.status.transitions import transition_problem
from orders.stripe import gateway
from orders.stripe.facts import CardFacts, ChargeFacts, CheckoutSessionFacts
from shop.core.models import OutgoingMail
from shop.core.problems import Problem


def due_today(payment: Payment) -> Payment:
    """Its day has come, as its customer was told."""
    scheduled = Payment.objects.filter(pk=payment.pk, state=PaymentState.SCHEDULED)
    scheduled.update(due_on=timezone.localdate(), next_try_on=None, announced_at=timezone.now())
    return payment


class StatusMoves:
    """What a state machine inherits that moves orders; `order` chooses one of those that there are."""

    played: Counter[str]

    def order(self, number: int) -> Order | None:
        raise NotImplementedError

    def must(self, holds: bool, told: object) -> None:
        assert holds, told

    @rule(
        number=st.integers(0, 2), status=st.sampled_from(OrderStatus), refund=st.sampled_from([None, True, False]),
        words=st.sampled_from(["", "Un mot."]), days=st.integers(-1, 1),
    )  # fmt: skip
    def set_status(self, number: int, status: str, refund: bool | None, words: str, days: int) -> None:
        """What is not offered is refused; what is offered happens unless an answer is missing."""
        order = self.order(number)
        if order is None:
            return
        refused = None if status == order.status else transition_problem(order, status)
        demand: dict[str, Any] = {"message": words, "reason": words, "refund": refund}
        if status == OrderStatus.SHIPPED:
            demand["dispatched_on"] = timezone.localdate() + timedelta(days=days)
        try:
            with transaction.atomic():
                changed = change_status(order_id=order.pk, status=status, actor=None, **demand)
        except Problem as problem:
            told = (
                "reason_needed",
                "refund_decision_needed",
                "refund_required",
                "invalid_date",
                "payment_under_way",
            )
            expected = refused is not None or problem.code in told or isinstance(problem, RefundRefused)
            self.must(expected, problem.code)
            self.played["statuses refused"] += 1
        else:
            assert refused is None
            assert changed.status in (status, OrderStatus.REFUNDED)
            self.played[f"set to {changed.status}"] += 1

    @rule(number=st.integers(0, 2))
    def undo_dispatch(self, number: int) -> None:
        order = self.order(number)
        if order and order.status == OrderStatus.SHIPPED and transition_problem(order, "processing") is None:
            change_status(order_id=order.pk, status="processing", actor=None, reason="Erreur.")
            self.played["dispatches undone"] += 1

    @rule(number=st.integers(0, 2), units=st.tuples(*[st.integers(0, 2)] * 2), last=st.booleans())
    def send_parcel(self, number: int, units: tuple[int, int], last: bool) -> None:
        order = self.order(number)
        if order:
            wanted = dict(zip(order.items.values_list("pk", flat=True), units, strict=False))
            with suppress(Problem), transaction.atomic():
                ship_units(order_id=order.pk, units=wanted, actor=None, is_last=last)
                self.played["parcels"] += 1

    @rule(number=st.integers(0, 2))
    def take_parcel_back(self, number: int) -> None:
        order = self.order(number)
        parcel = order and order.shipments.filter(undone_at=None).last()
        if parcel:
            with suppress(Problem), transaction.atomic():
                undo_shipment(shipment_id=parcel.pk, reason="Erreur.", actor=None)
                self.played["parcels taken back"] += 1

    @rule(number=st.integers(0, 2), customer=st.booleans())
    def pause(self, number: int, customer: bool) -> None:
        order = self.order(number)
        if order:
            Order.objects.filter(pk=order.pk).update(promised_by=timezone.localdate() - timedelta(days=1))
            with suppress(Problem), transaction.atomic():
                by = PausedBy.CUSTOMER if customer else PausedBy.STAFF
                pause_installments(order_id=order.pk, by=by, reason="Retard.")
                self.played["pauses"] += 1

    @rule(number=st.integers(0, 2))
    def end_pause(self, number: int) -> None:
        order = self.order(number)
        if order:
            with suppress(Problem), transaction.atomic():
                resume_installments(order_id=order.pk, by=PauseEnd.CUSTOMER)

    @rule(number=st.integers(0, 2))
    def decide_about_kept_money(self, number: int) -> None:
        order = self.order(number)
        if order:
            with suppress(Problem), transaction.atomic():
                decide_retention(order_id=order.pk, decision="Acompte.", actor=None)
                self.played["money kept"] += 1

    @rule(number=st.integers(0, 2))
    def archive(self, number: int) -> None:
        order = self.order(number)
        if order is None or order.paid_at is None or order.archived_at is not None:
            return
        obstacles = archiving_obstacles(order)
        try:
            with transaction.atomic():
                remove_order(order_id=order.pk, actor=None)
        except Problem as problem:
            self.must(problem.extra["obstacles"] == obstacles, problem.code)
        else:
            assert obstacles == []
            self.played["archived"] += 1

    @rule(number=st.integers(0, 2))
    def restore(self, number: int) -> None:
        order = self.order(number)
        if order and order.archived_at is not None:
            restore_order(order_id=order.pk, actor=None)

    # --- Jobs -----------------------------------------------------------------------------------------

    @rule(days=st.integers(0, 120))
    def daily_round(self, days: int) -> None:
        """Without keys nothing is charged by it: what it announces and asks for."""
        before = set(OutgoingMail.objects.values_list("pk", flat=True))
        paused = set(
            InstallmentPause.objects.filter(ended_at=None).values_list("order__reference", flat=True)
        )
        run_round(timezone.now() + timedelta(days=days))
        written = OutgoingMail.objects.exclude(pk__in=before)
        assert not written.filter(reference__in=paused, kind__startswith="installment_").exists()
        self.played["rounds"] += 1

    @rule()
    def look_for_late_orders(self) -> None:
        report_overdue_orders(timezone.now() + timedelta(days=60))


class PageMoves:
    """What a state machine inherits whose customers pay later installments on a page, in time or not."""

    played: Counter[str]

    def order(self, number: int) -> Order | None:
        raise NotImplementedError

    @rule(number=st.integers(0, 2), everything=st.booleans())
    def open_page(self, number: int, everything: bool) -> None:
        order = self.order(number)
        if order is None or self.page(order) is not None:
            return
        with suppress(Problem):
            attempt = payment_links._open_attempt(order.pk, everything=everything, seen=None)
            assert attempt is not None
            name = attempt.pk.hex
            Attempt.objects.filter(pk=attempt.pk).update(state="sent", checkout_session_id=f"cs_{name}")
            self.played["pages opened"] += 1

    @rule(number=st.integers(0, 2), paid=st.booleans())
    def page_ends(self, number: int, paid: bool) -> None:
        """Paid with a card that pays what is left, whatever became of the order meanwhile; or never paid."""
        order = self.order(number)
        attempt = order and self.page(order)
        if order is None or attempt is None:
            return
        name = attempt.pk.hex
        facts = CheckoutSessionFacts(
            checkout_session_id=f"cs_{name}", url="", status="complete", payment_status="paid", mode="payment",
            livemode=gateway.is_live(), currency="eur", amount_cents=attempt.amount_cents,
            client_reference_id=str(order.pk), metadata={"attempt": str(attempt.pk)}, intent_id=f"pi_{name}",
            intent_status="succeeded", error_code="",
            charge=ChargeFacts(f"ch_{name}", attempt.amount_cents, "eur", 0, False, timezone.now()),
            card=None if attempt.pays_off else CardFacts("cus_1", f"pm_{name}", "visa", "4242", 12, 2031),
        )  # fmt: skip
        if not paid:
            settlement._close_expired(attempt, replace(facts, status="expired"))
            return
        kept = StoredCard.objects.filter(payment_method_id=f"pm_{name}")
        settlement._apply_complete(order, Payment.objects.get(pk=attempt.payment_id), attempt, facts)
        discarded = DiscardedCard.objects.filter(payment_method_id=f"pm_{name}").exists()
        assert attempt.pays_off or discarded != kept.exists(), "a card is kept for later, or deleted"
        self.played["pages paid"] += 1

    def page(self, order: Order) -> Attempt | None:
        return Attempt.objects.filter(payment__order=order, kind="link", state="sent").first()
