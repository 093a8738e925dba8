"""Random histories of orders: placed, paid, paid twice, expired, refunded by everybody, disputed, in installments, and
moved through every status, sent in parcels, paused, archived.

After every step the books must hold; after every history, once all mail of the provider has been read, they must say to
the cent what the provider says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from orders.models import (
    Attempt,
    AttemptState,
    Order,
    Payment,
    PaymentState,
    Refund,
    RefundRequest,
    RefundState,
    StoredCard,
    TransferReturn,
    WithdrawalCase,
)
from orders.models.payment import OPEN_DISPUTES, OPEN_PAYMENTS
from orders.models.returns import OPEN_CASES
from orders.selectors.installments import open_pause
from orders.selectors.refund_retries import retryable_amount
from orders.selectors.refund_rules import RefundRefused, ReturnedLine, open_dispute, refundable
from orders.services.payments import settlement
from orders.services.payments.off_session import claim_charge, obstacle, prepare_charge
from orders.services.refunds.decisions import request_refund, retry_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.services.refunds.transfers import settle_by_transfer, take_transfer_back
from orders.services.status.transitions import cancel_unpaid_order
from orders.services.withdrawals.cases import (
    allow_shipping,
    ask_return,
    record_return,
    refund_case,
    refuse_case,
)
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.stripe import gateway
from orders.stripe.facts import ChargeFacts, IntentFacts
from orders.tests.factories import make_order, new_key, pay_order
from orders.tests.history_laws import HistoryLaws
from orders.tests.history_moves import PageMoves, StatusMoves, due_today
from shop.core.problems import Problem

TOLD_EVERY = 250
READING = ("SELECT", "SAVEPOINT", "RELEASE SAVEPOINT")


def came_back(*, case_id: int, actor: None) -> None:
    record_return(case_id=case_id, goods_received=True, moment=timezone.now(), actor=actor)


class OrderHistories(HistoryLaws, StatusMoves, PageMoves, RuleBasedStateMachine):
    """`products` and `started_with` (their stock) stand outside; each history is rolled back when it has ended."""

    played: Counter[str] = Counter()
    tell: Callable[[str], None] = staticmethod(print)

    def __init__(self) -> None:
        super().__init__()
        self.writes, self.laws_hold_since = 1, 0
        self.frame = ExitStack()
        self.frame.enter_context(transaction.atomic())
        self.frame.enter_context(connection.execute_wrapper(self.count_writes))
        self.provider.restart()

    def teardown(self) -> None:
        try:
            self.everything_is_heard_of()
            self.played["histories"] += 1
            if self.played["histories"] % TOLD_EVERY == 0:
                self.tell(f"{self.played['histories']} histories")
        finally:
            transaction.set_rollback(True)
            self.frame.close()

    def check_invariants(self, *arguments: Any) -> None:
        """The laws are about rows: a step that wrote none can't have broken them."""
        if self.laws_hold_since != self.writes:
            super().check_invariants(*arguments)
            self.laws_hold_since = self.writes

    def count_writes(self, execute: Any, sql: str, *arguments: Any) -> Any:
        self.writes += not sql.startswith(READING)
        return execute(sql, *arguments)

    # --- What customers do ---------------------------------------------------------------------------

    @initialize(first=st.integers(0, 2), quantity=st.integers(1, 4), installments=st.booleans())
    def begin(self, first: int, quantity: int, installments: bool) -> None:
        self.place(first, quantity, installments)
        if Order.objects.exists():
            self.pay(0)

    @precondition(lambda self: Order.objects.count() < 3)
    @rule(which=st.integers(0, 2), quantity=st.integers(1, 4), installments=st.booleans())
    def place(self, which: int, quantity: int, installments: bool) -> None:
        # Installments begin at 150.00, which only two pieces of the second product reach for certain.
        which, quantity = (1, quantity + 1) if installments else (which, quantity)
        lines = [(self.products[which], quantity)]
        if quantity % 2:
            lines.append((self.products[(which + 1) % 3], 1))
        # The pieces may be gone.
        with suppress(Problem), transaction.atomic():
            make_order(*lines, payment_mode="installments" if installments else "full")
            self.played["placed"] += 1

    @rule(number=st.integers(0, 2))
    def pay(self, number: int) -> None:
        """In time, or late for an order that was given up meanwhile."""
        order = self.order(number)
        first = order and order.payments.get(position=1)
        waits = first and first.state in (PaymentState.DUE, PaymentState.VOID)
        if order and first and waits and not first.attempts.filter(charge_id__isnull=False).exists():
            pay_order(order)
            self.played["paid"] += 1

    @rule(number=st.integers(0, 2))
    def pay_twice(self, number: int) -> None:
        order = self.order(number)
        payment = order and order.payments.get(position=1)
        if order and payment and payment.attempts.filter(state=AttemptState.SUCCEEDED).count() == 1:
            Attempt.objects.create(
                payment=payment, number=payment.attempts.count() + 1, expires_at=timezone.now(),
                amount_cents=payment.attempts.get(number=1).amount_cents,
            )  # fmt: skip
            pay_order(order)
            self.played["paid twice"] += 1

    @rule(number=st.integers(0, 2))
    def let_expire(self, number: int) -> None:
        order = self.order(number)
        if order and cancel_unpaid_order(order.pk, reason="payment.expired"):
            self.played["expired"] += 1

    # --- Installments ---------------------------------------------------------------------------------------

    @rule(number=st.integers(0, 2))
    def begin_third(self, number: int) -> None:
        order = self.order(number)
        if order is None or not order.is_paid or open_dispute(order):
            return
        payment = order.payments.filter(state__in=OPEN_PAYMENTS, position__gt=1).first()
        if payment is None:
            return
        StoredCard.objects.get_or_create(
            order=order,
            defaults={"customer_id": f"cus_{order.pk.hex}", "payment_method_id": f"pm_{order.pk.hex}"},
        )
        why = obstacle(order, payment)
        paused = open_pause(order) is not None
        assert (why == "paused") == paused
        if not why:
            attempt = prepare_charge(due_today(payment))
            assert claim_charge(attempt)
            self.played["installments charged"] += 1

    @rule(number=st.integers(0, 2), succeeds=st.booleans())
    def third_lands(self, number: int, succeeds: bool) -> None:
        order = self.order(number)
        waiting = Attempt.objects.filter(kind="off_session", state=AttemptState.SENT, payment__order=order)
        attempt = waiting.first()
        if order is None or attempt is None:
            return
        name = attempt.pk.hex
        facts = IntentFacts(
            f"pi_{name}", "succeeded" if succeeds else "requires_payment_method", gateway.is_live(), "eur",
            attempt.amount_cents, {"attempt": str(attempt.pk)}, "" if succeeds else "insufficient_funds", "",
            ChargeFacts(f"ch_{name}", attempt.amount_cents, "eur", 0, False, timezone.now())
            if succeeds
            else None,
        )  # fmt: skip
        payment = Payment.objects.get(pk=attempt.payment_id)
        settlement._apply_charge(order, payment, attempt, facts)
        self.played["installments received" if succeeds else "installments refused"] += 1

    # --- Withdrawals ------------------------------------------------------------------------------------

    @rule(number=st.integers(0, 2), units=st.integers(0, 2))
    def withdraw(self, number: int, units: int) -> None:
        """From the whole order, or from some units of its first line, credited before or not."""
        order = self.order(number)
        if order is None or not order.is_paid:
            return
        item = order.items.first()
        assert item is not None
        declaration = Declaration(
            name="Léa Martin", email=order.email, order_text=order.reference, language="fr", order=order,
            lines=(ReturnedLine(item.pk, min(units, item.quantity)),) if units else (),
        )  # fmt: skip
        declare_withdrawal(declaration=declaration, key=new_key(), caller=new_key())
        self.played["withdrawals"] += 1

    @rule(number=st.integers(0, 5), resume=st.booleans())
    def refuse_withdrawal(self, number: int, resume: bool) -> None:
        case = self.case(number)
        if case is None:
            return
        # A refund was decided already, or the order is closed or disputed.
        with suppress(Problem), transaction.atomic():
            refuse_case(
                case_id=case.pk, reason="Retirée.", actor=None, resume=resume,
                revocation_text="Je garde tout.", revoked_on=timezone.localdate(),
            )  # fmt: skip
            self.played["resumed" if resume and case.voided else "withdrawals refused"] += 1

    @rule(number=st.integers(0, 5))
    def refund_withdrawal(self, number: int) -> None:
        case = self.case(number)
        if case:
            with suppress(Problem), transaction.atomic():
                declared = list(case.withdrawal.lines.values_list("item", "quantity"))
                lines = [ReturnedLine(*line) for line in declared] or None
                refund_case(case_id=case.pk, lines=lines, amount=None, reason="", actor=None)
                self.played["withdrawals refunded"] += 1

    @rule(number=st.integers(0, 5), step=st.sampled_from([ask_return, allow_shipping, came_back]))
    def handle_return(self, number: int, step: Any) -> None:
        case = self.case(number)
        if case:
            with suppress(Problem), transaction.atomic():
                step(case_id=case.pk, actor=None)
                self.played[step.__name__] += 1

    # --- What staff do --------------------------------------------------------------------------------

    @rule(number=st.integers(0, 2), cents=st.integers(1, 20_000), twice=st.booleans())
    def refund_amount(self, number: int, cents: int, twice: bool) -> None:
        self.refund(number, twice, amount=Decimal(cents) / 100)

    @rule(
        number=st.integers(0, 2),
        units=st.integers(1, 3),
        said=st.tuples(*[st.booleans()] * 2),
        twice=st.booleans(),
    )
    def refund_units(self, number: int, units: int, said: tuple[bool, bool], twice: bool) -> None:
        order = self.order(number)
        if order:
            item = order.items.first()
            assert item is not None
            self.refund(number, twice, lines=[ReturnedLine(item.pk, units, *said)])

    @rule(number=st.integers(0, 2), twice=st.booleans())
    def refund_everything(self, number: int, twice: bool) -> None:
        self.refund(number, twice)

    def refund(self, number: int, twice: bool, **demand: Any) -> None:
        order = self.order(number)
        if order is None:
            return
        before, key, most = RefundRequest.objects.count(), new_key(), refundable(order)
        try:
            with transaction.atomic():
                made = request_refund(order_id=order.pk, key=key, **demand)
        except RefundRefused:
            assert RefundRequest.objects.count() == before
            self.played["refunds refused"] += 1
            return
        assert made.amount <= most or made.refunds.filter(replaces__isnull=False).exists()
        if twice:
            assert request_refund(order_id=order.pk, key=key, **demand) == made
        self.played["refunds"] += 1

    @rule(number=st.integers(0, 5))
    def retry(self, number: int) -> None:
        failed = self.one(Refund.objects.filter(state=RefundState.FAILED), number)
        if failed:
            with suppress(RefundRefused), transaction.atomic():
                retry_refund(refund_id=failed.pk)
                self.played["retries"] += 1

    @rule(number=st.integers(0, 5), why=st.sampled_from(TransferReturn))
    def transfer_comes_back(self, number: int, why: TransferReturn) -> None:
        transfer = self.one(Refund.objects.filter(method="transfer", state=RefundState.SUCCEEDED), number)
        if transfer:
            taken = take_transfer_back(refund_id=transfer.pk, returned_on=timezone.localdate(), why=why)
            assert (taken.state, taken.error) == (RefundState.FAILED, why)
            self.played["transfers returned"] += 1

    @rule(number=st.integers(0, 2), cents=st.integers(1, 8_000), credited=st.booleans())
    def refund_that_bounces(self, number: int, cents: int, credited: bool) -> None:
        """Before or after its credit note was issued."""
        self.refund(number, False, amount=Decimal(cents) / 100)
        self.provider.begins = "succeeded" if credited else "pending"
        for refund in Refund.objects.filter(state=RefundState.REQUESTED, order=self.order(number)):
            send_refund(refund.pk)
            refund.refresh_from_db()
            if refund.provider_id and self.provider.settle_refund(refund.provider_id, "failed"):
                sync_refunds(str(refund.attempt.intent_id))
                self.played["bounced"] += 1
        self.provider.begins = "succeeded"

    @rule(number=st.integers(0, 5))
    def settle_failed_by_transfer(self, number: int) -> None:
        failed = self.one(Refund.objects.filter(state=RefundState.FAILED, replaced_by=None), number)
        if failed is None:
            return
        # As the administration does: what the provider knows by now is heard first.
        sync_refunds(str(failed.attempt.intent_id))
        sync_disputes(str(failed.attempt.intent_id))
        failed.refresh_from_db()
        with suppress(RefundRefused), transaction.atomic():
            demand = {"refund_id": failed.pk, "sent_on": timezone.localdate(), "reference": "VIR"}
            owed = retryable_amount(failed.order, failed)
            transfer = settle_by_transfer(**demand, amount=owed)
            assert settle_by_transfer(**demand, amount=owed) == transfer
            assert (transfer.replaces_id, transfer.amount, transfer.state) == (failed.pk, owed, "succeeded")
            self.played["transfers"] += 1

    # --- Workers and the provider ---------------------------------------------------------------------

    @rule(number=st.integers(0, 5), lost=st.booleans(), begins=st.sampled_from(["succeeded", "pending"]))
    def worker_sends(self, number: int, lost: bool, begins: str) -> None:
        refund = self.one(Refund.objects.filter(state__in=(RefundState.REQUESTED, RefundState.SENT)), number)
        if refund:
            self.provider.lost, self.provider.begins = lost, begins
            with suppress(gateway.GatewayUnavailable):
                send_refund(refund.pk)
            self.provider.lost, self.provider.begins = False, "succeeded"
            self.played["answers lost" if lost else "sent"] += 1

    @rule(number=st.integers(0, 5), status=st.sampled_from(["succeeded", "failed"]), heard=st.booleans())
    def bank_decides(self, number: int, status: str, heard: bool) -> None:
        refund = self.one(Refund.objects.exclude(provider_id=None), number)
        if refund and self.provider.settle_refund(str(refund.provider_id), status):
            self.played[f"bank says {status}"] += 1
            if heard:
                sync_refunds(str(refund.attempt.intent_id))

    @rule(number=st.integers(0, 5), share=st.integers(1, 4), heard=st.booleans())
    def refund_in_the_dashboard(self, number: int, share: int, heard: bool) -> None:
        # Whoever does it has looked at the shop: what was sent by transfer is not given back a second time.
        attempt = self.charge(number)
        if attempt and not attempt.refunds.filter(method="transfer", state=RefundState.SUCCEEDED).exists():
            with suppress(gateway.GatewayRefused):
                self.provider.refund_elsewhere(attempt, max(attempt.amount_cents // share, 1))
                self.played["refunds elsewhere"] += 1
            if heard:
                sync_refunds(str(attempt.intent_id))

    @rule(number=st.integers(0, 5), heard=st.booleans())
    def dispute(self, number: int, heard: bool) -> None:
        attempt = self.charge(number)
        if attempt and self.provider.charge(attempt).kept > 0 and not self.provider.charge(attempt).disputed:
            self.provider.open_dispute(attempt, self.provider.charge(attempt).kept)
            self.played["disputes"] += 1
            if heard:
                sync_disputes(str(attempt.intent_id))

    @rule(number=st.integers(0, 5), status=st.sampled_from(["under_review", "won", "lost"]))
    def dispute_moves(self, number: int, status: str) -> None:
        attempt = self.charge(number)
        charge = attempt and self.provider.charge(attempt)
        if attempt and charge:
            for dispute_id, dispute in charge.disputes.items():
                if dispute.status in OPEN_DISPUTES:
                    self.provider.move_dispute(dispute_id, status)
                    self.played[f"disputes {status}"] += 1
            sync_disputes(str(attempt.intent_id))

    @rule()
    def a_day_goes_by(self) -> None:
        self.provider.forget_keys()
        Refund.objects.update(created_at=F("created_at") - timedelta(hours=30))

    # --- Choosing -------------------------------------------------------------------------------------

    def order(self, number: int) -> Order | None:
        return self.one(Order.objects.all(), number)

    def case(self, number: int) -> WithdrawalCase | None:
        cases = list(WithdrawalCase.objects.filter(state__in=OPEN_CASES).order_by("pk"))
        return cases[number % len(cases)] if cases else None

    def charge(self, number: int) -> Attempt | None:
        return self.one(Attempt.objects.filter(charge_id__isnull=False), number)

    @staticmethod
    def one(rows: Any, number: int) -> Any:
        found = list(rows.order_by("created_at"))
        return found[number % len(found)] if found else None
