"""Money goes back once, however many workers, webhooks and refusals come together."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import partial

import pytest
from django.db import OperationalError, transaction
from django.utils import timezone

from orders.models import (
    Attempt,
    Invoice,
    LedgerEntry,
    Order,
    PaymentState,
    Refund,
    RefundRequest,
    RefundState,
    TransferReturn,
)
from orders.selectors.refund_rules import RefundRefused
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.services.payments.settlement import settle
from orders.services.refunds import outcomes
from orders.services.refunds.decisions import request_refund, retry_refund
from orders.services.refunds.sending import send_refund
from orders.services.refunds.transfers import settle_by_transfer, take_transfer_back
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_order, make_product, pay_order
from orders.tests.refunding import ledger, provider  # noqa: F401 - fixture
from shop.core.problems import Problem
from tests.races.concurrency import Started, run_concurrently, wait_until_blocked
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WORKERS = 20


@pytest.fixture
def refund(fake_stripe) -> Refund:
    product = make_product(price="60.00", stock_quantity=1)
    assert Buyer().checkout(checkout_body([line(product)], "60.00")).status_code == 201
    order = Order.objects.get()
    fake_stripe.pay(order)
    attempt = Attempt.objects.get()
    settle(attempt.pk)
    attempt.refresh_from_db()
    return Refund.objects.create(order=order, attempt=attempt, amount=Decimal("60.00"), reason="requested")


def test_one_refund_sent_by_twenty_workers_goes_back_once(fake_stripe, refund, figures):
    results = run_concurrently([partial(send_refund, refund.pk)] * WORKERS)
    errors = [outcome.error for outcome in results if outcome.error is not None]
    # Told to come back while another one is being served: the task tries again.
    assert {type(error) for error in errors} <= {gateway.GatewayUnavailable}
    send_refund(refund.pk)
    told = [event for event in fake_stripe.events() if "refund" in event["type"]]
    codes = [
        outcome.value
        for outcome in run_concurrently(
            [partial(Buyer(number).webhook, event) for number, event in enumerate(told * 3)]
        )
    ]
    assert set(codes) == {200}
    refund.refresh_from_db()
    assert refund.state == RefundState.SUCCEEDED
    assert [
        (facts.refund_id, facts.amount_cents) for facts in gateway.list_refunds(refund.attempt.intent_id)
    ] == [(refund.provider_id, 6000)]
    assert list(LedgerEntry.objects.order_by("pk").values_list("kind", "amount")) == [
        ("charge", Decimal("60.00")),
        ("refund", Decimal("-60.00")),
    ]
    assert refund.order.payments.get().state == PaymentState.REFUNDED
    assert refund.order.events.filter(name="refund.succeeded").count() == 1
    figures(
        refund_workers=WORKERS, refund_webhooks=len(codes), refunds_at_stripe=1, refund_ledger_entries=1,
        asked_to_come_back=len(errors),
    )  # fmt: skip


def test_a_refusal_and_the_news_of_it_do_not_wait_for_each_other_in_a_circle(fake_stripe, refund):
    """The worker was refused and writes it down while a webhook holds the order and is about to take the refund."""
    Refund.objects.update(state=RefundState.SENT)
    with transaction.atomic():
        Order.objects.select_for_update().get()
        refused = Started(partial(outcomes.record_refusal, refund.pk, "charge_disputed"))
        wait_until_blocked()
        Refund.objects.select_for_update().get()
    refused.value()
    refund.refresh_from_db()
    assert (refund.state, refund.error) == (RefundState.FAILED, "charge_disputed")


def test_a_refund_and_the_news_of_it_at_once_are_booked_once(fake_stripe, refund):
    """A worker's answer and Stripe's own message about it, in whichever order they come."""

    def tell() -> list[int]:
        return [Buyer().webhook(event) for event in fake_stripe.events() if "refund" in event["type"]]

    results = run_concurrently(
        [partial(send_refund, refund.pk), *[tell] * 5, partial(send_refund, refund.pk)]
    )
    kinds = Counter(type(outcome.error) for outcome in results if outcome.error is not None)
    assert set(kinds) <= {gateway.GatewayUnavailable}
    assert all(set(outcome.value) <= {200} for outcome in results[1:6])
    send_refund(refund.pk)
    assert sum(LedgerEntry.objects.values_list("amount", flat=True)) == Decimal("0.00")
    assert LedgerEntry.objects.count() == 2


@pytest.mark.usefixtures("provider")
def test_one_key_for_two_orders_at_once_refunds_the_first_of_them():
    first, second = (pay_order(make_order()) for _ in range(2))
    with transaction.atomic():
        made = request_refund(order_id=first.pk, key="one", amount=Decimal("1.00"))
        other = Started(partial(request_refund, order_id=second.pk, key="one", amount=Decimal("1.00")))
        wait_until_blocked()
    with pytest.raises(Problem) as caught:
        other.value()
    assert (caught.value.code, caught.value.status) == ("idempotency_key_reused", 422)
    assert RefundRequest.objects.get() == made
    assert Refund.objects.get().order == first


@pytest.mark.usefixtures("provider")
def test_an_invoice_that_is_being_credited_is_not_corrected_beside_it():
    order = pay_order(make_order())
    with transaction.atomic():
        request_refund(order_id=order.pk, key="all")
        name = partial(edit_invoice, order_id=order.pk, values=DraftValues("Zoé"), explanation="Nom")
        corrected = Started(name)
        wait_until_blocked()
        send_refund(Refund.objects.get().pk)
    with pytest.raises(Problem) as caught:
        corrected.value()
    assert (caught.value.code, caught.value.status) == ("invoice_credited", 409)
    numbers = Invoice.objects.order_by("pk").values_list("kind", "total")
    assert list(numbers) == [("invoice", order.total), ("credit_note", -order.total)]


def test_ten_administrators_with_a_transfer_and_ten_with_a_retry_make_one_of_them(
    fake_stripe, refund, figures
):
    """Whoever is first: a transfer that all others find, or a retry that refuses the transfers."""
    Refund.objects.update(state=RefundState.SENT)
    outcomes.record_refusal(refund.pk, "expired_or_canceled_card")
    transfer = partial(
        settle_by_transfer,
        refund_id=refund.pk, sent_on=timezone.localdate(), reference="VIR 118", amount=Decimal("60.00"),
    )  # fmt: skip
    results = run_concurrently([transfer, partial(retry_refund, refund_id=refund.pk)] * (WORKERS // 2))
    made = Refund.objects.get(replaces=refund)
    refused = {outcome.error.code for outcome in results if isinstance(outcome.error, RefundRefused)}
    # On a slow machine somebody may have waited for the order too long, and is told to come again.
    others = [outcome.error for outcome in results if not isinstance(outcome.error, RefundRefused | None)]
    assert {type(error) for error in others} <= {OperationalError}
    assert {outcome.value.pk for outcome in results if outcome.error is None} == {made.pk}
    moved = [amount for _kind, amount in ledger(refund.order)]
    if made.method == "transfer":
        assert (refused, moved) == ({"refund_transferred"}, [Decimal("60.00"), Decimal("-60.00")])
    else:
        assert (refused, moved) == ({"refund_retried"}, [Decimal("60.00")])
    figures(transfers_and_retries=WORKERS, replacements=1)


def test_a_transfer_that_ten_administrators_take_back_while_ten_settle_it_again_comes_back_once(
    fake_stripe, refund, figures
):
    Refund.objects.update(state=RefundState.SENT)
    outcomes.record_refusal(refund.pk, "expired_or_canceled_card")
    today = timezone.localdate()
    first = settle_by_transfer(
        refund_id=refund.pk, sent_on=today, reference="VIR 118", amount=Decimal("60.00")
    )
    taken = partial(take_transfer_back, refund_id=first.pk, returned_on=today, why=TransferReturn.RETURNED)
    again = partial(
        settle_by_transfer, refund_id=first.pk, sent_on=today, reference="VIR 131", amount=Decimal("60.00")
    )
    results = run_concurrently([taken, again] * (WORKERS // 2))
    refused = {outcome.error.code for outcome in results if isinstance(outcome.error, RefundRefused)}
    # Who settles before it came back is told that it has not failed.
    assert refused <= {"refund_not_failed"}
    others = [outcome.error for outcome in results if not isinstance(outcome.error, RefundRefused | None)]
    assert {type(error) for error in others} <= {OperationalError}
    assert take_transfer_back(refund_id=first.pk, returned_on=today, why=TransferReturn.RETURNED) == first
    # Whoever settled it once more got the same second transfer, and the books hold each movement once.
    made = list(Refund.objects.filter(replaces=first))
    settled = {outcome.value for outcome in results[1::2] if outcome.error is None}
    assert settled == set(made)
    second = [("refund", Decimal("-60.00"))] * len(made)
    assert ledger(refund.order) == [
        ("charge", Decimal("60.00")),
        ("refund", Decimal("-60.00")),
        ("refund_failed", Decimal("60.00")),
        *second,
    ]
    figures(administrators=WORKERS, taken_back=1)
