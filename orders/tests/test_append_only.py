"""Rows of the books are refused any change by the database itself, whoever asks."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.tests.people import make_member
from orders.journal import record_event
from orders.models import LedgerEntry, LedgerKind, OrderEvent
from orders.tests.factories import make_order, make_seller, pay_order

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture
def entry() -> LedgerEntry:
    order = make_order()
    return LedgerEntry.objects.create(
        order=order,
        payment=order.payments.get(),
        kind=LedgerKind.CHARGE,
        amount=Decimal("40.00"),
        provider_id="ch_1",
    )


def test_the_database_refuses_to_change_an_entry(entry: LedgerEntry) -> None:
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        LedgerEntry.objects.update(amount=Decimal("1.00"))
    entry.refresh_from_db()
    assert entry.amount == Decimal("40.00")


def test_the_database_refuses_to_delete_an_entry(entry: LedgerEntry) -> None:
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        LedgerEntry.objects.all().delete()
    assert LedgerEntry.objects.count() == 1


@pytest.fixture
def event() -> OrderEvent:
    order = make_order()
    return OrderEvent.objects.create(
        order=order,
        name="order.cancelled",
        actor=make_member("a@example.com"),
        data={"reason": "Déménagement"},
    )


def erase_words(event: OrderEvent) -> int:
    return OrderEvent.objects.filter(pk=event.pk).update(data={})


@pytest.mark.parametrize(
    "change",
    [{"data": {}}, {"name": "order.paid"}, {"created_at": datetime(2020, 1, 1, tzinfo=UTC)}, {"id": 7000}],
)
def test_the_journal_of_an_order_is_not_changed(event: OrderEvent, change: dict[str, Any]) -> None:
    before = list(OrderEvent.objects.order_by("pk").values())
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        OrderEvent.objects.filter(pk=event.pk).update(**change)
    assert list(OrderEvent.objects.order_by("pk").values()) == before


def test_nobody_else_becomes_who_did_it_but_who_did_may_become_unknown(event: OrderEvent) -> None:
    other = make_member("b@example.com")
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        OrderEvent.objects.filter(pk=event.pk).update(actor=other)
    OrderEvent.objects.filter(pk=event.pk).update(actor=None)
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        OrderEvent.objects.filter(pk=event.pk).update(actor=other)


def test_words_are_taken_out_once_the_journal_says_that_the_order_is_erased(event: OrderEvent) -> None:
    other = OrderEvent.objects.create(
        order=make_order(email="b@example.com"), name="order.cancelled", data={"reason": "x"}
    )
    record_event(event.order, "order.personal_data_erased")
    assert erase_words(event) == 1
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        erase_words(other)


def test_the_journal_goes_with_an_order_that_no_money_moved_for(event: OrderEvent) -> None:
    make_seller()
    paid = pay_order(make_order(email="paid@example.com"))
    lines = paid.events.count()
    assert lines
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        OrderEvent.objects.filter(order=paid).delete()
    OrderEvent.objects.filter(order=event.order).delete()
    assert (paid.events.count(), event.order.events.count()) == (lines, 0)


@pytest.mark.parametrize(
    "table",
    [
        "orders_ledgerentry",
        "orders_withdrawal",
        "orders_withdrawalline",
        "orders_invoice",
        "orders_invoicedocument",
        "orders_chainlink",
        "orders_chainhead",
        "orders_contract",
        "orders_contractdocument",
        "orders_orderevent",
        "orders_purgedyear",
        "core_auditentry",
        "terms_termsversion",
        "catalog_pricepoint",
        "catalog_reviewdecision",
    ],
)
def test_no_later_migration_lost_the_guard_of_a_table(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s"
            if connection.vendor == "sqlite"
            else "SELECT DISTINCT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal",
            [table],
        )
        found = {name for (name,) in cursor.fetchall()}
    truncate = {f"{table}_no_truncate"} if connection.vendor == "postgresql" else set()
    assert found == {f"{table}_no_update", f"{table}_no_delete"} | truncate
