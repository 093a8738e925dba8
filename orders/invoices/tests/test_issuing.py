"""Numbers, frozen content and the chain of hashes; an invoice exists exactly when its order is confirmed."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.db import transaction

from orders.books.audit_documents import check_series
from orders.invoices import series
from orders.invoices.issuing import issue_invoice
from orders.invoices.series import chain_hash
from orders.invoices.tests.conftest import set_shop
from orders.models import Invoice, InvoiceDraft, InvoiceSeries, Order
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.dates import shop_day
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_payment_issues_the_invoice_and_nothing_before_it_does() -> None:
    order = make_order()
    assert Invoice.objects.count() == 0
    pay_order(order)
    invoice = Invoice.objects.get()
    year = shop_day(invoice.issued_at).year
    assert (invoice.number, invoice.sequence) == (f"F-{year}-00001", 1)
    assert (invoice.order, invoice.kind, invoice.version) == (order, "invoice", 1)
    assert (invoice.total, invoice.vat, invoice.country) == (order.total, Decimal("0.00"), "FR")
    assert [event.data for event in order.events.filter(name="invoice.issued")] == [
        {"number": invoice.number}
    ]


def test_art_242_nonies_a_numbers_follow_each_other_and_each_document_is_linked_to_the_one_before(
    paid,
) -> None:
    for _ in range(3):
        paid()
    found = list(Invoice.objects.order_by("sequence"))
    assert [invoice.sequence for invoice in found] == [1, 2, 3]
    assert [invoice.previous_hash for invoice in found] == ["", found[0].hash, found[1].hash]
    for invoice in found:
        assert invoice.hash == chain_hash(
            number=invoice.number, data=invoice.data, previous_hash=invoice.previous_hash
        )
    row = InvoiceSeries.objects.get()
    assert (row.last_number, row.last_hash) == (3, found[2].hash)


def test_the_hash_is_over_number_content_and_the_hash_before() -> None:
    """Of `["F-2026-00001","",{"a":"é","b":"2"}]`: whoever has the data can compute it in ten years."""
    expected = "7f38152f3e691cf34c2ddf8cedd6e627b66269a0eb8a6e15bd3cff8be51a5943"
    assert chain_hash(number="F-2026-00001", data={"b": "2", "a": "é"}, previous_hash="") == expected
    text = f'["F-2026-00002","{expected}",{{"total":"9.99"}}]'
    assert (
        chain_hash(number="F-2026-00002", data={"total": "9.99"}, previous_hash=expected)
        == hashlib.sha256(text.encode()).hexdigest()
    )


def test_issuing_again_gives_the_first_invoice_back(paid) -> None:
    order = paid()
    with transaction.atomic():
        again = issue_invoice(order=order)
    assert again == Invoice.objects.get()
    assert InvoiceSeries.objects.get().last_number == 1


def test_a_number_is_only_taken_in_the_transaction_that_issues(transactional_db) -> None:
    with pytest.raises(RuntimeError, match="in the transaction that issues"):
        series.reserve_number()
    assert InvoiceSeries.objects.count() == 0


def test_a_transaction_that_rolls_back_gives_its_number_back(paid) -> None:
    order = make_order()

    def issue_and_fail() -> None:
        with transaction.atomic():
            assert issue_invoice(order=order).sequence == 1
            raise InterruptedError

    with pytest.raises(InterruptedError):
        issue_and_fail()
    assert Invoice.objects.count() == 0
    assert paid().invoices.get().sequence == 1


@pytest.mark.parametrize(
    ("moment", "number", "day"),
    [
        ("2026-12-31T22:59:59Z", "F-2026-00001", "2026-12-31"),
        ("2026-12-31T23:00:00Z", "F-2027-00001", "2027-01-01"),
    ],
)
def test_the_year_is_that_of_the_day_in_france(paid, moment: str, number: str, day: str) -> None:
    """242 nonies A: one series a year; at 23:00 UTC it is the new year in Paris."""
    with time_machine.travel(datetime.fromisoformat(moment), tick=False):
        invoice = paid().invoices.get()
    assert (invoice.number, invoice.data["issued_on"]) == (number, day)


def test_a_new_year_begins_with_one_and_leaves_the_old_series_alone(paid) -> None:
    with time_machine.travel(datetime(2026, 12, 31, 12, tzinfo=UTC), tick=False):
        paid()
        paid()
    with time_machine.travel(datetime(2027, 1, 1, 12, tzinfo=UTC), tick=False):
        paid()
    assert [invoice.number for invoice in Invoice.objects.order_by("year", "sequence")] == [
        "F-2026-00001",
        "F-2026-00002",
        "F-2027-00001",
    ]
    assert list(InvoiceSeries.objects.order_by("year").values_list("year", "last_number")) == [
        (2026, 2),
        (2027, 1),
    ]
    assert Invoice.objects.get(year=2027).previous_hash == ""


def test_who_waited_past_midnight_issues_in_the_new_year(monkeypatch) -> None:
    order = make_order()
    original = series.lock_series
    with time_machine.travel(datetime(2026, 12, 31, 22, 59, 59, tzinfo=UTC), tick=False) as clock:

        def wait_for_the_lock(year: int) -> InvoiceSeries:
            row = original(year)
            clock.move_to(datetime(2026, 12, 31, 23, 0, 3, tzinfo=UTC))
            return row

        monkeypatch.setattr(series, "lock_series", wait_for_the_lock)
        with transaction.atomic():
            invoice = issue_invoice(order=order)
    assert invoice.number == "F-2027-00001"
    assert InvoiceSeries.objects.get(year=2026).last_number == 0


def test_what_was_issued_stays_whatever_changes_afterwards(paid) -> None:
    product = make_product("Golem de poche")
    order = paid((product, 2))
    before = Invoice.objects.get().data
    product.name = "Renommé"
    product.save()
    Order.objects.filter(pk=order.pk).update(last_name="Autre", address="Ailleurs")
    set_shop(trader_name="Autre Vendeur EI", siret="999 999 999 00099")
    invoice = Invoice.objects.get()
    assert invoice.data == before
    assert invoice.data["lines"][0]["name"] == "Golem de poche"
    assert invoice.data["customer"]["name"] == "Léa Martin"
    assert invoice.data["seller"]["siren"] == "123456789"


def test_a_draft_names_another_customer_and_notes() -> None:
    order = make_order()
    InvoiceDraft.objects.create(
        order=order,
        customer_name="SARL Martin",
        customer_address="9 quai Perrache\n69002 Lyon",
        notes="Bon 12",
    )
    data = pay_order(order).invoices.get().data
    assert data["customer"]["name"] == "SARL Martin"
    assert data["customer"]["address_lines"] == ["9 quai Perrache", "69002 Lyon"]
    assert data["notes"] == "Bon 12"


def test_issuing_costs_a_fixed_number_of_queries(django_assert_num_queries) -> None:
    order = make_order((make_product("A"), 1), (make_product("B"), 2), (make_product("C"), 3))
    pay_order(make_order())
    # known invoice 1, draft 1, series 1, date of the last 1, payments 1, lines with products 1, settings cached;
    # savepoint 2, invoice 1, series 1, journal 1, territories 1;
    # what staff find it by 3 (tracking, invoices, row)
    with django_assert_num_queries(15):
        assert issue_invoice(order=order).sequence == 2


def issue_at(moment: datetime) -> Invoice:
    order = make_order()
    with time_machine.travel(moment, tick=False), transaction.atomic():
        return issue_invoice(order=Order.objects.select_for_update().get(pk=order.pk))


def clock_alerts() -> list[dict[str, object]]:
    return [mail.context for mail in OutgoingMail.objects.filter(kind="clock_alert")]


def test_a_clock_that_stepped_back_keeps_the_date_of_the_last_invoice_and_tells_once() -> None:
    set_shop(email="atelier@example.com")
    last = datetime(2026, 12, 10, 9, tzinfo=UTC)
    issue_at(last)
    found = [issue_at(datetime(2026, 12, day, 9, tzinfo=UTC)) for day in (1, 1, 11)]
    assert [(invoice.number, invoice.issued_at.day) for invoice in found] == [
        ("F-2026-00002", 10), ("F-2026-00003", 10), ("F-2026-00004", 11),
    ]  # fmt: skip
    assert [invoice.data["issued_on"] for invoice in found] == ["2026-12-10", "2026-12-10", "2026-12-11"]
    assert clock_alerts() == [{"where": "invoice", "minutes": 9 * 24 * 60}]
    assert list(check_series()) == []


def test_clocks_of_two_machines_that_differ_by_seconds_disturb_nobody() -> None:
    last = datetime(2026, 12, 10, 9, 0, 30, tzinfo=UTC)
    issue_at(last)
    assert issue_at(last - timedelta(seconds=30)).issued_at == last
    assert clock_alerts() == []


def test_a_clock_that_steps_back_over_new_years_midnight_stays_in_the_new_year() -> None:
    issue_at(datetime(2026, 12, 31, 23, 0, 5, tzinfo=UTC))
    found = issue_at(datetime(2026, 12, 31, 22, 59, 58, tzinfo=UTC))
    assert (found.number, found.data["issued_on"]) == ("F-2027-00002", "2027-01-01")
    assert list(check_series()) == []


def test_a_clock_that_was_a_year_ahead_leaves_the_series_of_this_year_without_a_gap() -> None:
    moments = (
        datetime(2026, 11, 20, 9, tzinfo=UTC),
        datetime(2027, 11, 20, 9, tzinfo=UTC),
        datetime(2026, 11, 21, 9, tzinfo=UTC),
        datetime(2027, 1, 5, 9, tzinfo=UTC),
    )
    assert [(found.number, found.data["issued_on"]) for found in map(issue_at, moments)] == [
        ("F-2026-00001", "2026-11-20"),
        ("F-2027-00001", "2027-11-20"),
        ("F-2026-00002", "2026-11-21"),
        ("F-2027-00002", "2027-11-20"),
    ]
    assert list(check_series()) == []
