"""Rows of the books are refused any change by the database itself, whoever asks."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction

from orders.models import LedgerEntry, LedgerKind
from orders.tests.factories import make_order

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


@pytest.mark.parametrize(
    "table",
    [
        "orders_ledgerentry",
        "orders_withdrawal",
        "orders_withdrawalline",
        "orders_invoice",
        "orders_invoicedocument",
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
