"""Processes that die before each statement in turn, and between each commit and what was to follow: what comes next
must bring the order to the end that it has when nobody dies.

    python scripts/run_tests.py postgres -- tests/load/killed_anywhere.py

Run on demand: some ten minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from orders.books.audit import audit_books
from orders.models import Attempt, AttemptKind, Contract, Order, Refund
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import change_status
from orders.services.payments import due_installments, payment_links
from orders.services.payments.checkout_sessions import close_void_attempts
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund
from orders.services.withdrawals.cases import refund_case
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.stripe import gateway
from orders.tests.conftest import _zones, fake_stripe, sandbox_process  # noqa: F401 - fixtures
from orders.tests.factories import checkout_body, line, make_product, new_key
from orders.tests.fake_stripe import FakeStripe, session_of
from orders.tests.installments import bought, offer_installments
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from tests.payment_faults.webhook_posts import COMPLETED
from tests.races.conftest import Buyer, wide_pool  # noqa: F401 - fixtures

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


class Killed(BaseException):
    """The process is gone: nobody catches it."""


class Steps:
    """Counts statements and commits, and dies at the one whose number is `last`; 0 for never."""

    def __init__(self, last: int) -> None:
        self.last, self.number = last, 0

    def go_on(self) -> None:
        self.number += 1
        if self.number == self.last:
            raise Killed

    def statement(self, execute: Any, *arguments: Any) -> Any:
        self.go_on()
        return execute(*arguments)

    @contextmanager
    def counted(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        follow = connection.run_and_clear_commit_hooks

        def committed() -> None:
            if connection.run_on_commit:
                self.go_on()
            follow()

        with monkeypatch.context() as patch, connection.execute_wrapper(self.statement):
            patch.setattr(connection, "run_and_clear_commit_hooks", committed)
            try:
                yield
            except Killed:
                # What its transaction held, and what was to follow, goes with the process.
                connection.close()


class Scene:
    """Two units at 60.00 each of three, ordered by somebody of their own; `act` is what dies."""

    order: Order

    def __init__(self, bank: FakeStripe, number: int) -> None:
        self.bank, self.buyer, self.key = bank, Buyer(number), new_key()
        self.email = f"lea{number}@example.com"
        self.product = make_product(price="60.00", stock_quantity=3)
        self.make()

    def make(self) -> None:
        raise NotImplementedError

    def act(self) -> object:
        raise NotImplementedError

    def again(self) -> object:
        """What comes after the death: the same once more, unless a scene says otherwise."""
        return self.act()

    def click(self) -> Any:
        body = checkout_body([line(self.product, quantity=2)], "120.00", customer={"email": self.email})
        return self.buyer.checkout(body, self.key)

    def place(self) -> None:
        assert self.click().status_code == 201
        self.order = Order.objects.get(email=self.email)

    def pay(self) -> None:
        self.place()
        self.bank.pay(self.order)
        self.settle()

    def settle(self) -> None:
        settle(Attempt.objects.get(payment__order=self.order).pk)

    def owe(self) -> None:
        """The first of three installments is paid, and the second is due."""
        self.order = bought(self.bank, self.buyer)
        self.product = self.order.items.get().product
        announced = timezone.localtime() - timedelta(days=3)
        self.order.payments.filter(position=2).update(due_on=timezone.localdate(), announced_at=announced)

    def some_minutes_pass(self) -> None:
        now = timezone.now() + timedelta(minutes=5)
        for _again in range(2):
            reconcile.reprocess_events(now)
            reconcile.reconcile_attempts(now)
            reconcile.send_waiting_refunds(now)
            close_void_attempts()
        due_installments.run_round(timezone.now())

    def end(self) -> dict[str, Any]:
        """Everything that must be as if nobody had died."""
        order = Order.objects.get(pk=self.order.pk)
        self.product.refresh_from_db()
        tries = Attempt.objects.filter(payment__order=order).order_by("payment__position", "number")
        charges = tries.exclude(intent_id=None).values_list("intent_id", flat=True)
        return {
            "order": (order.status, order.paid_at is not None, order.review_reason, self.product.stock_quantity),
            "payments": list(order.payments.order_by("position").values_list("amount", "state")),
            "attempts": list(tries.values_list("kind", "state", "amount_cents")),
            "ledger": list(order.ledger.order_by("pk").values_list("kind", "amount")),
            "documents": list(order.invoices.order_by("sequence").values_list("kind", "total")),
            "contracts": Contract.objects.filter(order=order).count(),
            "holds": sorted(order.stock_holds.values_list("state", "quantity")),
            "refunds": sorted(order.refunds.values_list("state", "amount")),
            "decisions": [(row.amount, row.settled_at is not None) for row in order.refund_requests.all()],
            "withdrawals": sorted(order.withdrawal_cases.values_list("state", flat=True)),
            "parcels": order.shipments.count(),
            "tracking": list(order.tracking.values_list("status", flat=True)),
            "journal": sorted(order.events.values_list("name", flat=True)),
            "mails": sorted(
                OutgoingMail.objects.filter(reference=order.reference).values_list("kind", flat=True)
            ),
            "given back at Stripe": [
                [(row.amount_cents, row.status) for row in gateway.list_refunds(str(charge))] for charge in charges
            ],
        }  # fmt: skip


class OrderButton(Scene):
    def make(self) -> None:
        pass

    def act(self) -> object:
        return self.click()

    def again(self) -> None:
        self.place()
        self.bank.pay(self.order)
        assert self.buyer.verify(session_of(self.order)).json()["payment_status"] == "paid"


class MessageOfPayment(Scene):
    def make(self) -> None:
        self.place()
        known = {event["id"] for event in self.bank.events()}
        self.bank.pay(self.order)
        news = (event for event in self.bank.events() if event["id"] not in known)
        self.message = next(event for event in news if event["type"] == COMPLETED)

    def act(self) -> object:
        return self.buyer.webhook(self.message)


class LostMessageOfPayment(MessageOfPayment):
    """Nobody sends it again: the job finds the payment."""

    def again(self) -> object:
        return None


class ReturnPage(MessageOfPayment):
    def act(self) -> object:
        return self.buyer.verify(session_of(self.order))


class PageExpires(Scene):
    def make(self) -> None:
        self.place()
        self.bank.expire(self.order)

    def act(self) -> None:
        self.settle()


class RefundDecided(Scene):
    def make(self) -> None:
        self.pay()

    def act(self) -> object:
        lines = [ReturnedLine(self.order.items.get().pk, 1, True)]
        return request_refund(order_id=self.order.pk, key=self.key, lines=lines)


class RefundSent(RefundDecided):
    def make(self) -> None:
        self.pay()
        super().act()

    def act(self) -> None:
        send_refund(Refund.objects.get(order=self.order).pk)

    def again(self) -> object:
        return None


class WholeRefundSent(RefundSent):
    def make(self) -> None:
        self.pay()
        request_refund(order_id=self.order.pk, key=self.key)


class InstallmentCharged(Scene):
    def make(self) -> None:
        self.owe()

    def act(self) -> None:
        due_installments.run_round(timezone.now())


class RestPaid(Scene):
    """All that is left, on a page of its own."""

    def make(self) -> None:
        self.owe()
        payment_links.pay_by_link(order_id=self.order.pk, everything=True)
        self.page = Attempt.objects.get(payment__order=self.order, kind=AttemptKind.LINK)
        self.bank.control(f"sessions/{self.page.checkout_session_id}/pay")

    def act(self) -> object:
        return settle(self.page.pk)


class WithdrawalDeclared(Scene):
    def make(self) -> None:
        self.pay()

    def act(self) -> object:
        reference = self.order.reference
        declaration = Declaration(
            name="Léa Martin", email=self.email, order_text=reference, language="fr", order=self.order
        )
        return declare_withdrawal(declaration=declaration, key=self.key, caller=self.key)


class WithdrawalRefunded(WithdrawalDeclared):
    def make(self) -> None:
        self.pay()
        super().act()

    def act(self) -> object:
        case = self.order.withdrawal_cases.get()
        return refund_case(case_id=case.pk, lines=None, amount=None, reason="", actor=None)


class Dispatched(Scene):
    def make(self) -> None:
        self.pay()
        self.become("processing")

    def act(self) -> None:
        self.become("shipped")

    def become(self, status: str, **how: Any) -> None:
        change_status(order_id=self.order.pk, status=status, actor=None, **how)


class Cancelled(Dispatched):
    def make(self) -> None:
        self.pay()

    def act(self) -> None:
        self.become("cancelled", reason="Pièce cassée.", refund=True)


@pytest.mark.parametrize(
    "scene",
    [
        OrderButton, MessageOfPayment, LostMessageOfPayment, ReturnPage, PageExpires, RefundDecided, RefundSent,
        WholeRefundSent, InstallmentCharged, RestPaid, WithdrawalDeclared, WithdrawalRefunded, Dispatched, Cancelled,
    ],
)  # fmt: skip
def test_whoever_dies_anywhere_leaves_what_the_next_one_ends(
    fake_stripe: FakeStripe,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    scene: type[Scene],
) -> None:
    offer_installments()

    def play(last: int) -> tuple[dict[str, Any], int]:
        played, steps = scene(fake_stripe, last), Steps(last)
        with steps.counted(monkeypatch):
            played.act()
        # What was done before the death is refused when it is asked for again.
        with suppress(Problem):
            played.again()
        played.some_minutes_pass()
        return played.end(), steps.number

    whole, steps = play(0)
    died = 0
    while True:
        ended, number = play(died + 1)
        if number <= died:
            break
        died += 1
        assert ended == whole, f"dead before step {died} of {steps}"
    assert died >= steps - 5
    assert audit_books(timezone.now(), with_provider=False).faults == []
