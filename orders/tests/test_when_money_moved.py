"""The books know when money moved, by the provider's clock, whenever and however the shop heard of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.tests.people import make_admin
from orders.books.days import Period, month, year
from orders.books.receipts import receipts
from orders.books.reporting import Reading, Step, report
from orders.books.turnover import months_of, years_with_entries
from orders.ledger import book_movement
from orders.models import Attempt, Invoice, LedgerEntry, LedgerKind, Order, OrderStatus, Payment, Refund
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.services.reconciliation.nightly import NightlyReport, reconcile_days
from orders.services.refunds.disputes import apply_dispute, sync_disputes
from orders.services.refunds.outcomes import apply_refund
from orders.services.refunds.sending import sync_refunds
from orders.tests.factories import checkout_body, line, make_order, make_product
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import PARIS, Clocks
from orders.tests.refunding import refund, send_all

pytestmark = pytest.mark.postgres

PLACED = datetime(2026, 12, 31, 23, 50, tzinfo=PARIS)
PAID = datetime(2026, 12, 31, 23, 59, 30, tzinfo=PARIS)
NEW_YEAR = datetime(2027, 1, 1, 0, 0, 20, tzinfo=PARIS)


@pytest.fixture
def clocks(fake_stripe: FakeStripe) -> Iterator[Clocks]:
    clocks = Clocks(fake_stripe)
    clocks.show(PLACED)
    yield clocks
    clocks.leave()
    fake_stripe.control("clock", reset=True)


@pytest.fixture
def order(clocks: Clocks, fake_stripe: FakeStripe, shopper: Shopper) -> Order:
    """60.00 €, paid on New Year's Eve thirty seconds before midnight; nobody has told the shop yet."""
    assert shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00")).status_code == 201
    clocks.show(PAID)
    fake_stripe.pay(Order.objects.get())
    return Order.objects.get()


def seconds_after(moment: datetime, then: datetime | None) -> float:
    assert then is not None
    return (then - moment).total_seconds()


def booked_in_the_old_year(order: Order, *, written_on: date) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    entry = LedgerEntry.objects.get()
    assert 0 <= seconds_after(PAID, entry.occurred_at) < 30
    assert entry.created_at.astimezone(PARIS).date() == written_on
    assert order.paid_at == Payment.objects.get().paid_at == entry.occurred_at
    [receipt] = receipts(year(2026))
    assert (receipt.day, receipt.amount, receipt.written_on) == (
        date(2026, 12, 31),
        Decimal("60.00"),
        written_on,
    )
    assert list(receipts(year(2027))) == []
    assert [row.received for row in months_of(2026)][-2:] == [Decimal("0.00"), Decimal("60.00")]
    assert years_with_entries() == [2026]
    assert [(row.step, row.total) for row in report(year(2026), Step.MONTH, Reading.PAYMENTS)] == [
        ("2026-12", Decimal("60.00"))
    ]
    # Issued when the shop knew, in the series of that year; what it says of the payment agrees with the book.
    invoice = Invoice.objects.get()
    assert (invoice.year, invoice.data["issued_on"]) == (2027, written_on.isoformat())
    assert invoice.data["payment"]["paid_on"] == "2026-12-31"
    assert "Payée le 31 décembre 2026" in [mention["text"] for mention in invoice.data["mentions"]]


@pytest.mark.django_db(transaction=True)
def test_a_payment_of_new_year_s_eve_told_after_midnight_belongs_to_the_old_year(
    clocks, fake_stripe, shopper, order
):
    clocks.show(NEW_YEAR)
    for event in fake_stripe.events():
        assert shopper.webhook(event) == 200
    booked_in_the_old_year(order, written_on=date(2027, 1, 1))


@pytest.mark.django_db(transaction=True)
def test_a_payment_found_three_days_later_belongs_to_the_old_year(clocks, order):
    clocks.show(NEW_YEAR + timedelta(days=3))
    reconcile.reconcile_attempts(datetime.now(UTC))
    booked_in_the_old_year(order, written_on=date(2027, 1, 4))


@pytest.mark.django_db(transaction=True)
def test_the_nightly_comparison_books_it_there_too_and_finds_nothing_else(clocks, order):
    clocks.show(NEW_YEAR + timedelta(days=2, hours=3))
    assert reconcile_days(datetime.now(UTC)) == NightlyReport(looked_at=1, healed=1, open=0)
    booked_in_the_old_year(order, written_on=date(2027, 1, 3))
    clocks.show(NEW_YEAR + timedelta(days=3, hours=3))
    assert reconcile_days(datetime.now(UTC)) == NightlyReport(looked_at=1, healed=0, open=0)


@pytest.mark.django_db(transaction=True)
def test_refund_failure_and_dispute_stand_on_the_days_of_their_balance_lines(clocks, fake_stripe, order):
    clocks.show(NEW_YEAR)
    attempt = Attempt.objects.get()
    settle(attempt.pk)
    attempt.refresh_from_db()
    january = datetime(2027, 1, 31, 23, 59, tzinfo=PARIS)
    clocks.show(january)
    made = fake_stripe.control("refunds", payment_intent=attempt.intent_id, amount=1000)["refund"]
    clocks.show(january + timedelta(hours=1))
    sync_refunds(attempt.intent_id)
    clocks.show(datetime(2027, 2, 28, 23, 59, tzinfo=PARIS))
    fake_stripe.control(f"refunds/{made['id']}/settle", status="failed")
    clocks.show(datetime(2027, 3, 2, 9, tzinfo=PARIS))
    sync_refunds(attempt.intent_id)
    clocks.show(datetime(2027, 3, 31, 23, 59, tzinfo=PARIS))
    dispute = fake_stripe.control("disputes", payment_intent=attempt.intent_id)["dispute"]
    clocks.show(datetime(2027, 4, 2, 9, tzinfo=PARIS))
    sync_disputes(attempt.intent_id)
    clocks.show(datetime(2027, 4, 30, 23, 59, tzinfo=PARIS))
    fake_stripe.control(f"disputes/{dispute['id']}/close", status="won")
    clocks.show(datetime(2027, 5, 3, 9, tzinfo=PARIS))
    sync_disputes(attempt.intent_id)

    assert [(line.day, line.nature, line.amount, line.written_on) for line in receipts(year(2027))] == [
        (date(2027, 1, 31), "Remboursement", Decimal("-10.00"), date(2027, 2, 1)),
        (date(2027, 2, 28), "Remboursement rejeté", Decimal("10.00"), date(2027, 3, 2)),
        (date(2027, 3, 31), "Reprise par la banque (litige)", Decimal("-60.00"), date(2027, 4, 2)),
        (date(2027, 4, 30), "Litige gagné", Decimal("60.00"), date(2027, 5, 3)),
    ]
    assert Refund.objects.get().settled_at == LedgerEntry.objects.get(kind="refund_failed").occurred_at
    assert order.disputes.get().opened_at.astimezone(PARIS).date() == date(2027, 3, 31)


@pytest.mark.django_db
def test_a_credit_note_says_the_day_on_which_the_money_left(provider, order_of_november):
    with time_machine.travel(datetime(2026, 11, 30, 22, tzinfo=PARIS), tick=False):
        refund(order_of_november)
        provider.lost = True
        with pytest.raises(Exception, match="lost"):
            send_all()
    with time_machine.travel(datetime(2026, 12, 1, 9, tzinfo=PARIS), tick=False):
        sync_refunds(Attempt.objects.get().intent_id)
    note = Invoice.objects.get(kind="credit_note")
    assert (note.data["issued_on"], note.data["refund"]["refunded_on"]) == ("2026-12-01", "2026-11-30")
    assert [line.day for line in receipts(month(11, 2026))] == [date(2026, 11, 20), date(2026, 11, 30)]


@pytest.fixture
def order_of_november(provider) -> Order:
    from orders.tests.factories import pay_order

    with time_machine.travel(datetime(2026, 11, 20, 12, tzinfo=PARIS), tick=False):
        return pay_order(make_order())


# --- Clocks that are wrong ----------------------------------------------------------------------------

NOON = datetime(2026, 11, 21, 12, tzinfo=PARIS)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("told", "booked"),
    [
        (NOON - timedelta(hours=1), NOON - timedelta(hours=1)),
        (None, NOON),
        (NOON + timedelta(minutes=10), NOON),
        (datetime(2099, 1, 1, tzinfo=UTC), NOON),
        (datetime(1970, 1, 1, tzinfo=UTC), NOON - timedelta(days=1)),
        (NOON - timedelta(days=1, seconds=30), NOON - timedelta(days=1)),
    ],
)
def test_no_clock_moves_money_into_the_future_or_before_what_it_follows_from(told, booked):
    order = make_order()
    with time_machine.travel(NOON, tick=False):
        entry = book_movement(
            order=order, payment=order.payments.get(), kind=LedgerKind.CHARGE, amount=Decimal("49.99"),
            provider_id="ch_1", reported_at=told, after=NOON - timedelta(days=1),
        )  # fmt: skip
    entry.refresh_from_db()
    assert (entry.occurred_at, entry.created_at) == (booked, NOON)


@pytest.mark.django_db
def test_a_refund_stands_after_its_charge_and_its_failure_after_it(provider, order_of_november):
    Order.objects.update(created_at=NOON - timedelta(days=9))
    provider.begins = "pending"
    refund(order_of_november)
    send_all()
    intent_id = str(Attempt.objects.get().intent_id)
    [sent] = provider.list_refunds(intent_id)
    long_ago = datetime(1970, 1, 1, tzinfo=UTC)
    apply_refund(replace(sent, status="succeeded", moved_at=long_ago))
    apply_refund(replace(sent, status="failed", returned_at=long_ago))
    charge, made, failed = LedgerEntry.objects.order_by("pk")
    assert [entry.kind for entry in (charge, made, failed)] == ["charge", "refund", "refund_failed"]
    assert made.occurred_at == failed.occurred_at == charge.occurred_at > NOON - timedelta(days=2)


@pytest.mark.django_db
def test_a_dispute_stands_after_its_charge_and_its_end_after_it(provider, order_of_november):
    Order.objects.update(created_at=NOON - timedelta(days=9))
    attempt = Attempt.objects.get()
    provider.open_dispute(attempt)
    [opened] = provider.list_disputes(str(attempt.intent_id))
    long_ago, to_come = datetime(1970, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)
    with time_machine.travel(NOON, tick=False):
        apply_dispute(attempt=attempt, facts=replace(opened, moved_at=long_ago, opened_at=to_come))
        apply_dispute(attempt=attempt, facts=replace(opened, status="won", returned_at=long_ago))
    assert order_of_november.disputes.get().opened_at == NOON
    charge, taken, won = LedgerEntry.objects.order_by("pk")
    assert [entry.kind for entry in (charge, taken, won)] == ["charge", "dispute", "dispute_won"]
    assert taken.occurred_at == won.occurred_at == charge.occurred_at == NOON - timedelta(days=1)


# --- A book that was copied before ------------------------------------------------------------------------


def written(amount: str, moved: datetime, told: datetime) -> Order:
    order = make_order()
    with time_machine.travel(told, tick=False):
        book_movement(
            order=order, payment=order.payments.get(), kind=LedgerKind.CHARGE, amount=Decimal(amount),
            provider_id=f"ch_{amount}", reported_at=moved, after=datetime(2026, 1, 1, tzinfo=UTC),
        )  # fmt: skip
    return order


@pytest.mark.django_db
def test_a_line_written_after_the_end_of_its_month_says_so_in_the_book_and_in_the_file():
    october = datetime(2026, 10, 31, 23, 30, tzinfo=PARIS)
    written("10.00", october - timedelta(days=9), october - timedelta(hours=1))
    late = written("20.00", october, october + timedelta(hours=9))
    staff_client: Any = Client()
    staff_client.force_login(make_admin())
    query = "?annee=2026&partie=m10"
    rows = (
        b"".join(staff_client.get(f"/admin/comptes/recettes.csv{query}").streaming_content)
        .decode()
        .split("\r\n")
    )
    assert [row.split(";")[0] + " " + row.split(";")[-1] for row in rows[1:-1]] == [
        "22/10/2026 ",
        "31/10/2026 01/11/2026",
    ]
    text = staff_client.get(f"/admin/comptes/recettes{query}").content.decode()
    assert text.count("inscrit le") == 1
    assert "31/10/2026 (inscrit le 01/11/2026)" in text
    assert late.reference in text
    assert [line.written_on for line in receipts(Period(date(2026, 10, 1), date(2026, 10, 31)))] == [
        None,
        date(2026, 11, 1),
    ]
