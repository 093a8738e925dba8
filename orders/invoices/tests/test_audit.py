"""`manage.py audit_books` finds every kind of damage, says it plainly, and fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from orders.books.audit import audit_books
from orders.invoices.contracts import ensure_contract_document
from orders.invoices.documents import ensure_document
from orders.invoices.issuing import issue_credit_note
from orders.invoices.tests.crediting import give_back
from orders.models import (
    Dispute,
    Invoice,
    InvoiceSeries,
    LedgerEntry,
    LedgerKind,
    Order,
    Payment,
    Refund,
    RefundRequest,
)
from orders.services.installments.scheduled_payments import void_scheduled
from orders.tasks import audit_every_night
from orders.tests.factories import make_order, new_key
from shop.core.append_only import guard_statements, release_statements
from shop.core.clocks import CLOCKS_DIFFER
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

Damage = Callable[[str], None]
GUARDED = ("orders_invoice", "orders_invoicedocument", "orders_contractdocument", "orders_ledgerentry")


@pytest.fixture
def damage() -> Any:
    """``damage("UPDATE …")``: what a person with the database's own password could do."""

    def run(statement: str) -> None:
        with connection.cursor() as cursor:
            for table in GUARDED:
                for release in release_statements(table, connection.vendor):
                    cursor.execute(release)
            cursor.execute(statement)
            for table in GUARDED:
                for guard in guard_statements(table, connection.vendor):
                    cursor.execute(guard)

    return run


@pytest.fixture
def books(paid) -> list[Invoice]:
    """Three paid orders with their documents, and a credit note of 5.00 for the first."""
    orders = [paid() for _ in range(3)]
    for invoice in Invoice.objects.all():
        ensure_document(invoice)
    assert faults() == []
    return [order.invoices.get() for order in orders]


def faults() -> list[tuple[str, str]]:
    return [(fault.check, fault.subject) for fault in audit_books(timezone.now(), with_provider=False).faults]


def test_whole_books_have_no_fault(books: list[Invoice]) -> None:
    out = StringIO()
    call_command("audit_books", without_stripe=True, stdout=out)
    assert out.getvalue() == (
        "3 documents, 3 orders, 3 movements of money; Stripe: not asked.\nNo gap, no broken link, no difference.\n"
    )


def test_without_a_key_stripe_is_not_compared(books: list[Invoice]) -> None:
    assert str(audit_books(timezone.now()).provider) == "not configured"


def test_a_missing_number_is_a_gap_and_a_broken_chain(books: list[Invoice], damage: Damage) -> None:
    second = books[1]
    damage(f"DELETE FROM orders_invoicedocument WHERE invoice_id = {second.pk}")
    damage(f"DELETE FROM orders_invoice WHERE id = {second.pk}")
    assert faults() == [
        ("gap", second.number),
        ("chain", books[2].number),
        ("order", second.order.reference),
    ]
    out = StringIO()
    with pytest.raises(CommandError, match=r"3 differences\.") as failed:
        call_command("audit_books", without_stripe=True, stdout=out)
    assert failed.value.returncode == 1
    assert f"gap: {second.number} is missing, the next is {books[2].number}" in out.getvalue()


def test_the_last_number_missing_is_seen_by_the_counter(books: list[Invoice], damage: Damage) -> None:
    last = books[2]
    damage(f"DELETE FROM orders_invoicedocument WHERE invoice_id = {last.pk}")
    damage(f"DELETE FROM orders_invoice WHERE id = {last.pk}")
    assert faults() == [("series", str(last.year)), ("order", last.order.reference)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("total = 40", ["total", "order", "ledger"]),
        ("vat = 3", ["total"]),
        ("number = 'F-2026-77777'", ["number", "hash"]),
        ("previous_hash = 'x'", ["chain", "hash"]),
        ("hash = 'x'", ["hash", "chain"]),
    ],
)
def test_a_changed_row_is_found(
    books: list[Invoice], damage: Damage, change: str, expected: list[str]
) -> None:
    damage(f"UPDATE orders_invoice SET {change} WHERE id = {books[0].pk}")
    assert [check for check, _subject in faults()] == expected


RATE = {"percent": "0.00", "net": "49.99", "vat": "0.00", "shipping_net": "0.00"}


def tax_with(**values: Any) -> str:
    """The assignment that changes a document's tax."""
    return f"data = jsonb_set(data, '{{tax}}', data->'tax' || '{json.dumps(values)}')"


def test_a_credit_note_beyond_a_rate_is_found(books: list[Invoice], damage: Damage) -> None:
    note = give_back(books[0], "5.00")
    for change, left in (
        ({"percent": "1.00"}, "au taux de 1.00\u00a0%, reste une base de -5.00 et une TVA de 0.00"),
        (
            {"net": "4.00", "vat": "1.00"},
            "au taux de 0.00\u00a0%, reste une base de 45.99 et une TVA de -1.00",
        ),
        # All of it, and no more.
        ({"net": "49.99"}, ""),
    ):
        with transaction.atomic():
            damage(f"UPDATE orders_invoice SET {tax_with(**change)} WHERE id = {note.pk}")
            found = audit_books(timezone.now(), with_provider=False).faults
            transaction.set_rollback(True)
        details = [(fault.subject, fault.detail) for fault in found if fault.check == "credit note"]
        assert details == ([(books[0].number, left)] if left else []), change


def test_each_figure_and_moment_of_a_document_is_compared(books: list[Invoice], damage: Damage) -> None:
    first, year = books[0], books[0].year
    for change, expected in (
        ("""data = jsonb_set(data, '{shipping}', '"1.00"')""", ["hash", "lines"]),
        ("""data = jsonb_set(data, '{tax,net}', '"1.00"')""", ["hash", "tax"]),
        ("""data = jsonb_set(data, '{tax,vat}', '"1.00"')""", ["hash", "tax", "total"]),
        (tax_with(rates=[RATE | {"net": "49.98"}]), ["hash", "tax"]),
        (tax_with(rates=[RATE | {"vat": "0.01"}]), ["hash", "tax"]),
        (tax_with(rates=[RATE], line_nets=["45.00"], shipping_net="4.99"), ["hash"]),
        (tax_with(rates=[RATE], line_nets=["45.00"], shipping_net="5.00"), ["hash", "tax"]),
        ("""data = jsonb_set(data, '{number}', '"F-1"')""", ["number", "hash"]),
        ("issued_at = issued_at + interval '1 hour'", ["chronology"]),
        # The first half hour of the year where the shop is, then the last one of the year before.
        (f"issued_at = make_timestamptz({year - 1}, 12, 31, 23, 30, 0, 'UTC')", []),
        (f"issued_at = make_timestamptz({year - 1}, 12, 31, 22, 30, 0, 'UTC')", ["year"]),
    ):
        with transaction.atomic():
            damage(f"UPDATE orders_invoice SET {change} WHERE id = {first.pk}")
            found = faults()
            transaction.set_rollback(True)
        subject = books[1].number if expected == ["chronology"] else first.number
        assert found == [(check, subject) for check in expected], change


def test_changed_content_is_found(books: list[Invoice], damage: Damage) -> None:
    text = "replace(CAST(data AS text), 'Martin', 'Durand')"
    cast = f"CAST({text} AS jsonb)" if connection.vendor == "postgresql" else text
    damage(f"UPDATE orders_invoice SET data = {cast} WHERE id = {books[1].pk}")
    assert faults() == [("hash", books[1].number)]


def test_another_pdf_is_found(books: list[Invoice], damage: Damage) -> None:
    value = "'%PDF'::bytea" if connection.vendor == "postgresql" else "CAST('%PDF' AS blob)"
    damage(f"UPDATE orders_invoicedocument SET pdf = {value} WHERE invoice_id = {books[1].pk}")
    assert faults() == [("document", books[1].number)]


def test_another_pdf_of_a_contract_is_found(books: list[Invoice], damage: Damage) -> None:
    contract = books[0].order.contract
    ensure_contract_document(contract)
    assert faults() == []
    value = "'%PDF'::bytea" if connection.vendor == "postgresql" else "CAST('%PDF' AS blob)"
    damage(f"UPDATE orders_contractdocument SET pdf = {value} WHERE contract_id = {contract.pk}")
    assert faults() == [("contract", books[0].order.reference)]


def test_a_document_that_never_came_is_found_after_an_hour(paid) -> None:
    invoice = paid().invoices.get()
    issued = (invoice.issued_at, invoice.order.contract.created_at)
    hour = timedelta(hours=1)
    assert audit_books(min(issued) + hour, with_provider=False).faults == []
    later = audit_books(max(issued) + hour + timedelta(microseconds=1), with_provider=False).faults
    missing = [
        ("document", invoice.number, "n'a pas de PDF"),
        ("contract", invoice.order.reference, "n'a pas de PDF"),
    ]
    assert [(fault.check, fault.subject, fault.detail) for fault in later] == missing
    # Not at the date alone that a clock ahead gave them.
    assert audit_books(max(issued) - CLOCKS_DIFFER, with_provider=False).faults == []
    set_right = audit_books(min(issued) - timedelta(days=365), with_provider=False).faults
    assert [(fault.check, fault.subject, fault.detail) for fault in set_right] == missing


def test_a_counter_that_is_not_at_the_last_document_is_found(books: list[Invoice]) -> None:
    year = books[0].year
    InvoiceSeries.objects.update(last_number=1)
    assert faults() == [("series", str(year))]
    InvoiceSeries.objects.update(last_number=3, last_hash="x")
    assert faults() == [("series", str(year))]
    InvoiceSeries.objects.update(year=year - 1)
    assert faults() == [("series", str(year - 1)), ("series", str(year))]


def test_a_paid_order_without_invoice_and_another_total_are_found(books: list[Invoice], paid) -> None:
    order = books[0].order
    Order.objects.filter(pk=order.pk).update(
        total=Decimal("59.99"), subtotal=Decimal("50.00"), original_total=Decimal("50.00")
    )
    assert faults() == [("order", order.reference)]


def test_a_settled_refund_without_credit_note_is_found(books: list[Invoice]) -> None:
    order = books[0].order
    # Nothing is credited where nothing was invoiced, and no credit note is due before the money is back.
    for each, settled_at in ((order, timezone.now()), (make_order(), timezone.now()), (books[1].order, None)):
        RefundRequest.objects.create(order=each, key=new_key(), amount=Decimal("5.00"), settled_at=settled_at)
    assert [fault for fault in faults() if fault[0] == "credit note"] == [("credit note", order.reference)]


def test_a_credit_note_without_money_back_is_found(books: list[Invoice], damage: Damage) -> None:
    order = books[0].order
    request = RefundRequest.objects.create(
        order=order, key=new_key(), amount=Decimal("5.00"), settled_at=timezone.now()
    )
    note = issue_credit_note(request=request)
    assert note is not None
    assert faults() == [("ledger", order.reference)]
    # A bank may have given it back in a dispute, or staff outside the shop.
    payment, now = order.payments.get(), timezone.now()
    from_charge: Any = {"order": order, "attempt": payment.attempts.get(), "amount": Decimal("5.00")}
    Dispute.objects.create(**from_charge, provider_id="dp_1", opened_at=now, closed_at=now, state="won")
    assert faults() == [("ledger", order.reference)]
    Dispute.objects.update(state="lost")
    assert faults() == []
    Refund.objects.create(**from_charge, provider_id="re_1", reason="external", state="succeeded")
    LedgerEntry.objects.create(
        order=order, payment=payment, kind=LedgerKind.REFUND, amount=Decimal("-5.00"), provider_id="re_1"
    )
    Payment.objects.filter(pk=payment.pk).update(state="partly_refunded")
    assert faults() == []
    RefundRequest.objects.update(settled_at=None)
    assert faults() == [("credit note", note.number)]
    # Nor one of another amount than its refund, of a refund that failed, and of more than the invoice.
    RefundRequest.objects.update(amount=Decimal("6.00"), settled_at=None)
    assert [fault for fault in faults() if fault[0] == "credit note"] == [("credit note", note.number)] * 2
    RefundRequest.objects.update(amount=Decimal("4.00"), settled_at=timezone.now())
    assert [fault for fault in faults() if fault[0] == "credit note"] == [("credit note", note.number)]
    request = RefundRequest.objects.create(
        order=order, key=new_key(), amount=books[0].total - 5, settled_at=timezone.now()
    )
    assert issue_credit_note(request=request) is not None
    for total, is_found in (("-5.00", False), ("-5.01", True)):
        damage(f"UPDATE orders_invoice SET total = {total} WHERE id = {note.pk}")
        assert (("credit note", books[0].number) in faults()) is is_found


def test_money_that_no_payment_and_no_document_tells_of_is_found(books: list[Invoice]) -> None:
    order = books[0].order
    payment = Payment.objects.get(order=order)
    LedgerEntry.objects.create(
        order=order,
        payment=payment,
        kind=LedgerKind.REFUND,
        amount=Decimal("-5.00"),
        provider_id="re_unknown",
    )
    assert faults() == [
        ("payment", str(payment)),
        ("refund", order.reference),
        ("ledger", order.reference),
    ]


def test_a_payment_and_a_refund_that_the_ledger_does_not_know_are_found(books: list[Invoice]) -> None:
    order = books[0].order
    payment = Payment.objects.get(order=order)
    for state in ("partly_refunded", "refunded"):
        Payment.objects.filter(pk=payment.pk).update(state=state)
        assert faults() == [("payment", str(payment))]
    Payment.objects.filter(pk=payment.pk).update(state="paid")
    Refund.objects.create(
        order=order, attempt=payment.attempts.get(), amount=Decimal("5.00"), provider_id="re_1",
        reason="external", state="succeeded",
    )  # fmt: skip
    assert faults() == [("refund", order.reference)]


def test_installments_given_up_after_a_lost_dispute_are_a_loss_and_no_fault(books: list[Invoice]) -> None:
    order = books[0].order
    Payment.objects.filter(order=order).update(amount=Decimal("20.00"))
    Payment.objects.create(
        order=order,
        position=2,
        count=2,
        amount=Decimal("29.99"),
        due_on=timezone.localdate(),
        state="scheduled",
    )
    LedgerEntry.objects.create(
        order=order,
        payment=order.payments.get(position=1),
        kind=LedgerKind.REFUND,
        amount=Decimal("-29.99"),
        provider_id="re_half",
    )
    assert ("ledger", order.reference) not in faults()
    assert void_scheduled(order=order, reason="unknown") == Decimal("29.99")
    assert ("ledger", order.reference) in faults()
    Payment.objects.filter(order=order, position=2).update(state="written_off")
    assert ("ledger", order.reference) not in faults()


def test_every_night_the_workshop_hears_of_faults_and_of_nothing_else(books: list[Invoice]) -> None:
    now = timezone.now()
    audit_every_night(now)
    assert not OutgoingMail.objects.filter(kind="books_audit_alert").exists()
    InvoiceSeries.objects.update(last_number=1)
    audit_every_night(now)
    audit_every_night(now)
    mail = OutgoingMail.objects.get(kind="books_audit_alert")
    assert (mail.to, mail.language) == ("atelier@etabli.example", "fr")
    assert mail.context == {
        "faults": [
            {
                "check": "series",
                "subject": str(books[0].year),
                "detail": "le compteur n'est pas au dernier document",
            }
        ],
        "count": 1,
        "more": 0,
    }


def test_the_audit_asks_no_more_of_larger_books(
    books: list[Invoice], paid, django_assert_max_num_queries
) -> None:
    with django_assert_max_num_queries(50) as few:
        audit_books(timezone.now(), with_provider=False)
    paid()
    paid()
    with django_assert_max_num_queries(len(few.captured_queries)):
        audit_books(timezone.now(), with_provider=False)
