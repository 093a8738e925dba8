"""Each way in which the provider's account and the ledger may differ, movement by movement, with what staff read."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from orders.models import Attempt, LedgerEntry, LedgerKind, Order
from orders.services.reconciliation import comparison as compare
from orders.stripe.account_activity import Charge, Dispute
from orders.stripe.facts import RefundFacts

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

NB = "\u00a0"
Found = tuple[str, str, Decimal, str] | None


def book(order: Order, kind: LedgerKind, amount: str, movement: str) -> None:
    LedgerEntry.objects.create(
        order=order, payment=order.payments.get(), kind=kind, amount=Decimal(amount), provider_id=movement
    )


def told(difference: compare.Difference | None, order: Order) -> Found:
    if difference is None:
        return None
    assert difference.order_id == order.pk
    return difference.kind, difference.provider_id, difference.amount, difference.detail


def charge(order: Order, cents: int = 4999, currency: str = "eur") -> Found:
    attempt = Attempt.objects.get(payment__order=order)
    there = Charge(str(attempt.charge_id), str(attempt.intent_id), cents, 0, currency, {})
    return told(compare.charge_difference(there, compare.read_ledger([there], [], [])), order)


def refund(order: Order, status: str, cents: int = 1000) -> Found:
    attempt = Attempt.objects.get(payment__order=order)
    there = RefundFacts(
        "re_1", cents, status, "", str(attempt.charge_id), str(attempt.intent_id), {}, timezone.now()
    )
    return told(compare.refund_difference(there, compare.read_ledger([], [there], [])), order)


def dispute(order: Order, status: str, cents: int = 4999) -> Found:
    attempt = Attempt.objects.get(payment__order=order)
    there = Dispute("du_1", str(attempt.intent_id), cents, status)
    return told(compare.dispute_difference(there, compare.read_ledger([], [], [there])), order)


def test_a_charge(order):
    movement = Attempt.objects.get().charge_id
    assert charge(order) is None
    assert charge(order, cents=4998) == (
        "amount_differs", movement, Decimal("49.98"), f"49,98{NB}€ chez Stripe, 49,99{NB}€ au grand livre.",
    )  # fmt: skip
    assert charge(order, currency="usd") == (
        "amount_differs", movement, Decimal("49.99"), "Encaissé en USD.",
    )  # fmt: skip


def test_a_refund_that_is_not_booked(order):
    assert refund(order, "succeeded") == (
        "refund_differs", "re_1", Decimal("10.00"), "Rendu chez Stripe, absent du grand livre.",
    )  # fmt: skip
    for status in ("pending", "requires_action", "failed", "canceled"):
        assert refund(order, status) is None


def test_a_refund_that_is_booked(order):
    book(order, LedgerKind.REFUND, "-10.00", "re_1")
    assert refund(order, "succeeded") is None
    assert refund(order, "succeeded", cents=1001) == (
        "refund_differs", "re_1", Decimal("10.01"), f"10,01{NB}€ chez Stripe, 10,00{NB}€ au grand livre.",
    )  # fmt: skip
    for status in ("failed", "canceled"):
        assert refund(order, status) == (
            "refund_differs", "re_1", Decimal("10.00"), "Rejeté chez Stripe, noté comme rendu au grand livre.",
        )  # fmt: skip


def test_a_refund_that_is_booked_as_rejected(order):
    book(order, LedgerKind.REFUND, "-10.00", "re_1")
    book(order, LedgerKind.REFUND_FAILED, "10.00", "re_1")
    assert refund(order, "failed") is None
    assert refund(order, "succeeded") == (
        "refund_differs", "re_1", Decimal("10.00"), "Rendu chez Stripe, noté comme rejeté au grand livre.",
    )  # fmt: skip


def test_a_dispute(order):
    for inquiry in ("warning_needs_response", "warning_under_review", "warning_closed"):
        assert dispute(order, inquiry) is None
    assert dispute(order, "needs_response") == (
        "dispute_differs", "du_1", Decimal("49.99"),
        "Repris par la banque du client, absent du grand livre.",
    )  # fmt: skip
    book(order, LedgerKind.DISPUTE, "-49.99", "du_1")
    assert dispute(order, "under_review") is None
    assert dispute(order, "lost") is None
    assert dispute(order, "lost", cents=2000) == (
        "dispute_differs", "du_1", Decimal("20.00"),
        f"20,00{NB}€ chez Stripe, 49,99{NB}€ au grand livre.",
    )  # fmt: skip
    assert dispute(order, "won") == (
        "dispute_differs", "du_1", Decimal("49.99"),
        "Litige gagné chez Stripe, montant non revenu au grand livre.",
    )  # fmt: skip
    book(order, LedgerKind.DISPUTE_WON, "49.99", "du_1")
    assert dispute(order, "won") is None
    assert dispute(order, "lost") == (
        "dispute_differs", "du_1", Decimal("49.99"),
        "Litige gagné au grand livre, montant non revenu chez Stripe.",
    )  # fmt: skip


def test_movements_of_charges_that_are_not_ours(order):
    there = RefundFacts("re_9", 1000, "succeeded", "", "ch_foreign", "pi_foreign", {}, timezone.now())
    assert compare.refund_difference(there, compare.read_ledger([], [there], [])) is None
    taken = Dispute("du_9", "pi_foreign", 1000, "lost")
    assert compare.dispute_difference(taken, compare.read_ledger([], [], [taken])) is None
