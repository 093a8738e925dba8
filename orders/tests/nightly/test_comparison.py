"""Three days of the provider's account against the ledger, both ways, over HTTP with the sandbox."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone, translation

from orders.books.audit import ProviderState, audit_books
from orders.models import (
    Attempt,
    Discrepancy,
    DiscrepancyKind,
    LedgerEntry,
    LedgerKind,
    Order,
    OrderStatus,
    Payment,
    PaymentState,
)
from orders.services.reconciliation import nightly
from orders.services.reconciliation.comparison import Difference
from orders.services.reconciliation.discrepancies import record_differences, resolve_discrepancy
from orders.services.reconciliation.nightly import NightlyReport
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.services.refunds.transfers import settle_by_transfer
from orders.stripe import account_activity, gateway
from orders.tests.factories import make_order
from orders.tests.nightly.nights import SOON, discrepancies, mails, run, sell_elsewhere
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_books_that_agree_leave_nothing_behind(fake_stripe, paid_order):
    assert run() == NightlyReport(looked_at=1, healed=0, open=0)
    assert discrepancies() == []
    assert mails() == []


def test_a_charge_that_nobody_heard_of_is_booked_by_the_one_door(fake_stripe, order):
    fake_stripe.pay(order)
    # The five-minute job never ran either.
    assert run() == NightlyReport(looked_at=1, healed=1, open=0)
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    assert LedgerEntry.objects.get().amount == Decimal("60.00")
    assert discrepancies() == []


def test_a_refund_whose_answer_was_lost_is_booked(fake_stripe, paid_order):
    attempt = Attempt.objects.get()
    fake_stripe.control("refunds", payment_intent=attempt.intent_id, amount=1000)
    report = run()
    assert (report.looked_at, report.healed) == (2, 1)
    assert LedgerEntry.objects.get(kind=LedgerKind.REFUND).amount == Decimal("-10.00")
    assert discrepancies() == []


def test_money_without_order_is_found_once_and_told_once_a_night(fake_stripe, account):
    charge_id = sell_elsewhere(fake_stripe, account, shop="http://localhost:8000", attempt="lost")
    assert run() == NightlyReport(looked_at=1, healed=0, open=1)
    assert run() == NightlyReport(looked_at=1, healed=0, open=1)
    assert discrepancies() == [("money_without_order", charge_id, Decimal("15.00"), False)]
    day = timezone.localdate(timezone.now() + SOON)
    assert mails() == [f"reconciliation_discrepancies:{day}"]
    mail = OutgoingMail.objects.get(kind="reconciliation_discrepancies")
    assert mail.context["discrepancies"] == [
        {
            "kind": "Argent sans commande",
            "amount": "15.00",
            "movement": charge_id,
            "order": "",
            "detail": "Encaissé chez Stripe, absent du grand livre.",
        }
    ]
    assert (mail.context["count"], mail.context["more"]) == (1, 0)


def test_money_without_order_that_went_back_is_closed_by_itself(fake_stripe, account):
    charge_id = sell_elsewhere(fake_stripe, account, shop="http://localhost:8000")
    run()
    fake_stripe.control("refunds", charge=charge_id)
    assert run().open == 0
    assert discrepancies() == [("money_without_order", charge_id, Decimal("15.00"), True)]
    assert Discrepancy.objects.get().resolution == "Disparu au rapprochement suivant."


def test_money_without_order_whose_refund_the_bank_rejects_is_open_again(fake_stripe, account):
    charge_id = sell_elsewhere(fake_stripe, account, shop="http://localhost:8000")
    run()
    fake_stripe.control("refunds", charge=charge_id)
    assert run().open == 0
    [refund] = account_activity.list_refunds(timezone.now() - SOON, timezone.now() + SOON)
    fake_stripe.control(f"refunds/{refund.refund_id}/settle", status="failed")
    assert run().open == 1
    assert discrepancies() == [("money_without_order", charge_id, Decimal("15.00"), False)]
    assert Discrepancy.objects.get().resolution == ""


def test_payments_of_another_site_on_the_account_are_none_of_our_business(fake_stripe, account):
    charge_id = sell_elsewhere(fake_stripe, account, shop="https://elsewhere.example")
    fake_stripe.control("refunds", charge=charge_id, amount=500)
    fake_stripe.control("disputes", charge=sell_elsewhere(fake_stripe, account))
    assert run() == NightlyReport(looked_at=0, healed=0, open=0)
    assert discrepancies() == []


def test_an_entry_that_the_provider_does_not_know_is_an_order_without_money(fake_stripe, paid_order):
    other = make_order()
    payment = Payment.objects.get(order=other)
    LedgerEntry.objects.create(
        order=other, payment=payment, kind=LedgerKind.CHARGE, amount=payment.amount, provider_id="ch_invented"
    )
    run()
    assert discrepancies() == [("order_without_money", "ch_invented", payment.amount, False)]
    assert Discrepancy.objects.get().order == other


def test_an_entry_that_the_provider_does_not_know_stays_open_beyond_the_lists(fake_stripe, paid_order):
    payment = paid_order.payments.get()
    LedgerEntry.objects.create(
        order=paid_order,
        payment=payment,
        kind=LedgerKind.REFUND,
        amount=Decimal("-5"),
        provider_id="re_invented",
    )
    assert run().open == 1
    assert run(timedelta(days=30)).open == 1
    assert discrepancies() == [("refund_differs", "re_invented", Decimal("5.00"), False)]


@pytest.mark.parametrize("kind", ["refund", "dispute"])
def test_a_movement_that_no_list_names_is_asked_for_by_its_name(fake_stripe, paid_order, monkeypatch, kind):
    """Its message came late, so its entry is younger than the days that the lists hold."""
    fake_stripe.control(f"{kind}s", payment_intent=Attempt.objects.get().intent_id)
    assert run().healed == 1
    for listed in ("charges", "refunds", "disputes"):
        monkeypatch.setattr(account_activity, f"list_{listed}", lambda *window: [])
    assert run() == NightlyReport(looked_at=0, healed=0, open=0)
    assert discrepancies() == []


def test_an_order_and_a_payment_that_say_paid_without_a_charge(fake_stripe):
    by_payment, by_order = make_order(), make_order()
    now = timezone.now()
    payment = Payment.objects.get(order=by_payment)
    payment.state, payment.paid_at = PaymentState.PAID, now
    payment.save()
    by_order.status, by_order.paid_at = OrderStatus.CONFIRMED, now
    by_order.save()
    run()
    assert discrepancies() == [
        ("order_without_money", f"payment-{payment.pk}", payment.amount, False),
        ("order_without_money", f"order-{by_order.pk}", by_order.total, False),
    ]
    # Put right by hand, the next night closes both.
    Payment.objects.filter(pk=payment.pk).update(state=PaymentState.DUE, paid_at=None)
    Order.objects.filter(pk=by_order.pk).update(status=OrderStatus.PENDING, paid_at=None)
    assert run().open == 0
    assert [closed for *_, closed in discrepancies()] == [True, True]


def test_amounts_that_differ(fake_stripe, order):
    fake_stripe.pay(order)
    attempt = Attempt.objects.get()
    charge_id = next(account_activity.list_charges(timezone.now() - SOON, timezone.now() + SOON)).charge_id
    LedgerEntry.objects.create(
        order=order,
        payment=attempt.payment,
        kind=LedgerKind.CHARGE,
        amount=Decimal("50.00"),
        provider_id=charge_id,
    )
    Attempt.objects.update(state="succeeded", charge_id=charge_id)
    run()
    assert discrepancies() == [("amount_differs", charge_id, Decimal("60.00"), False)]
    assert Discrepancy.objects.get().detail == "60,00\xa0€ chez Stripe, 50,00\xa0€ au grand livre."


def test_a_discrepancy_closed_by_a_person_stays_closed(fake_stripe, account, django_user_model):
    sell_elsewhere(fake_stripe, account, shop="http://localhost:8000")
    run()
    discrepancy = Discrepancy.objects.get()
    resolve_discrepancy(discrepancy_id=discrepancy.pk, how="Vente au marché, saisie à la main.", actor=None)
    with pytest.raises(Problem) as refused:
        resolve_discrepancy(discrepancy_id=discrepancy.pk, how="Encore.", actor=None)
    assert (refused.value.code, refused.value.status) == ("discrepancy_resolved", 409)
    assert run().open == 0
    discrepancy.refresh_from_db()
    assert discrepancy.resolution == "Vente au marché, saisie à la main."


def test_a_discrepancy_that_was_explained_is_open_again_once_something_else_is_found(
    fake_stripe, paid_order, monkeypatch
):
    dispute = fake_stripe.control("disputes", payment_intent=Attempt.objects.get().intent_id)["dispute"]
    monkeypatch.setattr(nightly, "sync_disputes", lambda intent_id: None)
    run()
    explained, gone = "Remboursé par virement.", "Disparu au rapprochement suivant."
    resolve_discrepancy(discrepancy_id=Discrepancy.objects.get().pk, how=explained, actor=None)
    # The same, in whatever language the command is run.
    with translation.override("de"):
        assert run().open == 0
    LedgerEntry.objects.create(
        order=paid_order,
        payment=paid_order.payments.get(),
        kind=LedgerKind.DISPUTE,
        amount=Decimal("-50.00"),
        provider_id=dispute["id"],
    )
    assert run().open == 1
    row = Discrepancy.objects.get()
    assert (row.detail, row.resolution, row.resolved_at) == (
        "60,00\xa0€ chez Stripe, 50,00\xa0€ au grand livre.", explained, None
    )  # fmt: skip
    assert row.found_at > timezone.now()
    # It is not by the words that a person's answer is told.
    resolve_discrepancy(discrepancy_id=row.pk, how=gone, actor=None)
    assert run().open == 0
    row.refresh_from_db()
    assert (row.resolution, row.is_explained) == (gone, True)


def test_an_open_discrepancy_shows_what_was_found_last():
    now = timezone.now()
    for amount, detail in (("60.00", "avant"), ("55.00", "après")):
        found = Difference(DiscrepancyKind.AMOUNT_DIFFERS, "ch_1", None, Decimal(amount), detail)
        record_differences([found], gone=[], now=now)
        now += SOON
    row = Discrepancy.objects.get()
    assert (row.amount, row.detail, row.found_at) == (Decimal("55.00"), "après", now - 2 * SOON)


def test_a_discrepancy_older_than_the_lists_stays_open_while_it_is_true(fake_stripe, account):
    charge_id = sell_elsewhere(fake_stripe, account, shop="http://localhost:8000")
    run()
    assert run(timedelta(days=30)) == NightlyReport(looked_at=0, healed=0, open=1)
    fake_stripe.control("refunds", charge=charge_id)
    assert run(timedelta(days=31)) == NightlyReport(looked_at=0, healed=0, open=0)


def test_the_demonstration_s_movements_are_left_alone(fake_stripe):
    order = make_order()
    payment = Payment.objects.get(order=order)
    LedgerEntry.objects.create(
        order=order,
        payment=payment,
        kind=LedgerKind.CHARGE,
        amount=payment.amount,
        provider_id="demo-charge-1",
    )
    run()
    assert discrepancies() == []


@pytest.mark.parametrize("path", ["/v1/charges", "/v1/refunds", "/v1/disputes"])
def test_stripe_away_changes_nothing(fake_stripe, account, order, path):
    """Both sides differ (one charge to book, one to report), and one of the lists is not answered."""
    fake_stripe.pay(order)
    sell_elsewhere(fake_stripe, account, shop="http://localhost:8000")
    fake_stripe.control("faults", kind="error", status=503, method="GET", path=path, times=10)
    with pytest.raises(gateway.GatewayUnavailable):
        run()
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING
    assert not LedgerEntry.objects.exists()
    assert discrepancies() == []
    assert mails() == []
    fake_stripe.control("faults/clear")
    assert run() == NightlyReport(looked_at=2, healed=1, open=1)


def test_lists_are_read_to_their_end(fake_stripe, account, monkeypatch):
    monkeypatch.setattr(account_activity, "PAGE", 2)
    expected = [sell_elsewhere(fake_stripe, account) for _ in range(5)][::-1]
    now = timezone.now()
    assert [charge.charge_id for charge in account_activity.list_charges(now - SOON, now + SOON)] == expected
    pages = fake_stripe.requests("/v1/charges", "GET")
    # One for each sale (`sell_elsewhere` looks it up) and three for five charges in pages of two.
    assert len(pages) == 5 + 3


def test_a_movement_that_can_not_be_booked_is_told_and_keeps_no_other_waiting(
    fake_stripe, account, order, fail_first
):
    fake_stripe.pay(order)
    sell_elsewhere(fake_stripe, account, shop="http://localhost:8000")
    fail_first(nightly, "settle")
    assert run() == NightlyReport(looked_at=2, healed=0, open=2)
    assert run() == NightlyReport(looked_at=2, healed=1, open=1)


def test_a_dispute_is_booked_or_found(fake_stripe, paid_order):
    dispute = fake_stripe.control("disputes", payment_intent=Attempt.objects.get().intent_id)["dispute"]
    report = run()
    entry = LedgerEntry.objects.get(kind=LedgerKind.DISPUTE)
    assert (entry.provider_id, entry.amount) == (dispute["id"], Decimal("-60.00"))
    assert (report.looked_at, report.healed, report.open) == (2, 1, 0)


def test_a_refund_settled_by_transfer_is_no_difference(fake_stripe, paid_order):
    refund = request_refund(order_id=paid_order.pk, key="once").refunds.get()
    send_refund(refund.pk)
    refund.refresh_from_db()
    fake_stripe.control(f"refunds/{refund.provider_id}/settle", status="failed")
    sync_refunds(refund.attempt.intent_id)
    made = settle_by_transfer(
        refund_id=refund.pk, sent_on=timezone.localdate(), reference="VIR 118", amount=Decimal("60.00")
    )
    assert LedgerEntry.objects.latest("pk").provider_id == f"transfer-{made.pk}"
    # Charge and refund; the transfer is asked about nowhere.
    assert run() == NightlyReport(looked_at=2, healed=0, open=0)
    assert discrepancies() == []
    report = audit_books(timezone.now() + timedelta(minutes=30))
    assert (report.provider, report.faults) == (ProviderState.AGREES, [])
