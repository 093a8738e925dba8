"""The chain over the books finds what its own hashes can't hide, with the triggers dropped."""

import hashlib
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from orders.books.audit import audit_books
from orders.books.chain import extend_chain, link_hash, mail_month_heads, row_digest
from orders.invoices.contracts import ensure_contract_document
from orders.invoices.documents import ensure_document
from orders.invoices.tests.conftest import set_shop
from orders.models import ChainHead, ChainLink, Contract, Invoice, LedgerEntry, PurgedYear
from orders.tests.factories import make_order, pay_order
from shop.core.append_only import release_statements
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

TABLES = ("invoice", "invoicedocument", "ledgerentry", "chainlink", "chainhead", "contractdocument")


@pytest.fixture
def books() -> Invoice:
    """A paid order with its documents, all of it linked: an invoice and a movement, then two PDFs."""
    order = pay_order(make_order())
    assert extend_chain() == 2
    invoice = Invoice.objects.get(order=order)
    ensure_document(invoice)
    ensure_contract_document(Contract.objects.get(order=order))
    assert extend_chain() == 2
    return invoice


def damage(statement: str, *values: Any) -> None:
    """What a person with the database's own password could do."""
    with connection.cursor() as cursor:
        for table in TABLES:
            for release in release_statements(f"orders_{table}", connection.vendor):
                cursor.execute(release)
        cursor.execute(statement, values)


def faults() -> list[tuple[str, str]]:
    report = audit_books(timezone.now(), with_provider=False)
    return [(fault.check, fault.subject) for fault in report.faults]


def test_sound_books_have_no_fault_and_nothing_is_linked_twice(books: Invoice) -> None:
    assert (extend_chain(), faults()) == (0, [])
    assert list(ChainLink.objects.values_list("position", flat=True)) == [1, 2, 3, 4]


def test_a_changed_country_is_found(books: Invoice) -> None:
    damage("UPDATE orders_invoice SET country = 'DE'")
    assert faults() == [("country", books.number), ("invoice", books.number)]


def test_a_changed_day_of_the_ledger_is_found(books: Invoice) -> None:
    damage("UPDATE orders_ledgerentry SET occurred_at = %s", datetime(2026, 1, 1, tzinfo=UTC))
    assert faults() == [("movement", LedgerEntry.objects.get().provider_id)]


def test_a_pdf_replaced_together_with_its_hash_is_found(books: Invoice) -> None:
    forged = b"%PDF-1.7 forged"
    damage(
        "UPDATE orders_invoicedocument SET pdf = %s, sha256 = %s", forged, hashlib.sha256(forged).hexdigest()
    )
    assert faults() == [("invoice_pdf", books.number)]
    damage("UPDATE orders_contractdocument SET pdf = %s", forged)
    assert faults() == [("contract", books.order.reference), ("invoice_pdf", books.number)]


def test_a_deleted_row_and_a_changed_link_are_found(books: Invoice) -> None:
    damage("DELETE FROM orders_contractdocument")
    place = str(ChainLink.objects.get(kind="contract_pdf").position)
    assert ("contract_pdf", place) in faults()
    damage("UPDATE orders_chainlink SET digest = 'x' WHERE position = 2")
    assert ("books chain", "2") in faults()


def test_a_row_that_never_joined_is_found_a_day_later(books: Invoice) -> None:
    row = LedgerEntry.objects.get()
    row.pk, row.provider_id = None, "ch_forged"
    # A transfer that staff note days after it left joins no sooner.
    row.occurred_at -= timedelta(days=3)
    row.save(force_insert=True)
    now = timezone.now()
    for days, expected in ((0.9, False), (1.1, True)):
        report = audit_books(now + timedelta(days=days), with_provider=False)
        found = ("movement", "ch_forged") in {(fault.check, fault.subject) for fault in report.faults}
        assert found is expected, days
    assert extend_chain() == 1
    assert "n'a jamais rejoint" not in str(audit_books(now + timedelta(days=2), with_provider=False).faults)


def test_a_link_is_hashed_as_those_that_were_mailed_years_ago() -> None:
    moment = datetime(2026, 12, 31, 23, 59, 59, 5, tzinfo=timezone.get_fixed_timezone(60))
    text = '["F-2026-00001",1,null,"00000000-0000-0000-0000-000000000007","5.50","2026-12-31T22:59:59.000005+00:00"]'
    values = ("F-2026-00001", 1, None, UUID(int=7), Decimal("5.5"), moment)
    assert row_digest(values) == hashlib.sha256(text.encode()).hexdigest()
    link = link_hash(position=2, kind="invoice", row_id=7, row_at=moment, digest="a", previous_hash="b")
    text = '[2,"invoice",7,"2026-12-31T22:59:59.000005+00:00","a","b"]'
    assert link == hashlib.sha256(text.encode()).hexdigest()


def test_rows_of_a_purged_year_may_be_gone(books: Invoice) -> None:
    damage("DELETE FROM orders_contractdocument")
    nothing = dict.fromkeys(
        ("last_number", "total", "movements", "moved", "purged_orders", "purged_documents"), 0
    ) | dict.fromkeys(("purged_total", "purged_movements", "purged_moved"), 0)
    for year, is_missed in ((2020, True), (2098, False)):
        PurgedYear.objects.create(**nothing, year=year, ends_at=datetime(year + 1, 1, 1, tzinfo=UTC))
        assert ("contract_pdf" in {check for check, _subject in faults()}) is is_missed


def test_the_head_of_a_month_is_mailed_once_and_shows_books_that_were_written_anew(
    books: Invoice,
) -> None:
    set_shop(accountant_email="compta@example.com")
    cache.clear()
    # Nobody ran the job on the first, nor the one that links.
    now = datetime(2026, 12, 3, 6, tzinfo=UTC)
    damage("DELETE FROM orders_chainlink WHERE position = 4")
    assert len(mail_month_heads(now)) == 1
    assert mail_month_heads(now) == []
    code = f"4:{ChainLink.objects.get(position=4).hash}"
    mails = OutgoingMail.objects.filter(kind="books_head").order_by("pk")
    assert [(row.to, row.context) for row in mails] == [
        ("atelier@etabli.example", {"month": "novembre 2026", "code": code}),
        ("compta@example.com", {"month": "novembre 2026", "code": code}),
    ]
    call_command("audit_books", "--without-stripe", "--head", code, stdout=StringIO())

    damage("UPDATE orders_ledgerentry SET occurred_at = %s", datetime(2026, 1, 1, tzinfo=UTC))
    damage("DELETE FROM orders_chainlink")
    assert extend_chain() == 4
    assert faults() == [("books head", "2026-11")]
    damage("DELETE FROM orders_chainhead")
    assert (faults(), ChainHead.objects.count()) == ([], 0)
    with pytest.raises(CommandError, match="rewritten"):
        call_command("audit_books", "--without-stripe", "--head", code, stdout=StringIO())
    with pytest.raises(CommandError, match="a code as it was mailed"):
        call_command("audit_books", "--without-stripe", "--head", code[:-1], stdout=StringIO())


@pytest.mark.parametrize(
    ("now", "months"),
    [
        (datetime(2027, 3, 1, 5, tzinfo=UTC), ["2026-11", "2026-12", "2027-01", "2027-02"]),
        # Years later, or a clock that went astray.
        (datetime(2099, 3, 1, 5, tzinfo=UTC), ["2026-11", "2099-02"]),
    ],
)
def test_months_in_which_nothing_ran_have_their_heads_once_it_runs_again(
    books: Invoice, now: datetime, months: list[str]
) -> None:
    mail_month_heads(datetime(2026, 12, 1, 5, tzinfo=UTC))
    mail_month_heads(now)
    assert [f"{head.month:%Y-%m}" for head in ChainHead.objects.all()] == months
    assert OutgoingMail.objects.filter(kind="books_head").count() == len(months)
    assert mail_month_heads(now) == []
