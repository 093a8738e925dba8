"""Whatever is sold, given back and issued anew around a year's end, returns, reports and entries say the same."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from orders.books.audit import audit_books
from orders.books.days import month, year
from orders.books.entries import entries
from orders.books.oss import oss_return
from orders.books.receipts import receipts
from orders.books.reporting import Reading, Step, business_sales, report
from orders.books.turnover import months_of
from orders.invoices.issuing import reissue_invoice
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.crediting import give_back
from orders.models import Invoice, InvoiceDraft, InvoiceKind, LedgerEntry, Order, Refund, VatRate
from orders.tests.books.entries import book, utc
from orders.tests.factories import make_category, make_order, make_product, pay_order

pytestmark = pytest.mark.django_db

ZERO = Decimal("0.00")
CENT = Decimal("0.01")
YEARS = (2026, 2027)


class World:
    """Ten sales at two rates to four countries, each with up to three changes in the months after it."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        books = make_category("livres", name="Livres")
        for country, of_goods, of_books in (("FR", 20, "5.50"), ("DE", 19, "7.00"), ("BE", 21, "6.00")):
            for category, percent in ((None, of_goods), (books, of_books)):
                VatRate.objects.create(
                    country=country, category=category, percent=percent, starts_on=date(2026, 1, 1)
                )
        self.products = [
            make_product("Carnet", price="7.77", category=books),
            *(make_product(name, price=price) for name, price in (("Golem", "38.01"), ("Renard", "0.70"))),
        ]

    def play(self) -> None:
        began = utc(2026, 9, 1)
        moments = [began + timedelta(minutes=self.dice.randrange(300_000)) for _sale in range(7)]
        # A quarter's last second in Paris; a year's last hour there, and in London.
        moments += [utc(2026, 9, 30, 21, 59, 59), utc(2026, 12, 31, 22, 30), utc(2026, 12, 31, 23, 30)]
        waiting: list[tuple[datetime, float, Order | None]] = [
            (at, self.dice.random(), None) for at in moments
        ]
        heapq.heapify(waiting)
        while waiting:
            at, _place, order = heapq.heappop(waiting)
            with time_machine.travel(at, tick=False):
                if order is not None:
                    self.change(order, at)
                    continue
                order = self.sell()
            for _change in range(self.dice.randrange(4)):
                at += timedelta(days=self.dice.randrange(1, 70))
                heapq.heappush(waiting, (at, self.dice.random(), order))

    def sell(self) -> Order:
        lines = [(product, self.dice.randint(1, 2)) for product in self.dice.sample(self.products, 2)]
        return pay_order(make_order(*lines, country=self.dice.choice(["FR", "DE", "DE", "BE", "US"])))

    def change(self, order: Order, at: datetime) -> None:
        notes = order.invoices.filter(kind=InvoiceKind.CREDIT_NOTE)
        invoice = order.invoices.filter(kind=InvoiceKind.INVOICE).latest("version")
        left = invoice.total + sum(note.total for note in notes.filter(credits=invoice))
        what, piece = self.dice.choice(["anew", "gesture", "whole", "piece"]), ""
        if what == "anew":
            if not notes.exists():
                number = self.dice.choice(["", "732829320"])
                draft = InvoiceDraft(order=order, customer_name="Ana", customer_number=number)
                reissue_invoice(credited=invoice, draft=draft, reason="Nom")
            return
        if what == "gesture":
            left = min(left, self.dice.randint(1, 900) * CENT)
        elif what == "piece" and not notes.filter(refund_request__isnull=False).exists():
            item = self.dice.choice(list(order.items.all()))
            left, piece = min(left, item.unit_price), item.product_name
        if left:
            note = give_back(invoice, str(left), piece=piece)
            Refund.objects.create(
                order=order, attempt=order.payments.get().attempts.get(), amount=left, provider_id=f"re_{note.pk}",
                request=note.refund_request, state="succeeded", settled_at=at,
            )  # fmt: skip
            book(f"-{left}", at, kind="refund", order=order, movement=f"re_{note.pk}")


def entered(account: str, of_year: int) -> Decimal:
    """What a year moved on an account."""
    moved = ZERO
    for entry in entries(of_year):
        assert sum(line.amount for line in entry.lines) == 0
        if entry.journal != "AN":
            moved += sum((line.amount for line in entry.lines if line.account.number == account), ZERO)
    return moved


@pytest.mark.parametrize(
    ("seed", "threshold", "liable_from"),
    [
        (1, "150.00", None),
        (2, "0.00", date(2026, 11, 15)),
        (3, "100.00", date(2026, 1, 1)),
        (4, "60.00", None),
    ],
)
def test_returns_reports_and_entries_agree_to_the_cent(seed, threshold, liable_from):
    set_shop(
        oss_number="FR12123456789", eu_sales_threshold=Decimal(threshold), vat_liable_from=liable_from,
        vat_number="FR83123456789" if liable_from else "",
    )  # fmt: skip
    World(seed).play()
    for number in YEARS:
        documents = list(Invoice.objects.filter(year=number))
        # VAT of other countries: the four returns and the account of the one-stop shop.
        assert entered("445715", number) == -sum(oss_return(part, number).to_pay for part in range(1, 5))
        domestic = [row.vat for row in documents if row.data["tax"]["treatment"] == "domestic"]
        assert entered("445710", number) == -sum(domestic, ZERO)
        # Each document is reported once: of consumers, however it is cut, or of businesses.
        businesses = business_sales(year(number))
        for step in Step:
            lines = report(year(number), step)
            assert sum((row.total for row in (*lines, *businesses)), ZERO) == sum(
                row.total for row in documents
            )
            assert sum((row.vat for row in (*lines, *businesses)), ZERO) == sum(row.vat for row in documents)
        assert sum((row.amount for row in receipts(year(number))), ZERO) == sum(
            (row.amount for row in LedgerEntry.objects.filter(year(number).holds("occurred_at"))), ZERO
        )
        # The turnover of a month is what payments report without VAT, but for the cents of rounding each of them.
        for found in months_of(number, without_vat=True):
            moved = list(receipts(month(found.number, number)))
            net = sum((share.net for row in moved for share in row.shares), ZERO)
            assert abs(found.net - net) <= CENT * len(moved)
        paid = report(year(number), Step.QUARTER, Reading.PAYMENTS)
        consumers = [row.amount for row in receipts(year(number)) if not row.is_business]
        assert sum((row.total for row in paid), ZERO) == sum(consumers, ZERO)
    owed: defaultdict[str, Decimal] = defaultdict(lambda: ZERO)
    for entry in entries(YEARS[-1] + 1):
        for line in entry.lines:
            owed[line.account.customer] += line.amount
    for order in Order.objects.all():
        invoiced = [(row.total, row.vat) for row in order.invoices.all()]
        total = sum(row[0] for row in invoiced)
        assert owed[f"C{order.reference}"] == total - sum(row.amount for row in order.ledger.all())
        # Who gave everything back gave its VAT back.
        assert total > 0 or sum(row[1] for row in invoiced) == 0
    # `book` moves money past payments, and nothing made PDFs or linked rows.
    faults = {fault.check for fault in audit_books(utc(2028, 1, 1), with_provider=False).faults}
    assert faults <= {"payment", "document", "contract"}
