"""What was owed and sent by transfer is credited once, whatever the provider does with the refund meanwhile."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from orders.books.audit import audit_books
from orders.models import Invoice, Order, OrderStatus, Refund, RefundReason
from orders.selectors.refund_debts import debts
from orders.selectors.refund_rules import RefundRefused, refundable
from orders.selectors.refunds import progress
from orders.services.refunds.sending import sync_refunds
from orders.tests.factories import make_order, new_key, pay_order
from orders.tests.refunding import EUROS, PAID, bounced, ledger, refund, rows, send_all
from orders.tests.transfers import TODAY, refused, transfer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("day_of_transfers")]


def credited(order: Order) -> list[Decimal]:
    return list(
        Invoice.objects.filter(order=order, kind="credit_note")
        .order_by("sequence")
        .values_list("total", flat=True)
    )


def test_a_new_demand_beyond_what_was_not_credited_is_refused_and_says_why(provider):
    failed = bounced(provider, amount=EUROS("10.00"))
    order = failed.order
    assert refundable(order) == EUROS("39.99")
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        refund(order, amount=EUROS("40.00"))
    assert (caught.value.code, caught.value.extra) == ("refund_too_much", {"refundable": "39.99"})
    assert caught.value.detail == (
        "Impossible de traiter le remboursement: il reste 39,99\u00a0€ à rembourser. 10,00\u00a0€ sont déjà crédités, "
        "mais leur remboursement a échoué\u00a0: réessayez-le, ou réglez-le par virement."
    )
    assert rows() == before
    refund(order, amount=EUROS("39.99"))
    send_all()
    transfer(failed)
    assert credited(order) == [EUROS("-10.00"), EUROS("-39.99")]
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")


def test_a_refund_at_the_provider_larger_than_the_debt_credits_only_the_rest(provider):
    failed = bounced(provider, amount=EUROS("10.00"))
    order = failed.order
    provider.refund_elsewhere(failed.attempt, 4999)
    for _again in range(2):
        sync_refunds(str(failed.attempt.intent_id))
    outside = Refund.objects.get(order=order, reason=RefundReason.EXTERNAL)
    assert (outside.amount, outside.request.amount) == (EUROS("49.99"), EUROS("39.99"))
    assert credited(order) == [EUROS("-10.00"), EUROS("-39.99")]
    assert {progress(request) for request in order.refund_requests.all()} == {"succeeded"}
    assert refused("refund_made_good", failed)
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    # The bank takes that one back as well: both decisions owe again, and no installment credit note is written.
    provider.settle_refund(str(outside.provider_id), "failed")
    sync_refunds(str(failed.attempt.intent_id))
    assert sum((debt.owed for debt in debts(order)), Decimal(0)) == EUROS("49.99")
    for debt in debts(order):
        transfer(debt.refund, sent_on=TODAY.date(), amount=debt.owed)
    assert credited(order) == [EUROS("-10.00"), EUROS("-39.99")]
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")


def test_a_failure_heard_after_what_replaced_it_credits_nothing_twice(provider):
    with time_machine.travel(PAID, tick=False):
        order = pay_order(make_order())
        request = refund(order)
        send_all()
    sent = request.refunds.get()
    provider.settle_refund(str(sent.provider_id), "failed")
    made = provider.refund_elsewhere(sent.attempt, 4999)
    from orders.services.refunds.outcomes import apply_refund

    # Told the wrong way round: the new one first.
    apply_refund(made)
    assert (Refund.objects.get(provider_id=made.refund_id).request, credited(order)) == (
        None,
        [EUROS("-49.99")],
    )
    sync_refunds(str(sent.attempt.intent_id))
    request.refresh_from_db()
    assert (progress(request), credited(order)) == ("succeeded", [EUROS("-49.99")])
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")
    faults = audit_books(timezone.now(), with_provider=False).faults
    assert [
        fault for fault in faults if fault.subject.startswith(order.reference) and fault.check != "contract"
    ] == []


def test_money_given_back_at_the_provider_after_the_transfer_is_a_fault_that_the_audit_tells(
    failed, provider
):
    transfer(failed)
    provider.refund_elsewhere(failed.attempt, 4999)
    sync_refunds(failed.attempt.intent_id)
    assert credited(failed.order) == [EUROS("-49.99")]
    found = [
        (fault.check, fault.detail)
        for fault in audit_books(timezone.now(), with_provider=False).faults
        if fault.check == "ledger"
    ]
    assert found == [("ledger", "factures moins avoirs 0.00, argent -49.99")]


def test_a_key_used_before_still_gives_its_decision(failed):
    key = new_key()
    first = refund(failed.order, key=key)
    assert refund(failed.order, key=key) == first
    assert timedelta(0) <= TODAY - first.created_at
