"""Many payments at one moment, some of which fail: the series of invoices has no gap and no number twice."""

from __future__ import annotations

import os
import uuid
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from orders.books.audit_documents import check_series
from orders.invoices import series
from orders.invoices.issuing import issue_invoice
from orders.models import Invoice, InvoiceSeries, Order, Payment
from orders.tests.factories import make_order
from shop.core.dates import shop_day
from tests.races.concurrency import Meeting, run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CALLERS = int(os.environ.get("INVOICE_CALLERS", "120"))
"""`INVOICE_CALLERS=1000` for the long run, whose figures stand in docs/decisions."""


class PaymentFailedError(Exception):
    """Whatever goes wrong after the number was taken."""


def copies(count: int) -> list[Order]:
    """So many orders like the one of checkout, written at once."""
    first = make_order()
    line, payment = first.items.get(), first.payments.get()
    found = [first]
    for _ in range(count - 1):
        key = uuid.uuid4()
        order = Order.objects.get(pk=first.pk)
        order.pk, order.reference, order.idempotency_key = key, key.hex[-8:].upper(), str(key)
        found.append(order)
    Order.objects.bulk_create(found[1:])
    for row in (line, payment):
        model = type(row)
        rows = []
        for order in found[1:]:
            copy = model.objects.get(pk=row.pk)
            copy.pk, copy.order = None, order
            rows.append(copy)
        model.objects.bulk_create(rows)
    return found


def issue(order: Order, *, fails: bool) -> str | None:
    """What a payment does around issuing; None when it failed and was rolled back."""
    try:
        with transaction.atomic():
            locked = Order.objects.select_for_update().get(pk=order.pk)
            list(Payment.objects.select_for_update().filter(order=locked))
            number = issue_invoice(order=locked).number
            if fails:
                raise PaymentFailedError
    except PaymentFailedError:
        return None
    return number


def test_no_gap_and_no_number_twice_when_a_third_of_the_payments_fail(figures) -> None:
    orders = copies(CALLERS)
    fails = [number % 10 < 3 for number in range(CALLERS)]
    began = timezone.now()
    numbers = values(
        run_concurrently(
            [partial(issue, order, fails=fail) for order, fail in zip(orders, fails, strict=True)]
        )
    )
    seconds = (timezone.now() - began).total_seconds()
    kept = sorted(number for number in numbers if number is not None)
    wanted = fails.count(False)
    year = shop_day(began).year
    assert kept == [f"F-{year}-{number:05d}" for number in range(1, wanted + 1)]
    assert sorted(Invoice.objects.values_list("sequence", flat=True)) == list(range(1, wanted + 1))
    assert InvoiceSeries.objects.get().last_number == wanted
    assert list(check_series()) == []
    figures(callers=CALLERS, issued=wanted, rolled_back=fails.count(True), seconds=round(seconds, 1))


def test_control_without_the_lock_two_payments_take_one_number(monkeypatch) -> None:
    orders = copies(2)
    with transaction.atomic():
        series.lock_series(shop_day(timezone.now()).year)
    meeting = Meeting(2)

    def read_only(year: int) -> InvoiceSeries:
        row = InvoiceSeries.objects.get(year=year)
        meeting.wait()
        return row

    monkeypatch.setattr(series, "lock_series", read_only)
    outcomes = run_concurrently([partial(issue, order, fails=False) for order in orders])
    failures = [outcome.error for outcome in outcomes if outcome.error is not None]
    assert len(failures) == 1
    assert isinstance(failures[0], IntegrityError)
    assert "duplicate key value" in str(failures[0])


def test_control_a_database_sequence_leaves_gaps() -> None:
    """Why the counter is a row: a sequence keeps the number of a payment that failed."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE SEQUENCE invoice_control")

    def take(*, fails: bool) -> int | None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT nextval('invoice_control')")
                number: int = cursor.fetchone()[0]
                if fails:
                    raise PaymentFailedError
        except PaymentFailedError:
            return None
        return number

    try:
        kept = [take(fails=number % 10 < 3) for number in range(10)]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP SEQUENCE invoice_control")
    assert [number for number in kept if number is not None] == [4, 5, 6, 7, 8, 9, 10]


def test_two_firsts_of_a_year_make_one_series() -> None:
    orders = copies(12)
    numbers = values(run_concurrently([partial(issue, order, fails=False) for order in orders]))
    year = shop_day(timezone.now()).year
    assert sorted(numbers) == [f"F-{year}-{number:05d}" for number in range(1, 13)]
    assert InvoiceSeries.objects.count() == 1
