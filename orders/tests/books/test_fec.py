"""The file of entries (art. L47 A, I LPF): its format by the arrêté's table, balance, order, and what it says."""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from orders.books.entries import Account, Entry, EntryLine, entries
from orders.books.fec import COLUMNS, fec_lines, fec_name
from orders.books.payouts import fees_of
from orders.invoices.issuing import issue_credit_note, issue_invoice, reissue_invoice
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.crediting import give_back
from orders.models import (
    AccountNumber,
    BalanceMovement,
    Invoice,
    InvoiceDraft,
    LedgerEntry,
    OrderStatus,
    PurgedYear,
    RefundRequest,
)
from orders.models.payment import TRANSFER_MOVEMENT
from orders.services.checkout.placement import BillingDetails
from orders.tests.books.entries import book, utc
from orders.tests.factories import make_order, make_product, new_key, pay_order

pytestmark = pytest.mark.django_db

DAY, AMOUNT = r"\d{8}", r"\d+,\d{2}"
FORMAT = {
    "JournalCode": r"[A-Z]{2}", "JournalLib": r".+", "EcritureNum": r"[1-9]\d*", "EcritureDate": DAY,
    "CompteNum": r"[1-7][0-9A-Z]{2,}", "CompteLib": r".+", "CompAuxNum": r".*", "CompAuxLib": r".*", "PieceRef": r".+",
    "PieceDate": DAY, "EcritureLib": r".+", "Debit": AMOUNT, "Credit": AMOUNT, "EcritureLet": r".*",
    "DateLet": rf"({DAY})?", "ValidDate": DAY, "Montantdevise": rf"({AMOUNT})?", "Idevise": r"([A-Z]{3})?",
}  # fmt: skip
"""The eighteen columns of A47 A-1 LPF, VII, with what each may hold."""


def read(number: int) -> list[dict[str, str]]:
    text = b"".join(fec_lines(entries(number))).decode("iso8859-15")
    head, *rows = [line.split("\t") for line in text.removesuffix("\r\n").split("\r\n")]
    assert tuple(head) == COLUMNS == tuple(FORMAT)
    found = [dict(zip(head, row, strict=True)) for row in rows]
    for row in found:
        for name, form in FORMAT.items():
            assert re.fullmatch(form, row[name]), (name, row[name])
        # Exactly one side.
        assert (row["Debit"] == "0,00") != (row["Credit"] == "0,00")
    return found


def amount(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


def balances(rows: list[dict[str, str]]) -> dict[str, Decimal]:
    sums: defaultdict[str, Decimal] = defaultdict(lambda: Decimal("0.00"))
    for row in rows:
        sums[row["CompteNum"]] += amount(row["Debit"]) - amount(row["Credit"])
    return dict(sums)


@pytest.fixture
def year_2026() -> None:
    """A sale with French VAT and delivery, a credit note with its refund, fees and a payout."""
    set_shop(vat_liable_from=utc(2026, 1, 1).date(), vat_number="FR83123456789")
    with time_machine.travel(utc(2026, 11, 21, 11), tick=False):
        order = pay_order(make_order((make_product("Golem", price="38.01"), 1)))
        request = RefundRequest.objects.create(
            order=order, key=new_key(), amount=Decimal("12.00"), settled_at=timezone.now(), reason="Geste"
        )
        issue_credit_note(request=request)
    book("-12.00", utc(2026, 11, 22), kind="refund", order=order)
    charge = LedgerEntry.objects.get(kind="charge")
    for number, (kind, moved, fee, source, day) in enumerate(
        (("charge", "48.00", "0.97", charge.provider_id, 21), ("refund", "-12.00", "0.00", "re_1", 22),
         ("stripe_fee", "-2.00", "0.00", "", 23), ("payout", "-33.03", "0.00", "po_1", 24))
    ):  # fmt: skip
        BalanceMovement.objects.create(
            provider_id=f"txn_{number}", kind=kind, amount=Decimal(moved), fee=Decimal(fee), source_id=source,
            occurred_at=utc(2026, 11, day, 12), available_at=utc(2026, 11, day, 12),
        )  # fmt: skip


def test_l47_a_lpf_entries_balance_follow_each_other_and_are_numbered_without_a_gap(year_2026):
    rows = read(2026)
    by_entry: defaultdict[str, Decimal] = defaultdict(lambda: Decimal("0.00"))
    for row in rows:
        by_entry[row["EcritureNum"]] += amount(row["Debit"]) - amount(row["Credit"])
    assert set(by_entry.values()) == {Decimal("0.00")}
    assert list(by_entry) == [str(number) for number in range(1, len(by_entry) + 1)]
    assert [row["EcritureDate"] for row in rows] == sorted(row["EcritureDate"] for row in rows)
    assert balances(rows) == {
        # The customer's account is settled: 48.00 invoiced and paid, 12.00 credited and refunded.
        "411000": Decimal("0.00"),
        # 48.00 with 20 % inside, 40.00 with 8.32 € net of delivery, less a gesture of 12.00 that is no return.
        "707000": Decimal("-31.68"), "709700": Decimal("10.00"), "708500": Decimal("-8.32"),
        "445710": Decimal("-6.00"),
        "517000": Decimal("0.00"), "512000": Decimal("33.03"), "627000": Decimal("2.97"),
    }  # fmt: skip
    sale = [row for row in rows if row["EcritureNum"] == "1"]
    assert [(row["JournalCode"], row["CompteNum"], row["Debit"], row["Credit"]) for row in sale] == [
        ("VE", "411000", "48,00", "0,00"), ("VE", "707000", "0,00", "31,68"), ("VE", "708500", "0,00", "8,32"),
        ("VE", "445710", "0,00", "8,00"),
    ]  # fmt: skip
    assert sale[0]["CompAuxLib"] == "Léa Martin"
    (invoice, note), charge = Invoice.objects.order_by("pk"), LedgerEntry.objects.get(kind="charge")
    assert list(dict.fromkeys(row["EcritureLib"] for row in rows)) == [
        f"Facture {invoice.number} Léa Martin", f"Avoir {note.number} Léa Martin",
        f"Encaissement commande {invoice.order.reference}", f"Frais Stripe {charge.provider_id}",
        f"Remboursement commande {invoice.order.reference}", "Frais Stripe", "Versement Stripe po_1",
    ]  # fmt: skip
    assert [row["PieceRef"] for row in rows if row["JournalCode"] == "BQ"] == ["po_1", "po_1"]


def test_a_payout_that_came_back_is_no_money_at_the_bank(year_2026):
    returned = [("payout_failure", "33.03", 25), ("payout", "-33.03", 26), ("payout_cancel", "33.03", 27)]
    for kind, moved, day in returned:
        BalanceMovement.objects.create(
            provider_id=f"txn_{day}", kind=kind, amount=Decimal(moved), source_id="po_1",
            occurred_at=utc(2026, 11, day, 12), available_at=utc(2026, 11, day, 12),
        )  # fmt: skip
    rows = read(2026)
    assert (balances(rows)["512000"], balances(rows)["517000"]) == (Decimal("0.00"), Decimal("33.03"))
    bank = [row for row in rows if row["JournalCode"] == "BQ"]
    assert [(row["CompteNum"], row["Debit"], row["Credit"], row["EcritureLib"]) for row in bank[2:4]] == [
        ("512000", "0,00", "33,03", "Versement rejeté Stripe po_1"),
        ("517000", "33,03", "0,00", "Versement rejeté Stripe po_1"),
    ]
    assert sum(month.paid_out for month in fees_of(2026)) == Decimal("0.00")


def test_what_the_owner_pays_in_so_that_refunds_can_be_made_comes_from_the_bank(year_2026):
    for kind, moved, day in (("topup", "50.00", 25), ("topup", "7.00", 26), ("topup_reversal", "-7.00", 27)):
        BalanceMovement.objects.create(
            provider_id=f"txn_{day}", kind=kind, amount=Decimal(moved), source_id=f"tu_{day}",
            occurred_at=utc(2026, 11, day, 12), available_at=utc(2026, 11, day, 12),
        )  # fmt: skip
    rows = read(2026)
    assert (balances(rows)["512000"], balances(rows)["517000"]) == (Decimal("-16.97"), Decimal("50.00"))
    said = [(row["EcritureLib"], row["Debit"]) for row in rows if row["CompteNum"] == "512000"]
    assert said[1:] == [
        ("Approvisionnement Stripe tu_25", "0,00"), ("Approvisionnement Stripe tu_26", "0,00"),
        ("Approvisionnement annulé Stripe tu_27", "7,00"),
    ]  # fmt: skip
    # It is no payout.
    assert sum(month.paid_out for month in fees_of(2026)) == Decimal("33.03")


def test_a_movement_that_the_shop_learnt_of_late_stands_on_its_day():
    for day in (3, 2):
        book("5.00", utc(2026, 1, day))
    assert [row["EcritureDate"] for row in read(2026)] == ["20260102"] * 2 + ["20260103"] * 2


def test_the_next_year_opens_with_what_is_left(year_2026):
    # What moves in the new year is no part of it. Without an invoice the order names the customer.
    book("5.00", utc(2027, 1, 2))
    rows = read(2027)
    assert [row["CompAuxLib"] for row in rows if row["JournalCode"] == "ST"] == ["", "Léa Martin"]
    assert balances([row for row in rows if row["JournalCode"] == "AN"]) == {
        "445710": Decimal("-6.00"), "512000": Decimal("33.03"), "108000": Decimal("-27.03")
    }  # fmt: skip
    assert read(2025) == []


def test_money_of_a_year_before_the_first_invoice_is_brought_forward(year_2026):
    # The provider's first fee may be older than the first sale.
    BalanceMovement.objects.create(
        provider_id="txn_fee", kind="stripe_fee", amount=Decimal("-2.00"), occurred_at=utc(2024, 12, 31, 12),
        available_at=utc(2024, 12, 31, 12),
    )  # fmt: skip
    book("5.00", utc(2025, 12, 31, 12))
    opening = [row for row in read(2026) if row["JournalCode"] == "AN"]
    assert balances(opening) == {
        "517000": Decimal("3.00"), "411000": Decimal("-5.00"), "108000": Decimal("2.00")
    }  # fmt: skip
    # What the provider moved in a year whose sales are gone says nothing.
    PurgedYear.objects.create(
        year=2024, ends_at=utc(2024, 12, 31, 23), last_number=0, total=0, movements=0, moved=0, purged_orders=0,
        purged_documents=0, purged_total=0, purged_movements=0, purged_moved=0,
    )  # fmt: skip
    opening = [row for row in read(2026) if row["JournalCode"] == "AN"]
    assert balances(opening) == {"517000": Decimal("5.00"), "411000": Decimal("-5.00")}


def test_an_invoice_of_a_year_before_any_money_is_brought_forward():
    for year in (2025, 2026):
        with time_machine.travel(utc(year, 11, 21, 11), tick=False):
            order = make_order()
            order.status, order.paid_at = OrderStatus.CONFIRMED, timezone.now()
            order.save()
            issue_invoice(order=order)
    assert balances(read(2026)[:2]) == {"411000": Decimal("49.99"), "108000": Decimal("-49.99")}
    assert balances(read(2027)) == {"411000": Decimal("99.98"), "108000": Decimal("-99.98")}


def test_delivery_without_vat_vat_of_the_one_stop_shop_and_transfers_have_their_accounts():
    set_shop(oss_number="FR12123456789", eu_sales_threshold=Decimal("100.00"))
    with time_machine.travel(utc(2026, 11, 21, 11), tick=False):
        order = pay_order(make_order())
        pay_order(make_order((make_product(price="119.00"), 1), country="DE"))
        give_back(pay_order(make_order()).invoices.get(), "9.99", shipping="9.99")
    book("-10.00", utc(2026, 11, 22), kind="refund", order=order, movement=f"{TRANSFER_MOVEMENT}1")
    rows = read(2026)
    assert balances(rows) == {
        "411000": Decimal("0.01"), "707000": Decimal("-180.00"), "708500": Decimal("-9.99"),
        "445715": Decimal("-19.00"), "517000": Decimal("218.98"), "512000": Decimal("-10.00"),
    }  # fmt: skip
    assert [row["JournalCode"] for row in rows if row["CompteNum"] == "512000"] == ["BQ"]


def test_a_customer_s_account_has_the_name_of_the_first_invoice_and_is_closed_once_settled():
    with time_machine.travel(utc(2026, 11, 21, 11), tick=False):
        order = make_order(billing=BillingDetails(
            name="Ana Petit", company="Petit SARL", company_number="732829320", address="1 rue X",
            postal_code="75001", city="Paris", country="FR",
        ))  # fmt: skip
        [invoice] = pay_order(order).invoices.all()
        draft = InvoiceDraft(order=order, customer_name="Petit et fille SARL")
        reissue_invoice(credited=invoice, draft=draft, reason="Nom")
    order.last_name = "Effacée"
    order.save()
    names = {row["CompAuxLib"] for row in read(2026) if row["CompAuxNum"] == f"C{order.reference}"}
    assert names == {"Petit SARL"}
    assert [(row["CompteNum"], row["CompAuxNum"]) for row in read(2027)] == [("517000", ""), ("108000", "")]


def test_numbers_of_accounts_are_the_owner_s(year_2026, admin_client):
    AccountNumber.objects.filter(role="sales").update(number="707100", label="Figurines")
    assert "707100" in balances(read(2026))
    answer = admin_client.get("/admin/comptes/ecritures.txt?annee=2026")
    assert answer["Content-Disposition"] == 'attachment; filename="123456789FEC20261231.txt"'
    assert answer.streaming is True
    assert b"".join(answer.streaming_content).startswith(b"JournalCode\tJournalLib\tEcritureNum\t")
    assert "VE – Ventes" in admin_client.get("/admin/comptes/ecritures?annee=2026").content.decode()


def test_a_name_can_not_break_the_file():
    day = utc(2026, 1, 1).date()
    account = Account("411000", "Clients", "C1", "Zoé\tŁukasz|\n山田 €")
    entry = Entry("VE", day, "F-1", day, "x", (EntryLine(account, Decimal("1.00")),), (day, 1, 1))
    [_head, row] = fec_lines([entry])
    assert row.decode("iso8859-15").split("\t")[7] == "Zoe ?ukasz ?? €"
    assert row.count(b"\t") == 17
    assert fec_name("123 456 789 00012", 2026) == "123456789FEC20261231.txt"


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "\uff1dHYPERLINK(1)", " @ +-=HYPERLINK(1)"])
def test_a_name_that_is_a_formula_stays_text(name):
    day = utc(2026, 1, 1).date()
    account = Account("411000", "Clients", "C1", name)
    entry = Entry("VE", day, "F-1", day, "x", (EntryLine(account, Decimal("1.00")),), (day, 1, 1))
    [_head, row] = fec_lines([entry])
    assert row.decode("iso8859-15").split("\t")[7] == "HYPERLINK(1)"
