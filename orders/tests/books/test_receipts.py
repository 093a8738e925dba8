"""Receipts book, turnover, reports: exact figures on civil days, whatever the clock and the spreadsheet do."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from orders.books.days import Period, month, quarter, year
from orders.books.receipts import count_receipts, csv_lines, receipts, receipts_page
from orders.books.reporting import Reading, Sale, Step, report, step_name, summarise
from orders.books.turnover import months_of
from orders.invoices.issuing import reissue_invoice
from orders.models import (
    Invoice,
    InvoiceDraft,
    InvoiceKind,
    LedgerEntry,
    Order,
    Payment,
    Refund,
)
from orders.pricing.vat import split_vat
from orders.services.checkout.placement import BillingDetails
from orders.services.refunds.sending import sync_refunds
from orders.tests.books.entries import book, utc
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import refund, send_all
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

ZERO = Decimal("0.00")


# --- Days --------------------------------------------------------------------------------------


def test_a_year_begins_and_ends_at_midnight_in_paris():
    assert year(2026).start == utc(2025, 12, 31, 23)
    assert year(2026).end == utc(2026, 12, 31, 23)


def test_months_across_the_changes_of_the_clock():
    assert (month(3, 2026).start, month(3, 2026).end) == (utc(2026, 2, 28, 23), utc(2026, 3, 31, 22))
    assert (month(10, 2026).start, month(10, 2026).end) == (utc(2026, 9, 30, 22), utc(2026, 10, 31, 23))
    assert month(12, 2026) == Period(date(2026, 12, 1), date(2026, 12, 31))
    assert month(2, 2028).last == date(2028, 2, 29)
    assert quarter(1, 2026) == Period(date(2026, 1, 1), date(2026, 3, 31))
    assert quarter(4, 2026) == Period(date(2026, 10, 1), date(2026, 12, 31))
    with pytest.raises(ValueError):
        Period(date(2026, 2, 1), date(2026, 1, 31))


def test_a_receipt_belongs_to_its_civil_day():
    book("10.00", utc(2025, 12, 31, 22, 59, 59))
    book("30.00", utc(2026, 3, 29, 0, 30))  # 01:30, before the clock goes forward
    book("40.00", utc(2026, 3, 29, 22))  # midnight of the day that had 23 hours
    book("50.00", utc(2026, 12, 31, 22, 59, 59))
    book("60.00", utc(2026, 12, 31, 23))
    book("20.00", utc(2025, 12, 31, 23))  # heard of last
    assert [(line.day, line.amount) for line in receipts(year(2026))] == [
        (date(2026, 1, 1), Decimal("20.00")),
        (date(2026, 3, 29), Decimal("30.00")),
        (date(2026, 3, 30), Decimal("40.00")),
        (date(2026, 12, 31), Decimal("50.00")),
    ]
    part = receipts_page(year(2026), offset=1, limit=2)
    assert ([line.amount for line in part], count_receipts(year(2026))) == ([Decimal(30), Decimal(40)], 4)
    assert [line.amount for line in receipts(month(3, 2026))] == [Decimal("30.00"), Decimal("40.00")]
    assert [row.received for row in months_of(2026)] == [
        Decimal("20.00"), ZERO, Decimal("70.00"), *[ZERO] * 8, Decimal("50.00")
    ]  # fmt: skip
    assert sum(row.received for row in months_of(2025)) == Decimal("10.00")
    assert sum(row.received for row in months_of(2027)) == Decimal("60.00")


# --- The file ----------------------------------------------------------------------------------


def test_the_bytes_of_a_file():
    rows = [
        (date(2026, 11, 21), "F-2026-00001", 'Léa;"Martin"', Decimal("1234.5"), 3, None),
        (date(2026, 1, 2), "=1+1", "@SUM(A1)", Decimal("-49.99"), -2, "-x"),
        (date(2026, 1, 2), "+33 6", "\ttab", Decimal("0"), 0, "\rline"),
        (date(2026, 1, 2), "\nline", "", Decimal("0.004"), 0, None),
    ]
    assert b"".join(csv_lines(["Date", "Pièce", "Client", "Montant (€)", "n", "="], rows)) == (
        b"\xef\xbb\xbfDate;Pi\xc3\xa8ce;Client;Montant (\xe2\x82\xac);n;'=\r\n"
        b'21/11/2026;F-2026-00001;"L\xc3\xa9a;""Martin""";1234,50;3;\r\n'
        b"02/01/2026;'=1+1;'@SUM(A1);-49,99;-2;'-x\r\n"
        b"02/01/2026;'+33 6;'\ttab;0,00;0;\"'\rline\"\r\n"
        b'02/01/2026;"\'\nline";;0,00;0;\r\n'
    )


def test_art_50_0_the_receipts_book_as_a_file(staff_client, sold):
    invoice = Invoice.objects.get(order=sold)
    answer = staff_client.get("/admin/comptes/recettes.csv?annee=2026&partie=m11")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert (
        answer["Content-Disposition"] == 'attachment; filename="livre-des-recettes-2026-11-01_2026-11-30.csv"'
    )
    assert "no-store" in answer["Cache-Control"]
    assert b"".join(answer.streaming_content).decode("utf-8") == (
        "\ufeffDate;Pièce justificative;Commande;Client;Nature;Pays;Mode de règlement;Montant (€);Mouvement;"
        "Inscrit après la fin du mois, le\r\n"
        f"21/11/2026;{invoice.number};{sold.reference};Léa Martin;Vente de marchandises;FR;"
        f"Carte bancaire (Stripe);49,99;{LedgerEntry.objects.get().provider_id};\r\n"
    )


def test_a_name_that_is_a_formula_stays_text(staff_client, sold):
    # Its country is that of the invoice, whatever became of the address.
    Order.objects.filter(pk=sold.pk).update(first_name="=HYPERLINK(1)", last_name="", country="BE")
    content = b"".join(staff_client.get("/admin/comptes/recettes.csv?annee=2026").streaming_content).decode()
    assert f";{sold.reference};'=HYPERLINK(1);Vente de marchandises;FR;" in content


def test_installments_refunds_and_disputes_are_lines_of_their_own(sold):
    Payment.objects.filter(order=sold).update(count=3)
    refund = book("-9.99", utc(2026, 11, 23), kind="refund", order=sold)
    Refund.objects.create(
        order=sold, attempt=sold.payments.get().attempts.get(), amount=Decimal("9.99"),
        provider_id=refund.provider_id, reason="external", state="succeeded",
    )  # fmt: skip
    book("9.99", utc(2026, 11, 24), kind="refund_failed", order=sold)
    book("-40.00", utc(2026, 11, 25), kind="dispute", order=sold)
    book("40.00", utc(2026, 11, 26), kind="dispute_won", order=sold)
    assert [(line.nature, line.amount) for line in receipts(month(11, 2026))] == [
        ("Vente de marchandises – échéance 1/3", Decimal("49.99")),
        ("Remboursement", Decimal("-9.99")),
        ("Remboursement rejeté", Decimal("9.99")),
        ("Reprise par la banque (litige)", Decimal("-40.00")),
        ("Litige gagné", Decimal("40.00")),
    ]
    # What was rejected or won back is no third and fourth time that money went back.
    [line] = report(month(11, 2026), Step.MONTH, Reading.PAYMENTS)
    assert (line.charges, line.returns, line.total) == (1, 2, Decimal("49.99"))
    [row] = [row for row in months_of(2026) if row.received or row.returned]
    assert (row.number, row.received, row.returned, row.net) == (11, Decimal("49.99"), ZERO, Decimal("49.99"))


def test_each_refund_names_its_own_credit_note(sold):
    from orders.models import RefundRequest

    invoice = Invoice.objects.get(order=sold)
    for number in (9998, 9999):
        request = RefundRequest.objects.create(order=sold, key=str(number), amount=Decimal("9.99"))
        entry = book("-9.99", utc(2026, 11, 23), kind="refund", order=sold)
        Refund.objects.create(
            order=sold, attempt=sold.payments.get().attempts.get(), amount=Decimal("9.99"), request=request,
            provider_id=entry.provider_id, state="succeeded",
        )  # fmt: skip
        Invoice.objects.create(
            kind=InvoiceKind.CREDIT_NOTE, number=f"F-2026-0{number}", year=2026, sequence=number, order=sold,
            credits=invoice, refund_request=request, country="FR", total=Decimal("-9.99"), data={}, hash="x",
        )  # fmt: skip
    assert [line.document for line in receipts(month(11, 2026))] == [
        invoice.number,
        "F-2026-09998",
        "F-2026-09999",
    ]


def test_a_refund_made_elsewhere_names_the_credit_note_of_the_decision_that_it_made_good(monkeypatch):
    provider = MemoryProvider()
    provider.install(monkeypatch)
    order = pay_order(make_order())
    decided = refund(order)
    attempt = decided.refunds.get().attempt
    provider.refund_elsewhere(attempt, attempt.amount_cents)
    sync_refunds(str(attempt.intent_id))
    send_all()

    assert Refund.objects.get(state="succeeded").request is None
    today = timezone.localdate()
    lines = receipts(Period(today, today))
    assert [(line.document, line.amount) for line in lines] == [
        (order.invoices.get(kind=InvoiceKind.INVOICE).number, Decimal("49.99")),
        (decided.credit_note.number, Decimal("-49.99")),
    ]


def test_a_receipt_names_the_first_invoice_whatever_number_a_later_year_gave_the_second():
    with time_machine.travel(utc(2026, 12, 30, 12), tick=False):
        orders = [pay_order(make_order()) for _number in range(3)]
    order = orders[-1]
    first = order.invoices.get()
    with time_machine.travel(utc(2027, 1, 2, 12), tick=False):
        reissue_invoice(credited=first, draft=InvoiceDraft(order=order, customer_name="Ana"), reason="Nom")
    again = order.invoices.get(version=2, kind=InvoiceKind.INVOICE)
    assert (first.sequence, again.sequence) == (3, 2)
    assert [line.document for line in receipts(month(12, 2026)) if line.order_id == order.pk] == [
        first.number
    ]


def test_a_long_book_costs_three_queries_for_each_500_lines(sold, django_assert_num_queries):
    for _ in range(3):
        book("1.00", utc(2026, 11, 22))
    # Entries with order and payment, invoices, refunds; territories once.
    with django_assert_num_queries(4):
        assert len(list(receipts(year(2026)))) == 4


# --- What is reported ----------------------------------------------------------------------------


def movement(
    amount: str, *, day=date(2026, 11, 21), country="FR", treatment="franchise", percent="0", charge=True
):
    share = split_vat(Decimal(amount), Decimal(percent))
    counts = {"charges": int(charge), "returns": int(not charge)}
    return Sale(day=day, country=country, treatment=treatment, shares=(share,), **counts)


def test_amounts_by_period_country_and_rate():
    lines = summarise(
        [
            movement("120.00"),
            movement("-20.00", charge=False),
            movement("119.00", country="DE", treatment="destination", percent="19"),
            movement("125.50", country="FI", treatment="destination", percent="25.5"),
            movement("60.00", country="US", treatment="export"),
            movement("10.00", day=date(2026, 12, 1)),
        ],
        Step.MONTH,
    )
    assert [
        (
            line.step,
            line.country,
            line.treatment,
            line.percent,
            line.charges,
            line.returns,
            line.net,
            line.vat,
        )
        for line in lines
    ] == [
        ("2026-11", "DE", "destination", Decimal(19), 1, 0, Decimal("100.00"), Decimal("19.00")),
        ("2026-11", "FI", "destination", Decimal("25.5"), 1, 0, Decimal("100.00"), Decimal("25.50")),
        ("2026-11", "FR", "franchise", Decimal(0), 1, 1, Decimal("100.00"), ZERO),
        ("2026-11", "US", "export", Decimal(0), 1, 0, Decimal("60.00"), ZERO),
        ("2026-12", "FR", "franchise", Decimal(0), 1, 0, Decimal("10.00"), ZERO),
    ]
    assert sum(line.total for line in lines) == Decimal("414.50")


@pytest.mark.parametrize(
    ("step", "first", "last", "name"),
    [
        (Step.DAY, date(2026, 10, 31), date(2026, 10, 31), "2026-10-31"),
        (Step.TEN_DAYS, date(2026, 10, 21), date(2026, 10, 31), "2026-10-D3"),
        (Step.MONTH, date(2026, 10, 1), date(2026, 10, 31), "2026-10"),
        (Step.TWO_MONTHS, date(2026, 9, 1), date(2026, 10, 31), "2026-B5"),
        (Step.QUARTER, date(2026, 10, 1), date(2026, 12, 31), "2026-T4"),
    ],
)
def test_steps(step, first, last, name):
    assert (step_name(first, step), step_name(last, step)) == (name, name)


@pytest.mark.parametrize(
    ("day", "words"),
    [(1, "du 1er au 10 février 2028"), (20, "du 11 au 20 février 2028"), (29, "du 21 au 29 février 2028")],
)
def test_ten_days_are_told_in_words(day, words):
    [line] = summarise([movement("1.00", day=date(2028, 2, day))], Step.TEN_DAYS)
    assert (line.step_label, line.cells[0]) == (words, words)


def test_the_report_as_a_file(staff_client, sold):
    answer = staff_client.get(
        "/admin/comptes/e-reporting.csv?annee=2026&partie=t4&pas=jour&lecture=paiements"
    )
    assert (
        answer["Content-Disposition"]
        == 'attachment; filename="e-reporting-paiements-2026-10-01_2026-12-31.csv"'
    )
    assert b"".join(answer.streaming_content).decode() == (
        "\ufeffPériode;Pays;Régime de TVA;Taux (%);Ventes;Remboursements;Base hors TVA (€);TVA (€);Total (€)\r\n"
        "2026-11-21;FR;Franchise (art. 293 B du CGI);0,00;1;0;49,99;0,00;49,99\r\n"
    )


def test_a_sale_taxed_at_destination_is_reported_so(run_on_commit):
    shop = ShopSettings.load()
    shop.eu_sales_threshold, shop.oss_number = Decimal("1000.00"), "FR12123456789"
    with run_on_commit():
        save_shop_settings(shop)
    product = make_product(price="1190.00")
    pay_order(make_order((product, 1), country="DE"))
    for reading in Reading:
        [line] = report(year(timezone.localdate().year), Step.MONTH, reading)
        assert (line.country, line.treatment, line.percent) == ("DE", "destination", Decimal("19.00"))
        assert (line.net, line.vat, line.total) == (Decimal("1000.00"), Decimal("190.00"), Decimal("1190.00"))


def test_money_without_an_invoice_is_reported_without_vat_as_its_place_says():
    for country in ("FR", "US"):
        book("40.00", utc(2026, 11, 21), order=make_order(country=country))
    lines = report(month(11, 2026), Step.MONTH, Reading.PAYMENTS)
    assert [(line.country, line.treatment, line.net, line.vat) for line in lines] == [
        ("FR", "franchise", Decimal("40.00"), ZERO),
        ("US", "export", Decimal("40.00"), ZERO),
    ]


def test_what_comes_in_is_a_sale_and_what_goes_back_a_return_however_little_it_is():
    for amount, kind in (("0.50", "charge"), ("-0.01", "refund")):
        book(amount, utc(2026, 11, 21), kind=kind)
    [line] = report(month(11, 2026), Step.MONTH, Reading.PAYMENTS)
    assert (line.charges, line.returns, line.total) == (1, 1, Decimal("0.49"))


def test_art_290_goods_are_reported_when_they_are_invoiced_and_290_a_when_they_are_paid(staff_client, sold):
    """A refund that is back and not credited yet: less money, the same goods."""
    book("-9.99", utc(2026, 11, 23), kind="refund", order=sold)
    november = month(11, 2026)
    [issued] = report(november, Step.MONTH, Reading.TRANSACTIONS)
    [paid] = report(november, Step.MONTH, Reading.PAYMENTS)
    assert (issued.charges, issued.returns, issued.total) == (1, 0, Decimal("49.99"))
    assert (paid.charges, paid.returns, paid.total) == (1, 1, Decimal("40.00"))
    page = staff_client.get("/admin/comptes/e-reporting?annee=2026&partie=m11").content.decode()
    assert "Données de transaction, à la date de facturation (art. 290 du CGI)" in page
    # Two months unless the settings say otherwise.
    assert '<th scope="row" class="books-period">novembre et décembre 2026</th>' in page
    page = staff_client.get(
        "/admin/comptes/e-reporting?annee=2026&partie=m11&lecture=paiements"
    ).content.decode()
    assert "à faire confirmer par votre comptable" in page


@pytest.mark.parametrize(
    ("company_number", "siren", "vat_id"),
    [
        ("732829320", "732829320", ""),
        ("FR44732829320", "732829320", "FR44732829320"),
        ("BE0776091951", "", "BE0776091951"),
    ],
)
def test_art_289_bis_sales_to_businesses_are_a_list_of_their_own(
    staff_client, sold, company_number, siren, vat_id
):
    billing = BillingDetails(
        name="Ana Petit", company="Jouets & Cie", company_number=company_number, address="1 rue X",
        postal_code="1000", city="Bruxelles", country="BE",
    )  # fmt: skip
    numbers = []
    for day in (22, 23):
        with time_machine.travel(utc(2026, 11, day, 11), tick=False):
            numbers.append(pay_order(make_order(billing=billing)).invoices.get().number)
    for reading in Reading:
        [consumers] = report(month(11, 2026), Step.MONTH, reading)
        assert (consumers.charges, consumers.total) == (1, Decimal("49.99"))
    answer = staff_client.get("/admin/comptes/e-reporting.csv?annee=2026&partie=m11&clients=entreprises")
    assert b"".join(answer.streaming_content).decode().splitlines()[1:] == [
        f"{day}/11/2026;{number};Jouets & Cie;{siren};{vat_id};FR;49,99;0,00;49,99"
        for day, number in zip((22, 23), numbers, strict=True)
    ]
