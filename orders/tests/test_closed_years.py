"""Orders and documents of a year go when ten years are over, and the books still add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.db import DatabaseError, connection, transaction

from orders.books.audit import audit_books
from orders.invoices import contracts, documents
from orders.invoices.contracts import ensure_contract_document
from orders.invoices.documents import ensure_document
from orders.models import (
    Attempt,
    Discrepancy,
    Dispute,
    InstallmentPause,
    Invoice,
    InvoiceDocument,
    InvoiceSeries,
    LedgerEntry,
    Order,
    OrderEvent,
    OrderItem,
    Payment,
    PiecePhoto,
    PieceStage,
    PurgedYear,
    Refund,
    RefundRequest,
    StoredCard,
    Withdrawal,
    WithdrawalCase,
    WithdrawalLine,
    WorkPiece,
)
from orders.services.fulfilment import closed_years
from orders.services.fulfilment.closed_years import purge_closed_years
from orders.services.fulfilment.status_changes import update_status
from orders.tests.books.entries import book
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import PARIS, refund, send_all
from shop.core.append_only import AppendOnlyError
from shop.core.file_storage import delete_discarded_files, private_storage
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.personal_data import kept_until, retention_rules

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

IN_THE_YEAR = datetime(2026, 12, 31, 10, tzinfo=PARIS)
NEW_YEAR = datetime(2027, 1, 1, tzinfo=PARIS)
LAST_DAY_KEPT = datetime(2036, 12, 31, 4, tzinfo=PARIS)
FIRST_NIGHT = datetime(2037, 1, 1, 4, tzinfo=PARIS)
A_YEAR_LATER = datetime(2038, 1, 1, 4, tzinfo=PARIS)


def at(year: int, month: int, day: int) -> Any:
    return time_machine.travel(datetime(year, month, day, 10, tzinfo=PARIS), tick=False)


def delivered(email: str) -> Order:
    piece = make_product(f"Golem {Order.objects.count()}", stock_quantity=3)
    order = pay_order(make_order((piece, 1), email=email))
    update_status(order_id=order.pk, status="shipped", actor=None)
    update_status(order_id=order.pk, status="delivered", actor=None)
    ensure_document(order.invoices.get())
    ensure_contract_document(order.contract)
    return Order.objects.get(pk=order.pk)


def give_back(order: Order, amount: str) -> None:
    refund(order, amount=Decimal(amount))
    send_all()
    ensure_document(Invoice.objects.get(order=order, kind="credit_note"))


def declare(order: Order | None, state: str = "refused", **values: Any) -> None:
    withdrawal = Withdrawal.objects.create(
        order=order, name="Léa", email="lea@example.com", order_text="X", statement="Je renonce.",
        submission_key=uuid4().hex, **values,
    )  # fmt: skip
    WithdrawalCase.objects.create(withdrawal=withdrawal, order=order, state=state)
    if order is not None:
        WithdrawalLine.objects.create(withdrawal=withdrawal, item=order.items.get(), quantity=1)


def dispute(order: Order, **values: Any) -> None:
    attempt = Attempt.objects.get(payment__order=order)
    Dispute.objects.create(
        order=order, attempt=attempt, provider_id="dp_1", amount=1, opened_at=IN_THE_YEAR, **values
    )


def discrepancy(order: Order, **values: Any) -> None:
    Discrepancy.objects.create(order=order, kind="amount_differs", provider_id="ch_1", amount=1, **values)


@pytest.fixture(autouse=True, scope="module")
def _papers() -> Iterator[None]:
    """What the papers look like is nothing to the books."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "typeset", lambda data: f"%PDF {data['number']}".encode())
        patch.setattr(contracts, "typeset_page", lambda texts, **rest: b"%PDF")
        yield


@pytest.fixture(scope="module")
def books(module_provider: MemoryProvider) -> dict[str, Order]:
    """Two years of books: what ended in 2026, what began then and ended in 2027 or never did, what is of 2027."""
    with at(2026, 11, 20):
        credited = delivered("credited@example.com")
        give_back(credited, "5.00")
        declared = delivered("declared@example.com")
        declare(declared)
        declare(None)
        declare(None, "declared")
        credited_later = delivered("later@example.com")
        never_sent = pay_order(make_order((make_product("Ogre"), 1), email="open@example.com"))
        ensure_document(never_sent.invoices.get())
        ensure_contract_document(never_sent.contract)
    with at(2027, 1, 8):
        give_back(credited_later, "7.00")
        next_year = delivered("next@example.com")
    assert faults() == []
    return {
        "credited": credited,
        "declared": declared,
        "credited_later": credited_later,
        "never_sent": never_sent,
        "next_year": next_year,
    }


@pytest.fixture
def orders(books: dict[str, Order], provider: MemoryProvider) -> dict[str, Order]:
    return {name: Order.objects.get(pk=order.pk) for name, order in books.items()}


def faults() -> list[tuple[str, str]]:
    report = audit_books(A_YEAR_LATER, with_provider=False)
    return [(fault.check, fault.subject) for fault in report.faults]


def purge(now: datetime) -> int:
    rule = next(rule for rule in retention_rules() if rule.name == "closed-years")
    assert rule.purge is purge_closed_years
    return rule.purge(kept_until(rule.period, now), 200)


def left(orders: dict[str, Order]) -> set[str]:
    return {name for name, order in orders.items() if Order.objects.filter(pk=order.pk).exists()}


def test_nothing_goes_before_ten_years_have_passed_since_the_year_ended(orders: dict[str, Order]) -> None:
    assert purge(LAST_DAY_KEPT) == 0
    assert left(orders) == set(orders)
    assert not PurgedYear.objects.exists()


def test_what_ended_in_the_year_goes_whole_and_the_books_still_add_up(orders: dict[str, Order]) -> None:
    gone = [orders["credited"].pk, orders["declared"].pk]
    references = [orders["credited"].reference, orders["declared"].reference]
    OutgoingMail.objects.update(state="sent")
    dispute(orders["credited"], state="won", closed_at=IN_THE_YEAR)
    discrepancy(orders["credited"], resolved_at=IN_THE_YEAR, resolution="Vu.")
    InstallmentPause.objects.create(order=orders["declared"], started_by="staff", ended_at=IN_THE_YEAR)
    StoredCard.objects.create(order=orders["declared"], customer_id="cus_1", payment_method_id="pm_1")
    paid, again = orders["declared"].payments.get(), orders["credited"].refunds.get()
    Payment.objects.create(
        order=paid.order, position=2, count=2, amount=1, due_on=IN_THE_YEAR, state="void", merged_into=paid
    )
    Refund.objects.create(
        order=again.order, attempt=again.attempt, request=again.request, amount=1, reason=again.reason,
        state="failed", created_at=IN_THE_YEAR, replaces=again,
    )  # fmt: skip
    assert purge(FIRST_NIGHT) == 2
    assert left(orders) == {"credited_later", "never_sent", "next_year"}
    for rows in (Invoice, LedgerEntry, Refund, RefundRequest, Payment, OrderEvent, OrderItem):
        assert not rows.objects.filter(order__in=gone).exists(), rows
    assert not InvoiceDocument.objects.filter(invoice__order__in=gone).exists()
    # Nobody has found yet which order this one is about.
    assert Withdrawal.objects.get().case.state == "declared"
    assert not OutgoingMail.objects.filter(reference__in=references).exists()
    assert faults() == []


def test_the_year_is_added_up_in_a_row(orders: dict[str, Order]) -> None:
    last = Invoice.objects.get(year=2026, sequence=5)
    # The first moment of the next year is not its own.
    book("-1.00", NEW_YEAR, kind="refund", order=orders["never_sent"])
    book("1.00", NEW_YEAR, kind="refund_failed", order=orders["never_sent"])
    purge(FIRST_NIGHT)
    row = PurgedYear.objects.get()
    assert (row.year, row.ends_at) == (2026, datetime(2027, 1, 1, tzinfo=PARIS))
    assert (row.last_number, row.last_hash) == (5, last.hash)
    # Four orders of 49.99, a credit note of 5.00; of them two orders and the note go.
    assert (row.total, row.movements, row.moved) == (Decimal("194.96"), 5, Decimal("194.96"))
    assert (row.purged_orders, row.purged_documents, row.purged_total) == (2, 3, Decimal("94.98"))
    assert (row.purged_movements, row.purged_moved) == (3, Decimal("94.98"))
    entry = AuditEntry.objects.get(action="books.year_purged")
    assert entry.after == {"year": 2026, "purged_orders": 2, "purged_documents": 3}
    assert faults() == []


def test_the_later_year_takes_what_began_in_the_earlier(orders: dict[str, Order]) -> None:
    purge(FIRST_NIGHT)
    assert purge(FIRST_NIGHT) == 0
    assert purge(A_YEAR_LATER) == 2
    assert left(orders) == {"never_sent"}
    assert list(PurgedYear.objects.values_list("year", "last_number", "purged_documents")) == [
        (2026, 5, 3),
        (2027, 2, 3),
    ]
    assert faults() == []


def test_two_years_at_once_end_as_one_by_one(orders: dict[str, Order]) -> None:
    # A note and a movement of the later year that stay are counted, too.
    with at(2027, 1, 8):
        give_back(orders["never_sent"], "1.00")
    assert purge(A_YEAR_LATER) == 4
    assert left(orders) == {"never_sent"}
    assert faults() == []


def test_an_order_that_fails_keeps_no_other_and_goes_with_a_later_year(
    orders: dict[str, Order], monkeypatch: pytest.MonkeyPatch
) -> None:
    declared, delete = orders["declared"], closed_years._delete
    piece = WorkPiece.objects.create(item=declared.items.get(), number=7, stage=PieceStage.TO_PACK)
    file = private_storage().save("pieces/a.jpg", ContentFile(b"a photograph"))
    PiecePhoto.objects.create(piece=piece, file=file, width=1, height=1)

    def fail(keys: Any) -> None:
        delete(keys)
        if declared.pk in keys:
            raise ValueError("unforeseen")

    with monkeypatch.context() as patch:
        patch.setattr(closed_years, "_delete", fail)
        with pytest.raises(ValueError, match="unforeseen"):
            purge(FIRST_NIGHT)
    assert set(orders) - left(orders) == {"credited"}
    assert list(PurgedYear.objects.values_list("year", "purged_orders", "purged_documents")) == [(2026, 1, 2)]
    assert faults() == []
    assert delete_discarded_files()
    assert private_storage().exists(file)
    assert purge(A_YEAR_LATER) == 3
    assert delete_discarded_files()
    assert not private_storage().exists(file)
    assert left(orders) == {"never_sent"}
    assert faults() == []


@pytest.mark.parametrize("rows", [Invoice, LedgerEntry, InvoiceDocument])
def test_rows_of_other_years_are_refused_as_before(orders: dict[str, Order], rows: Any) -> None:
    purge(FIRST_NIGHT)
    if rows is not InvoiceDocument:
        InvoiceDocument.objects.filter(invoice__year=2026).delete()
    own = (
        {"invoice__order": orders["next_year"]} if rows is InvoiceDocument else {"order": orders["next_year"]}
    )
    before = rows.objects.count()
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        rows.objects.filter(**own)._raw_delete("default")
    assert rows.objects.count() == before


def book_anew(order: Order, *amounts: str) -> None:
    entry = LedgerEntry.objects.get(order=order)
    LedgerEntry.objects.filter(pk=entry.pk).delete()
    for amount in amounts:
        entry.pk, entry.amount, entry.provider_id = None, Decimal(amount), f"ch_{amount}"
        entry.save(force_insert=True)


@pytest.mark.parametrize(
    ("remove", "expected"),
    [
        (
            lambda order: (
                InvoiceDocument.objects.filter(invoice__order=order).delete()
                and Invoice.objects.filter(order=order).delete()
            ),
            ["purged year", "order"],
        ),
        (
            lambda order: LedgerEntry.objects.filter(order=order).delete(),
            ["purged year", "payment", "ledger"],
        ),
        (lambda order: book_anew(order, "49.98"), ["purged year", "payment", "ledger"]),
        (lambda order: book_anew(order, "40.00", "9.99"), ["purged year"]),
    ],
)
def test_what_is_deleted_of_a_purged_year_without_being_counted_is_found(
    orders: dict[str, Order], remove: Callable[[Order], Any], expected: list[str]
) -> None:
    purge(FIRST_NIGHT)
    remove(orders["never_sent"])
    found = faults()
    assert [check for check, _subject in found] == expected
    assert found[0] == ("purged year", "2026")


def test_the_row_of_a_year_is_never_changed_or_deleted(orders: dict[str, Order]) -> None:
    purge(FIRST_NIGHT)
    row = PurgedYear.objects.get()
    with pytest.raises(AppendOnlyError):
        row.delete()
    for statement in ("UPDATE orders_purgedyear SET total = 1", "DELETE FROM orders_purgedyear"):
        with (
            pytest.raises(DatabaseError, match="never changed or deleted"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
    assert PurgedYear.objects.get().total == row.total


def test_the_counter_of_a_purged_year_is_still_compared(orders: dict[str, Order]) -> None:
    purge(FIRST_NIGHT)
    InvoiceSeries.objects.filter(year=2026).update(last_number=4)
    assert faults() == [("series", "2026")]
    purge(A_YEAR_LATER)
    InvoiceSeries.objects.filter(year=2027).update(last_hash="x")
    assert faults() == [("series", "2026"), ("series", "2027")]


@pytest.mark.parametrize(
    "happens",
    [
        lambda order: order.refunds.update(state="failed") and order.refund_requests.update(settled_at=None),
        lambda order: order.refunds.update(state="pending"),
        lambda order: order.refunds.update(settled_at=NEW_YEAR),
        lambda order: order.refund_requests.update(settled_at=NEW_YEAR),
        lambda order: order.payments.update(state="due"),
        lambda order: Attempt.objects.filter(payment__order=order).update(state="sent"),
        lambda order: dispute(order, state="needs_response"),
        lambda order: dispute(order, state="won", closed_at=NEW_YEAR),
        lambda order: discrepancy(order),
        lambda order: declare(order, "declared"),
        lambda order: declare(order, declared_at=NEW_YEAR),
        *(
            lambda order, change=change: Order.objects.filter(pk=order.pk).update(**change)
            for change in (
                {"paid_at": NEW_YEAR},
                {"shipped_at": NEW_YEAR},
                {"delivered_at": NEW_YEAR},
                {"cancelled_at": NEW_YEAR},
                {"status": "shipped"},
                {"status": "cancelled"},
                {"review_reason": "amount"},
            )
        ),
    ],
)
def test_an_order_that_is_not_settled_or_ended_later_stays(
    orders: dict[str, Order], happens: Callable[[Order], object]
) -> None:
    with at(2026, 12, 31):
        happens(orders["credited"])
    assert purge(FIRST_NIGHT) == 1
    assert "credited" in left(orders)


@pytest.mark.parametrize("ensure", [ensure_document, ensure_contract_document])
def test_an_order_whose_papers_are_of_the_next_year_stays(
    orders: dict[str, Order], ensure: Callable[[Any], object]
) -> None:
    with at(2026, 12, 31):
        order = pay_order(make_order((make_product("Troll"), 1), email="late@example.com"))
        Order.objects.filter(pk=order.pk).update(status="delivered")
    with at(2027, 1, 1):
        ensure(order.contract if ensure is ensure_contract_document else order.invoices.get())
    assert purge(FIRST_NIGHT) == 2
    assert Order.objects.filter(pk=order.pk).exists()
