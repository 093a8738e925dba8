"""What tests of refunds share: orders that were paid, the demand of a refund, and what became of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from orders.models import (
    Attempt,
    Invoice,
    LedgerEntry,
    Order,
    Payment,
    PaymentState,
    Refund,
    RefundRequest,
    RefundState,
    StoredCard,
)
from orders.selectors.refund_rules import RefundRefused
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.tests.factories import make_order, make_product, make_seller, make_zones, new_key, pay_order
from orders.tests.memory_provider import MemoryProvider
from shop.core.models import OutgoingMail

EUROS = Decimal
PARIS = ZoneInfo("Europe/Paris")
PAID = datetime(2026, 11, 2, 10, tzinfo=PARIS)
REFUNDED = datetime(2026, 11, 20, 10, tzinfo=PARIS)
FAILED = datetime(2026, 11, 30, 15, tzinfo=PARIS)


@pytest.fixture(scope="module")
def module_provider(module_rows: None) -> Iterator[MemoryProvider]:
    """Answers instead of Stripe while a module's rows are made, which its tests share."""
    make_zones()
    make_seller()
    provider = MemoryProvider()
    with pytest.MonkeyPatch.context() as patch:
        provider.install(patch)
        yield provider


@pytest.fixture
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> MemoryProvider:
    """Answers instead of Stripe; for a test that starts from its module's rows, as they left it."""
    if "module_provider" in request.fixturenames:
        provider = deepcopy(request.getfixturevalue("module_provider"))
    else:
        make_seller()
        provider = MemoryProvider()
    provider.install(monkeypatch)
    return provider


@pytest.fixture(name="order")
def paid_piece() -> Order:
    """One piece at 40.00, delivered for 9.99."""
    return pay_order(make_order((make_product(stock_quantity=3), 1)))


def refund(order: Order, **demand: Any) -> RefundRequest:
    return request_refund(order_id=order.pk, key=demand.pop("key", new_key()), **demand)


def send_all() -> None:
    for waiting in Refund.objects.filter(state__in=("requested", "sent")).order_by("created_at"):
        send_refund(waiting.pk)


def bounced(provider: MemoryProvider, **demand: Any) -> Refund:
    """A refund of 20 November, credited then, whose money was back with the shop on the 30th."""
    with time_machine.travel(PAID, tick=False):
        order = pay_order(
            make_order((make_product(stock_quantity=3), 1), language=demand.pop("language", "fr"))
        )
    with time_machine.travel(REFUNDED, tick=False):
        refund(order, **demand)
        send_all()
    sent = Refund.objects.get(order=order)
    with time_machine.travel(FAILED, tick=False):
        provider.settle_refund(str(sent.provider_id), "failed")
        sync_refunds(str(sent.attempt.intent_id))
    sent.refresh_from_db()
    assert sent.state == RefundState.FAILED
    return sent


def rows() -> list[Any]:
    return [
        sorted(model.objects.values_list(), key=repr)
        for model in (Order, Payment, Refund, RefundRequest, LedgerEntry, OutgoingMail, Invoice)
    ]


def ledger(order: Order) -> list[tuple[str, Decimal]]:
    return list(order.ledger.order_by("pk").values_list("kind", "amount"))


def mails(order: Order) -> list[str]:
    kinds = OutgoingMail.objects.filter(reference=order.reference).values_list("kind", flat=True)
    return sorted(kind for kind in kinds if kind not in ("order_confirmation", "order_new_workshop"))


def refused(code: str, order: Order, **demand: Any) -> RefundRefused:
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        refund(order, **demand)
    assert caught.value.code == code
    assert rows() == before
    return caught.value


def owe(order: Order, *amounts: str) -> None:
    """Later payments, as an order in installments has them."""
    for position, amount in enumerate(amounts, start=2):
        Payment.objects.create(
            order=order, position=position, count=len(amounts) + 1, amount=EUROS(amount),
            due_on=timezone.localdate() + timedelta(days=30 * (position - 1)), state=PaymentState.SCHEDULED,
        )  # fmt: skip


def paid_again(order: Order, amount: str) -> Attempt:
    """The next payment of an order in installments came in."""
    payment = order.payments.filter(state=PaymentState.SCHEDULED).earliest("position")
    attempt = Attempt.objects.create(
        payment=payment, kind="off_session", state="succeeded", amount_cents=int(EUROS(amount) * 100),
        intent_id=f"pi_{payment.pk}", charge_id=f"ch_{payment.pk}", expires_at=timezone.now(),
    )  # fmt: skip
    LedgerEntry.objects.create(
        order=order, payment=payment, kind="charge", amount=EUROS(amount), provider_id=attempt.charge_id
    )
    payment.state = PaymentState.PAID
    payment.save()
    return attempt


def charged_twice(order: Order) -> Attempt:
    """The customer paid the order's only payment a second time."""
    payment = order.payments.get()
    attempt = Attempt.objects.create(
        payment=payment, number=2, state="succeeded", amount_cents=4999, intent_id="pi_twice",
        charge_id="ch_twice", expires_at=timezone.now(),
    )  # fmt: skip
    LedgerEntry.objects.create(
        order=order, payment=payment, kind="charge", amount=EUROS("49.99"), provider_id="ch_twice"
    )
    return attempt


def in_installments() -> Order:
    """180.00 in installments: the first is paid, 120.00 are due."""
    order = pay_order(make_order((make_product(price="60.00"), 1)))
    Order.objects.filter(pk=order.pk).update(
        total=EUROS("180.00"),
        subtotal=EUROS("180.00"),
        original_total=EUROS("180.00"),
        payment_mode="installments",
    )
    order.items.update(unit_price=EUROS("180.00"), line_total=EUROS("180.00"))
    owe(order, "60.00", "60.00")
    order.refresh_from_db()
    return order


def in_installments_with_card() -> Order:
    """The same, with the card kept that paid the first."""
    order = in_installments()
    StoredCard.objects.create(
        order=order, customer_id="cus_1", payment_method_id="pm_1", brand="visa", last4="4242"
    )
    return order


def charged_today() -> Order:
    """The same, with the second announced and due today."""
    order = in_installments_with_card()
    order.payments.filter(position=2).update(due_on=timezone.localdate(), announced_at=timezone.now())
    return order


def states(order: Order) -> list[tuple[str, Decimal]]:
    return list(order.payments.order_by("position").values_list("state", "amount"))
