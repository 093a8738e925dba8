"""Giving money back: what is decided, what is sent, what it leaves behind. To the last row and cent."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from orders.models import (
    Attempt,
    Dispute,
    Invoice,
    LedgerEntry,
    Order,
    OrderStatus,
    Payment,
    PaymentState,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
)
from orders.payments import gateway, reconcile
from orders.selectors.refunds import progress, refunds_for_page
from orders.services import refund_rules
from orders.services.disputes import sync_disputes
from orders.services.fulfilment import update_status
from orders.services.refund_outcomes import apply_refund
from orders.services.refund_rules import RefundRefused, paid_for, propose_refund, refundable
from orders.services.refund_sending import send_refund, sync_refunds
from orders.services.refunds import request_refund, restock_line, retry_refund
from orders.tests.factories import make_order, make_product, make_seller, new_key, pay_order
from orders.tests.memory_provider import MemoryProvider
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

EUROS = Decimal


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> MemoryProvider:
    make_seller()
    provider = MemoryProvider()
    provider.install(monkeypatch)
    return provider


@pytest.fixture
def order() -> Order:
    """One piece at 40.00, delivered for 9.99."""
    return pay_order(make_order((make_product(stock_quantity=3), 1)))


def refund(order: Order, **demand: Any) -> RefundRequest:
    return request_refund(order_id=order.pk, key=demand.pop("key", new_key()), **demand)


def send_all() -> None:
    for waiting in Refund.objects.filter(state__in=("requested", "sent")).order_by("created_at"):
        send_refund(waiting.pk)


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
    """Later payments, as an order in thirds has them."""
    for position, amount in enumerate(amounts, start=2):
        Payment.objects.create(
            order=order, position=position, count=len(amounts) + 1, amount=EUROS(amount),
            due_on=timezone.localdate() + timedelta(days=30 * (position - 1)), state=PaymentState.SCHEDULED,
        )  # fmt: skip


def paid_again(order: Order, amount: str) -> Attempt:
    """The next payment of an order in thirds came in."""
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


def test_everything_goes_back_with_the_delivery(order, queued_tasks, run_on_commit):
    with run_on_commit():
        request = refund(order)
    assert (request.amount, request.voided, request.shipping) == (
        EUROS("49.99"),
        EUROS("0.00"),
        EUROS("9.99"),
    )
    assert request.reason == "Demande de remboursement"
    sent = Refund.objects.get()
    assert (sent.amount, sent.state, sent.request) == (EUROS("49.99"), RefundState.REQUESTED, request)
    assert queued_tasks.calls[-1][1] == (str(sent.pk),)
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    assert ledger(order) == [("charge", EUROS("49.99"))]
    assert progress(request) == "pending"

    send_refund(sent.pk)
    order.refresh_from_db()
    request.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert [entry.status for entry in order.tracking.order_by("pk")] == ["confirmed", "refunded"]
    assert order.payments.get().state == PaymentState.REFUNDED
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-49.99"))]
    assert progress(request) == "succeeded"
    assert mails(order) == ["refund_done"]
    credit_note = Invoice.objects.get(kind="credit_note")
    assert (credit_note.refund_request, credit_note.total) == (request, EUROS("-49.99"))
    assert refundable(order) == EUROS("0.00")
    # What was credited is not put on the shelf unless somebody says so.
    assert order.items.get().product.stock_quantity == 2


def test_some_units_are_worth_what_was_paid_for_them_and_the_rest_comes_with_the_last(provider):
    product = make_product(
        price="30.00", promotion_active=True, promotion_type="buy_2_get_1", stock_quantity=9
    )
    order = pay_order(make_order((product, 3), country="US"))
    item = order.items.get()
    assert (order.total, item.free_quantity) == (EUROS("109.99"), 1)
    assert paid_for(order) == {item.pk: EUROS("60.00")}

    first = refund(order, lines=[(item.pk, 1, True)])
    assert (first.amount, first.shipping) == (EUROS("20.00"), EUROS("0.00"))
    assert list(first.lines.values_list("quantity", "amount", "restocked")) == [(1, EUROS("20.00"), True)]
    send_all()
    order.refresh_from_db()
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PARTLY_REFUNDED)
    product.refresh_from_db()
    assert product.stock_quantity == 7

    second = refund(order, lines=[(item.pk, 2, False)])
    assert (second.amount, second.shipping) == (EUROS("89.99"), EUROS("49.99"))
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")
    assert mails(order) == ["refund_done", "refund_done"]
    product.refresh_from_db()
    assert product.stock_quantity == 7


def test_goods_that_come_back_later_go_on_the_shelf_once(order):
    request = refund(order, lines=[(order.items.get().pk, 1, False)])
    line_id = request.lines.get().pk
    assert restock_line(line_id=line_id) is True
    assert restock_line(line_id=line_id) is False
    assert order.items.get().product.stock_quantity == 3


def test_a_level_counted_since_the_sale_gets_nothing_back():
    product = make_product()
    order = pay_order(make_order((product, 1)))
    product.stock_quantity = 5
    product.save()
    refund(order, lines=[(order.items.get().pk, 1, True)])
    product.refresh_from_db()
    assert product.stock_quantity == 5


def test_an_amount_then_everything_gives_back_what_was_paid(order):
    assert refund(order, amount=EUROS("5.00"), reason=" Un éclat ").reason == "Un éclat"
    rest = refund(order)
    assert (rest.amount, rest.shipping) == (EUROS("44.99"), EUROS("4.99"))
    assert list(rest.lines.values_list("quantity", "amount")) == [(1, EUROS("40.00"))]
    send_all()
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")


def test_less_may_be_granted_for_lines_than_they_are_worth(order):
    item = order.items.get()
    request = refund(order, lines=[(item.pk, 1, False)], amount=EUROS("30.00"))
    assert (request.amount, request.shipping) == (EUROS("30.00"), EUROS("0.00"))
    assert request.lines.get().amount == EUROS("30.00")
    assert refundable(order) == EUROS("19.99")


@pytest.mark.parametrize(
    ("demand", "code", "left", "message"),
    [
        ({"amount": EUROS("50.00")}, "refund_too_much", "49.99", "il reste 49,99\u00a0€ à rembourser."),
        ({"amount": EUROS("0.00")}, "refund_invalid", None, "le montant doit être positif, au centime près."),
        (
            {"amount": EUROS("-1.00")},
            "refund_invalid",
            None,
            "le montant doit être positif, au centime près.",
        ),
        (
            {"amount": EUROS("0.001")},
            "refund_invalid",
            None,
            "le montant doit être positif, au centime près.",
        ),
        ({"lines": []}, "refund_invalid", None, "aucune ligne n'est choisie."),
        ({"lines": [(0, 1, False)]}, "refund_invalid", None, "une ligne ou une quantité est inconnue."),
    ],
)
def test_what_can_not_be_given_back_is_refused_with_its_reason(order, demand, code, left, message):
    problem = refused(code, order, **demand)
    assert problem.detail == f"Impossible de traiter le remboursement: {message}"
    assert problem.extra.get("refundable") == left
    assert problem.status == (400 if code == "refund_invalid" else 409)


def test_more_units_than_were_bought_are_refused(order):
    item = order.items.get()
    problem = refused("refund_too_many_units", order, lines=[(item.pk, 2, True)])
    assert problem.detail.endswith("il reste 1 à rembourser de «\u00a0Golem de poche\u00a0».")
    refund(order, lines=[(item.pk, 1, False)], amount=EUROS("30.00"))
    problem = refused("refund_too_many_units", order, lines=[(item.pk, 1, False)])
    assert problem.detail.endswith("il reste 0 à rembourser de «\u00a0Golem de poche\u00a0».")


def test_the_same_line_twice_in_a_demand_is_refused(order):
    item = order.items.get()
    refused("refund_invalid", order, lines=[(item.pk, 1, False), (item.pk, 1, False)])


def test_lines_of_another_order_are_refused(order):
    foreign = pay_order(make_order()).items.get()
    refused("refund_invalid", order, lines=[(foreign.pk, 1, False)])


def test_more_for_lines_than_they_are_worth_is_refused(order):
    problem = refused(
        "refund_too_much", order, lines=[(order.items.get().pk, 1, False)], amount=EUROS("50.00")
    )
    assert problem.extra == {"refundable": "49.99"}


def test_an_unpaid_order_and_one_given_back_have_nothing_to_refund(order):
    refused("refund_not_paid", make_order())
    refund(order)
    refused("refund_nothing_left", order)
    send_all()
    refused("refund_nothing_left", order, amount=EUROS("0.01"))


def test_two_clicks_with_one_key_make_one_refund(order):
    first = refund(order, key="click", amount=EUROS("10.00"))
    assert refund(order, key="click", amount=EUROS("10.00")) == first
    assert Refund.objects.count() == 1
    before = rows()
    with pytest.raises(Problem) as caught:
        refund(order, key="click", amount=EUROS("11.00"))
    assert (caught.value.code, caught.value.status) == ("idempotency_key_reused", 422)
    with pytest.raises(Problem):
        refund(pay_order(make_order()), key="click", amount=EUROS("10.00"))
    assert RefundRequest.objects.count() == 1
    assert rows()[3] == before[3]


def test_two_administrators_never_give_back_more_than_is_left(order):
    refund(order, amount=EUROS("30.00"))
    problem = refused("refund_too_much", order, amount=EUROS("30.00"))
    assert problem.extra == {"refundable": "19.99"}


# --- Payments that are still due ----------------------------------------------------------------------


def in_thirds() -> Order:
    """180.00 in thirds: the first is paid, 120.00 are due."""
    order = pay_order(make_order((make_product(price="60.00"), 1)))
    Order.objects.update(
        total=EUROS("180.00"),
        subtotal=EUROS("180.00"),
        original_total=EUROS("180.00"),
        payment_mode="installments",
    )
    order.items.update(unit_price=EUROS("180.00"), line_total=EUROS("180.00"))
    owe(order, "60.00", "60.00")
    order.refresh_from_db()
    return order


def states(order: Order) -> list[tuple[str, Decimal]]:
    return list(order.payments.order_by("position").values_list("state", "amount"))


def test_what_is_due_is_voided_first_then_charges_go_back_the_latest_first():
    order = in_thirds()
    paid_again(order, "60.00")
    proposal = propose_refund(order)
    assert (proposal.amount, proposal.voided, proposal.money) == (
        EUROS("180.00"),
        EUROS("60.00"),
        EUROS("120.00"),
    )
    request = refund(order)
    assert (request.amount, request.voided) == (EUROS("180.00"), EUROS("60.00"))
    assert states(order) == [("paid", 60), ("paid", 60), ("void", 60)]
    sent = Refund.objects.order_by("-attempt__payment__position")
    assert [(row.attempt.payment.position, row.amount) for row in sent] == [(2, 60), (1, 60)]
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert states(order) == [("refunded", 60), ("refunded", 60), ("void", 60)]
    assert Invoice.objects.get(kind="credit_note").total == EUROS("-180.00")


def test_a_small_refund_lowers_the_last_payment_and_moves_no_money():
    order = in_thirds()
    request = refund(order, amount=EUROS("25.00"))
    assert (request.amount, request.voided) == (EUROS("25.00"), EUROS("25.00"))
    assert not Refund.objects.exists()
    assert request.settled_at is not None
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 35)]
    assert mails(order) == ["refund_done"]
    assert refundable(order) == EUROS("155.00")


def test_a_refund_beyond_the_last_payment_lowers_the_one_before():
    order = in_thirds()
    refund(order, amount=EUROS("80.00"))
    assert states(order) == [("paid", 60), ("scheduled", 40), ("void", 60)]
    assert not Refund.objects.exists()


def test_a_payment_is_never_lowered_below_what_a_card_can_pay():
    order = in_thirds()
    request = refund(order, amount=EUROS("59.80"))
    assert states(order) == [("paid", 60), ("scheduled", EUROS("59.70")), ("scheduled", EUROS("0.50"))]
    assert request.voided == EUROS("59.80")


def test_a_payment_that_is_being_collected_is_left_alone_by_a_small_refund():
    order = in_thirds()
    last = order.payments.get(position=3)
    Attempt.objects.create(payment=last, state="sent", amount_cents=6000, expires_at=timezone.now())
    refund(order, amount=EUROS("25.00"))
    assert states(order) == [("paid", 60), ("scheduled", 35), ("scheduled", 60)]

    order.payments.filter(position=3).update(amount=EUROS("90.00"))
    # 60.00 can go back and 35.00 need not be paid: 90.00 more is on its way in.
    problem = refused("refund_busy", order, amount=EUROS("100.00"))
    assert problem.extra == {"refundable": "185.00"}


def test_a_refund_as_large_as_what_is_due_ends_every_charge_to_come():
    order = in_thirds()
    request = refund(order, amount=EUROS("130.00"))
    assert (request.voided, request.settled_at) == (EUROS("120.00"), None)
    assert states(order) == [("paid", 60), ("void", 60), ("void", 60)]
    assert Refund.objects.get().amount == EUROS("10.00")


# --- What the provider says ---------------------------------------------------------------------------


def test_a_pending_refund_is_not_done_until_the_bank_says_so(order, provider):
    provider.begins = "pending"
    request = refund(order)
    send_all()
    waiting = Refund.objects.get()
    assert (waiting.state, progress(request)) == (RefundState.PENDING, "pending")
    assert ledger(order) == [("charge", EUROS("49.99"))]
    provider.settle_refund(waiting.provider_id, "succeeded")
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 1
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED


def test_a_refund_that_fails_later_gives_the_amount_back_and_alerts(order, provider):
    request = refund(order)
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    for _again in range(2):
        sync_refunds(sent.attempt.intent_id)
    sent.refresh_from_db()
    order.refresh_from_db()
    request.refresh_from_db()
    assert (sent.state, sent.error) == (RefundState.FAILED, "expired_or_canceled_card")
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PAID)
    assert ledger(order) == [
        ("charge", EUROS("49.99")),
        ("refund", EUROS("-49.99")),
        ("refund_failed", EUROS("49.99")),
    ]
    assert (request.settled_at, progress(request)) == (None, "failed")
    assert mails(order) == ["refund_done", "refund_failed_alert"]
    # Its credit note stands: the decision is completed, not made a second time.
    assert refundable(order) == EUROS("0.00")
    assert refused("refund_retry_first", order, amount=EUROS("1.00")).detail.endswith(
        "un remboursement de 49,99\u00a0€ a échoué\u00a0: réessayez-le."
    )

    again = retry_refund(refund_id=sent.pk)
    assert retry_refund(refund_id=sent.pk) == again
    assert (again.replaces, again.request, again.amount) == (sent, request, EUROS("49.99"))
    assert progress(request) == "pending"
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")
    # The credit note was issued when the money was back for the first time, and stands.
    assert Invoice.objects.filter(kind="credit_note").count() == 1


@pytest.mark.parametrize("amount", [None, EUROS("49.99")])
def test_everything_asked_for_again_completes_what_failed(order, provider, amount):
    request = refund(order)
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    for _click in range(2):
        assert refund(order, key="again", amount=amount) == request
    retried = Refund.objects.exclude(pk=sent.pk).get()
    assert (retried.replaces, retried.amount, retried.retry_key) == (sent, EUROS("49.99"), "again")
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-49.99")]


def test_everything_is_what_failed_and_what_was_never_given_back(order, provider):
    first = refund(order, amount=EUROS("10.00"))
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    rest = refund(order)
    assert (rest.amount, rest.shipping) == (EUROS("39.99"), EUROS("0.00"))
    assert Refund.objects.get(replaces=sent).request == first
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    notes = Invoice.objects.filter(kind="credit_note").order_by("sequence")
    assert [note.total for note in notes] == [EUROS("-10.00"), EUROS("-39.99")]


def test_a_failed_refund_made_again_by_hand_completes_its_decision(order, provider):
    request = refund(order)
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    provider.refund_elsewhere(sent.attempt, 4999)
    sync_refunds(sent.attempt.intent_id)
    by_hand = Refund.objects.get(reason=RefundReason.EXTERNAL)
    assert (by_hand.request, by_hand.replaces) == (request, sent)
    assert RefundRequest.objects.count() == 1
    assert progress(RefundRequest.objects.get()) == "succeeded"


def test_old_news_does_not_undo_a_failure(order, provider):
    refund(order)
    send_all()
    sent = Refund.objects.get()
    succeeded = provider.list_refunds(sent.attempt.intent_id)[0]
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    apply_refund(succeeded)
    sent.refresh_from_db()
    assert sent.state == RefundState.FAILED
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("49.99")


def test_only_what_failed_is_tried_again_and_only_what_is_left(order, provider):
    provider.begins = "pending"
    item = order.items.get()
    whole = refund(order, lines=[(item.pk, 1, False)])
    send_all()
    sent = Refund.objects.get()
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=sent.pk)
    assert caught.value.code == "refund_not_failed"
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    # Nothing of it took effect: the money and the units are free for another decision.
    assert (refundable(order), progress(whole)) == (EUROS("49.99"), "failed")
    refund(order, lines=[(item.pk, 1, False)], amount=EUROS("0.01"))
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=sent.pk)
    assert (caught.value.code, caught.value.extra) == ("refund_too_much", {"refundable": "49.98"})
    assert Refund.objects.count() == 2


def test_units_credited_by_another_decision_since_are_not_credited_again(order, provider):
    provider.begins = "pending"
    item = order.items.get()
    refund(order, lines=[(item.pk, 1, True)], amount=EUROS("20.00"))
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    refund(order, lines=[(item.pk, 1, True)], amount=EUROS("5.00"))
    # The piece came back once, whatever was decided about it.
    assert item.product.__class__.objects.get().stock_quantity == 3
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=sent.pk)
    assert caught.value.code == "refund_too_many_units"
    assert rows() == before


def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(order, provider):
    refund(order)
    provider.lost = True
    with pytest.raises(gateway.GatewayUnavailable):
        send_all()
    assert Refund.objects.get().state == RefundState.SENT
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 1
    assert len(provider.charges[Attempt.objects.get().intent_id].refunds) == 1
    assert Refund.objects.get().state == RefundState.SUCCEEDED


def test_after_a_day_what_was_done_is_looked_up_before_anything_is_done_again(order, provider):
    refund(order, amount=EUROS("10.00"))
    provider.lost = True
    with pytest.raises(gateway.GatewayUnavailable):
        send_all()
    provider.forget_keys()
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        send_all()
    assert len(provider.charges[Attempt.objects.get().intent_id].refunds) == 1
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-10.00"))]


def test_a_failure_that_the_provider_keeps_is_looked_up_and_holds_nobody_up(order, provider, monkeypatch):
    other = pay_order(make_order())
    stuck = refund(order)
    refund(other)
    stuck_refund = stuck.refunds.get()

    def fails(*, key: str, **rest: Any) -> Any:
        if key == stuck_refund.idempotency_key:
            raise gateway.GatewayUnavailable("500", kept=True)
        return provider.create_refund(key=key, **rest)

    monkeypatch.setattr(gateway, "create_refund", fails)
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 1
    stuck_refund.refresh_from_db()
    other.refresh_from_db()
    assert (stuck_refund.state, other.status) == (RefundState.SENT, OrderStatus.REFUNDED)


def test_an_order_of_the_demonstration_is_refunded_without_a_provider(order, monkeypatch):
    Attempt.objects.update(intent_id="demo-intent-1")
    monkeypatch.setattr(gateway, "create_refund", lambda **call: pytest.fail("the provider was asked"))
    refund(order)
    send_all()
    assert Refund.objects.get().provider_id.startswith("demo-refund-")
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED


def test_a_charge_given_back_elsewhere_is_a_state_and_not_a_crash(order, provider):
    request = refund(order)
    provider.refund_elsewhere(Attempt.objects.get(), 4999)
    send_all()
    ours = request.refunds.get()
    assert (ours.state, ours.error) == (RefundState.FAILED, "charge_already_refunded")
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-49.99"))]
    external = Refund.objects.get(reason=RefundReason.EXTERNAL)
    assert (external.amount, external.request.external) == (EUROS("49.99"), True)
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert mails(order) == ["refund_done", "refund_failed_alert"]


def test_a_refund_made_elsewhere_is_recognised_once(order, provider):
    attempt = Attempt.objects.get()
    made = provider.refund_elsewhere(attempt, 1000)
    for _again in range(3):
        sync_refunds(attempt.intent_id)
    row = Refund.objects.get()
    assert (row.reason, row.state, row.amount, row.provider_id) == (
        "external",
        "succeeded",
        10,
        made.refund_id,
    )
    request = RefundRequest.objects.get()
    assert (request.external, request.amount, request.actor) == (True, EUROS("10.00"), None)
    assert progress(request) == "succeeded"
    assert refundable(order) == EUROS("39.99")
    order.refresh_from_db()
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PARTLY_REFUNDED)


def test_everything_given_back_elsewhere_ends_the_charges_to_come(provider):
    order = in_thirds()
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, 6000)
    sync_refunds(attempt.intent_id)
    request = RefundRequest.objects.get()
    assert (request.amount, request.voided) == (EUROS("180.00"), EUROS("120.00"))
    assert states(order) == [("refunded", 60), ("void", 60), ("void", 60)]
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED


def test_a_refund_made_elsewhere_that_fails_is_given_back(order, provider):
    attempt = Attempt.objects.get()
    made = provider.refund_elsewhere(attempt, 1000)
    sync_refunds(attempt.intent_id)
    provider.settle_refund(made.refund_id, "failed")
    sync_refunds(attempt.intent_id)
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("49.99")
    assert refundable(order) == EUROS("39.99")
    assert mails(order) == ["refund_done", "refund_failed_alert"]


def test_refunds_of_other_sites_on_the_account_are_left_alone(order):
    before = rows()
    sync_refunds("pi_of_somebody_else")
    sync_disputes("pi_of_somebody_else")
    assert rows() == before


# --- Disputes -----------------------------------------------------------------------------------------


def dispute(provider: MemoryProvider, status: str = "needs_response", cents: int | None = None) -> str:
    attempt = Attempt.objects.filter(charge_id__isnull=False).latest("created_at")
    dispute_id = provider.open_dispute(attempt, cents)
    provider.move_dispute(dispute_id, status)
    sync_disputes(attempt.intent_id)
    return dispute_id


def test_an_open_dispute_freezes_the_order(order, provider):
    dispute_id = dispute(provider)
    row = Dispute.objects.get()
    assert (row.provider_id, row.amount, row.state, row.reason) == (
        dispute_id, EUROS("49.99"), "needs_response", "fraudulent",
    )  # fmt: skip
    assert ledger(order) == [("charge", EUROS("49.99")), ("dispute", EUROS("-49.99"))]
    order.refresh_from_db()
    assert order.review_reason == "dispute: needs_response"
    assert mails(order) == ["dispute_alert"]
    problem = refused("refund_disputed", order)
    assert problem.detail == (
        "Impossible de traiter le remboursement: la banque du client conteste ce paiement. "
        "Répondez d'abord au litige."
    )
    with pytest.raises(Problem) as caught:
        update_status(order_id=order.pk, status="shipped", actor=None)
    assert (caught.value.code, caught.value.detail) == (
        "order_disputed",
        "La banque du client conteste ce paiement\u00a0: n'expédiez rien tant que le litige est ouvert.",
    )
    order.refresh_from_db()
    assert (order.status, order.shipped_at) == (OrderStatus.CONFIRMED, None)
    update_status(order_id=order.pk, status="processing", actor=None)


def test_a_dispute_won_gives_the_money_back_and_lifts_the_freeze(order, provider):
    dispute_id = dispute(provider)
    attempt = Attempt.objects.get()
    for status in ("under_review", "won", "won"):
        provider.move_dispute(dispute_id, status)
        sync_disputes(attempt.intent_id)
    row = Dispute.objects.get()
    assert (row.state, row.closed_at is None) == ("won", False)
    assert [kind for kind, _amount in ledger(order)] == ["charge", "dispute", "dispute_won"]
    order.refresh_from_db()
    assert order.review_reason == ""
    assert mails(order) == ["dispute_alert"] * 3
    update_status(order_id=order.pk, status="shipped", actor=None)
    assert refund(order).amount == EUROS("49.99")


def test_a_dispute_lost_takes_the_money_and_ends_the_charges_to_come(provider):
    order = in_thirds()
    dispute_id = dispute(provider)
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 60)]
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(Attempt.objects.get().intent_id)
    assert states(order) == [("paid", 60), ("void", 60), ("void", 60)]
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (OrderStatus.CONFIRMED, "dispute: lost")
    refused("refund_nothing_left", order)


def test_a_closed_dispute_stays_closed_whatever_comes_late(order, provider):
    dispute_id = dispute(provider, "lost")
    assert [kind for kind, _amount in ledger(order)] == ["charge", "dispute"]
    provider.move_dispute(dispute_id, "under_review")
    sync_disputes(Attempt.objects.get().intent_id)
    assert Dispute.objects.get().state == "lost"


def test_an_inquiry_moves_no_money_and_is_told_once(order, provider):
    dispute_id = dispute(provider, "warning_needs_response")
    sync_disputes(Attempt.objects.get().intent_id)
    assert not Dispute.objects.exists()
    assert ledger(order) == [("charge", EUROS("49.99"))]
    assert mails(order) == ["dispute_alert"]
    provider.move_dispute(dispute_id, "warning_closed")
    sync_disputes(Attempt.objects.get().intent_id)
    assert mails(order) == ["dispute_alert"]


def test_a_refund_refused_for_a_dispute_tells_the_shop_of_it(order, provider):
    request = refund(order)
    provider.open_dispute(Attempt.objects.get())
    send_all()
    assert request.refunds.get().error == "charge_disputed"
    assert Dispute.objects.get().state == "needs_response"
    assert progress(request) == "failed"
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=request.refunds.get().pk)
    assert caught.value.code == "refund_disputed"
    assert sorted(mails(order)) == ["dispute_alert", "refund_failed_alert"]


# --- What is read -------------------------------------------------------------------------------------


def test_the_order_page_tells_each_refund_with_its_state(order, provider, django_assert_num_queries):
    refund(order, amount=EUROS("5.00"), reason="Un éclat")
    send_all()
    provider.begins = "pending"
    refund(order, amount=EUROS("6.00"))
    send_all()
    with django_assert_num_queries(3):
        shown = refunds_for_page(order)
    assert [(row.money, row.reason, row.progress) for row in shown] == [
        (EUROS("5.00"), "Un éclat", "succeeded"),
        (EUROS("6.00"), "Demande de remboursement", "pending"),
    ]


def test_proposing_asks_a_known_number_of_queries(order, django_assert_num_queries):
    # Charges 5, due 1, dispute 1, lines 1, returned units 1, payments to void 1.
    with django_assert_num_queries(10):
        propose_refund(order)
    assert refund_rules.open_dispute(order) is None
