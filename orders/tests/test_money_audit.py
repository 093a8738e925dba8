"""Whoever decides about money is in the audit trail: each decision, with what was decided and no word of a person."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from orders.journal import AUDITED
from orders.models import (
    Discrepancy,
    Order,
    PausedBy,
    PauseEnd,
    Refund,
    TransferReturn,
)
from orders.services.fulfilment.status_changes import change_status, decide_retention
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.resuming import resume_scheduled
from orders.services.installments.scheduled_payments import void_scheduled, write_off_payment
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.services.reconciliation.discrepancies import resolve_discrepancy
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.sending import sync_refunds
from orders.services.refunds.transfers import settle_by_transfer, take_transfer_back
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import in_installments, refund, send_all
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db

WORDS = "Léa Martin le veut"
Decision = Callable[[MemoryProvider, User], dict[str, Any]]


def bounced(provider: MemoryProvider) -> Refund:
    refund(pay_order(make_order((make_product(stock_quantity=3), 1))), amount=Decimal("5.00"))
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(str(sent.provider_id), "failed")
    sync_refunds(str(sent.attempt.intent_id))
    sent.refresh_from_db()
    return sent


def decide_refund(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    refund(pay_order(make_order()), amount=Decimal("5.00"), reason=WORDS, actor=chef)
    return {"amount": "5.00", "voided": "0.00"}


def retry(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    retry_refund(refund_id=bounced(provider).pk, actor=chef)
    return {}


def transfer(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    today = timezone.localdate()
    settle_by_transfer(
        refund_id=bounced(provider).pk, sent_on=today, reference="VIR 118", amount=Decimal("5.00"), actor=chef
    )
    return {"amount": "5.00", "sent_on": today.isoformat()}


def take_back(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    transfer(provider, chef)
    today = timezone.localdate()
    sent = Refund.objects.get(method="transfer")
    take_transfer_back(refund_id=sent.pk, returned_on=today, why=TransferReturn.RETURNED, actor=chef)
    return {"returned_on": today.isoformat()}


def write_off(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    payment = in_installments().payments.get(position=2)
    write_off_payment(payment_id=payment.pk, actor=chef, reason=WORDS)
    return {"position": 2}


def pause(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    pause_installments(order_id=in_installments().pk, by=PausedBy.STAFF, actor=chef, reason=WORDS)
    return {}


def unpause(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    pause(provider, chef)
    resume_installments(order_id=Order.objects.get().pk, by=PauseEnd.STAFF, actor=chef)
    return {"days": 0}


def restore(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    order = in_installments()
    void_scheduled(order=order, reason="x")
    resume_scheduled(order=order, amount=Decimal("60.00"), actor=chef)
    return {"amount": "60.00", "positions": [2]}


def correct(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    order = pay_order(make_order())
    year = timezone.localdate().year
    edit_invoice(
        order_id=order.pk, values=DraftValues(customer_name="Atelier Martin"), explanation=WORDS, actor=chef
    )
    return {
        "replaced": f"F-{year}-00001",
        "credit_note": f"F-{year}-00002",
        "number": f"F-{year}-00003",
    }


def keep_money(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    order = pay_order(make_order())
    change_status(order_id=order.pk, status="cancelled", actor=chef, refund=False, reason=WORDS)
    decide_retention(order_id=order.pk, decision=WORDS, actor=chef)
    return {"amount": "49.99"}


def resolve(provider: MemoryProvider, chef: User) -> dict[str, Any]:
    row = Discrepancy.objects.create(
        kind="amount_differs", provider_id="ch_1", order=pay_order(make_order()), amount=Decimal("1.00")
    )
    resolve_discrepancy(discrepancy_id=row.pk, how=WORDS, actor=chef)
    return {}


DECISIONS: dict[str, Decision] = {
    "refund.decided": decide_refund,
    "refund.retried": retry,
    "refund.transferred": transfer,
    "refund.transfer_taken_back": take_back,
    "installment.written_off": write_off,
    "installments.paused": pause,
    "installments.unpaused": unpause,
    "installments.restored": restore,
    "invoice.corrected": correct,
    "order.retention_decided": keep_money,
    "discrepancy.resolved": resolve,
}


def test_the_table_has_every_decision():
    assert set(DECISIONS) == AUDITED


@pytest.mark.parametrize("action", DECISIONS)
def test_a_decision_about_money_is_recorded(action, provider, admin):
    expected = DECISIONS[action](provider, admin)
    order = Order.objects.get()
    entry = AuditEntry.objects.get(action=action)
    assert (entry.actor_id, entry.subject_type, entry.subject_id) == (admin.pk, "orders.order", str(order.pk))
    assert (entry.before, entry.after) == ({}, {"reference": order.reference, **expected})
    assert "Martin" not in f"{entry.before}{entry.after}"


def test_money_of_no_order_is_recorded_by_its_own_row(admin):
    row = Discrepancy.objects.create(kind="payment_unmatched", provider_id="pi_1", amount=Decimal("12.00"))
    resolve_discrepancy(discrepancy_id=row.pk, how=WORDS, actor=admin)
    entry = AuditEntry.objects.get(action="discrepancy.resolved")
    assert (entry.actor_id, entry.subject_type, entry.subject_id) == (
        admin.pk,
        "orders.discrepancy",
        str(row.pk),
    )
    assert entry.after == {"amount": "12.00"}
