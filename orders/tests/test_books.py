"""Receipts book, turnover, reports: exact figures on civil days, whatever the clock and the spreadsheet do."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_admin, make_member
from orders.books import reporting
from orders.books.alerts import alert_turnover
from orders.books.chart import HEIGHT, draw_year
from orders.books.csv_files import csv_lines
from orders.books.days import Period, month, quarter, year
from orders.books.receipts import Receipt, receipts
from orders.books.reporting import Step, summarise
from orders.books.todo import tasks
from orders.books.turnover import Gauge, MonthTurnover, gauges, months_of
from orders.models import (
    Finding,
    Invoice,
    InvoiceKind,
    LedgerEntry,
    Order,
    Payment,
    PaymentState,
    Refund,
)
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db

ZERO = Decimal("0.00")


def book(amount: str, when: datetime, *, kind: str = "charge", order: Order | None = None) -> LedgerEntry:
    """A movement of the ledger, of an order of its own unless told."""
    order = order or make_order()
    return LedgerEntry.objects.create(
        order=order,
        payment=Payment.objects.filter(order=order).first(),
        kind=kind,
        amount=Decimal(amount),
        provider_id=f"mv_{LedgerEntry.objects.count() + 1}",
        occurred_at=when,
        created_at=when,
    )


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


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
    book("20.00", utc(2025, 12, 31, 23))
    book("30.00", utc(2026, 3, 29, 0, 30))  # 01:30, before the clock goes forward
    book("40.00", utc(2026, 3, 29, 22))  # midnight of the day that had 23 hours
    book("50.00", utc(2026, 12, 31, 22, 59, 59))
    book("60.00", utc(2026, 12, 31, 23))
    assert [(line.day, line.amount) for line in receipts(year(2026))] == [
        (date(2026, 1, 1), Decimal("20.00")),
        (date(2026, 3, 29), Decimal("30.00")),
        (date(2026, 3, 30), Decimal("40.00")),
        (date(2026, 12, 31), Decimal("50.00")),
    ]
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
    ]
    assert b"".join(csv_lines(["Date", "Pièce", "Client", "Montant (€)", "n", "="], rows)) == (
        b"\xef\xbb\xbfDate;Pi\xc3\xa8ce;Client;Montant (\xe2\x82\xac);n;'=\r\n"
        b'21/11/2026;F-2026-00001;"L\xc3\xa9a;""Martin""";1234,50;3;\r\n'
        b"02/01/2026;'=1+1;'@SUM(A1);-49,99;-2;'-x\r\n"
        b"02/01/2026;'+33 6;'\ttab;0,00;0;\"'\rline\"\r\n"
    )


@pytest.fixture
def sold():
    """A paid order with its invoice, on 21 November at noon."""
    with time_machine.travel(utc(2026, 11, 21, 11), tick=False):
        return pay_order(make_order())


@pytest.fixture
def desk():
    client = Client()
    client.force_login(make_admin())
    return client


def test_the_receipts_book_as_a_file(desk, sold):
    invoice = Invoice.objects.get(order=sold)
    answer = desk.get("/gestion/orders/books/recettes.csv?annee=2026&partie=m11")
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


def test_a_name_that_is_a_formula_stays_text(desk, sold):
    Order.objects.filter(pk=sold.pk).update(first_name="=HYPERLINK(1)", last_name="")
    content = b"".join(desk.get("/gestion/orders/books/recettes.csv?annee=2026").streaming_content).decode()
    assert f";{sold.reference};'=HYPERLINK(1);" in content


def test_instalments_refunds_and_disputes_are_lines_of_their_own(sold):
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
    [row] = [row for row in months_of(2026) if row.received or row.returned]
    assert (row.number, row.received, row.returned, row.net) == (11, Decimal("49.99"), ZERO, Decimal("49.99"))


def test_a_refund_names_its_credit_note(sold):
    from orders.models import RefundRequest

    request = RefundRequest.objects.create(order=sold, key="k", amount=Decimal("9.99"))
    entry = book("-9.99", utc(2026, 11, 23), kind="refund", order=sold)
    Refund.objects.create(
        order=sold, attempt=sold.payments.get().attempts.get(), amount=Decimal("9.99"), request=request,
        provider_id=entry.provider_id, state="succeeded",
    )  # fmt: skip
    invoice = Invoice.objects.get(order=sold)
    Invoice.objects.create(
        kind=InvoiceKind.CREDIT_NOTE, number="F-2026-09999", year=2026, sequence=9999, order=sold, credits=invoice,
        refund_request=request, country="FR", total=Decimal("-9.99"), data={}, hash="x",
    )  # fmt: skip
    assert [line.document for line in receipts(month(11, 2026))] == [invoice.number, "F-2026-09999"]


def test_a_long_book_costs_three_queries_for_each_500_lines(sold, django_assert_num_queries):
    for _ in range(3):
        book("1.00", utc(2026, 11, 22))
    # Entries with order and payment, invoices, refunds.
    with django_assert_num_queries(3):
        assert len(list(receipts(year(2026)))) == 4


# --- What is reported ----------------------------------------------------------------------------


def movement(
    amount: str, *, day=date(2026, 11, 21), country="FR", treatment="franchise", percent="0", charge=True
):
    return Receipt(
        day=day, document="", order_id=None, order_reference="", client="", nature="", country=country, method="",
        amount=Decimal(amount), movement="", is_charge=charge, treatment=treatment, percent=Decimal(percent),
    )  # fmt: skip


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
    ("step", "name"), [(Step.DAY, "2026-11-21"), (Step.MONTH, "2026-11"), (Step.QUARTER, "2026-T4")]
)
def test_steps(step, name):
    assert reporting.step_name(date(2026, 11, 21), step) == name


def test_the_report_as_a_file(desk, sold):
    answer = desk.get("/gestion/orders/books/e-reporting.csv?annee=2026&partie=t4&pas=jour")
    assert answer["Content-Disposition"] == 'attachment; filename="e-reporting-2026-10-01_2026-12-31.csv"'
    assert b"".join(answer.streaming_content).decode() == (
        "\ufeffPériode;Pays;Régime de TVA;Taux (%);Ventes;Remboursements;Base hors TVA (€);TVA (€);Total (€)\r\n"
        "2026-11-21;FR;Franchise (art. 293 B du CGI);0,00;1;0;49,99;0,00;49,99\r\n"
    )


def test_a_sale_taxed_at_destination_is_reported_so(run_on_commit):
    shop = ShopSettings.load()
    shop.eu_sales_threshold = Decimal("1000.00")
    with run_on_commit():
        save_shop_settings(shop)
    product = make_product(price="1190.00")
    pay_order(make_order((product, 1), country="DE"))
    [line] = reporting.report(year(timezone.localdate().year), Step.MONTH)
    assert (line.country, line.treatment, line.percent) == ("DE", "destination", Decimal("19.00"))
    assert (line.net, line.vat, line.total) == (Decimal("1000.00"), Decimal("190.00"), Decimal("1190.00"))


# --- Ceilings --------------------------------------------------------------------------------------


def gauge(amount: str, ceiling: str = "85000.00") -> Gauge:
    return Gauge("franchise", "", "", Decimal(amount), Decimal(ceiling))


@pytest.mark.parametrize(
    ("amount", "percent", "level", "left"),
    [
        ("0.00", 0, 0, "85000.00"),
        ("-10.00", 0, 0, "85010.00"),
        ("59499.99", 69, 0, "25500.01"),
        ("59500.00", 70, 70, "25500.00"),
        ("76499.99", 89, 70, "8500.01"),
        ("76500.00", 90, 90, "8500.00"),
        ("84999.99", 99, 90, "0.01"),
        ("85000.00", 100, 100, "0.00"),
        ("170000.00", 200, 100, "0.00"),
    ],
)
def test_a_gauge(amount, percent, level, left):
    found = gauge(amount)
    assert (found.percent, found.level, found.left) == (percent, level, Decimal(left))


def test_a_ceiling_of_zero_divides_nothing():
    assert gauge("10.00", "0.00").percent == 0


def alerts() -> list[str]:
    return list(
        OutgoingMail.objects.filter(kind="turnover_alert").order_by("pk").values_list("dedupe_key", flat=True)
    )


def test_one_mail_a_level_and_year():
    now = utc(2026, 6, 1)
    book("59499.99", utc(2026, 2, 1))
    alert_turnover(now)
    assert alerts() == []
    book("0.01", utc(2026, 2, 2))
    alert_turnover(now)
    alert_turnover(now)
    assert alerts() == ["turnover_alert:franchise:2026:70"]
    mail = OutgoingMail.objects.get(kind="turnover_alert")
    assert (mail.context["amount"], mail.context["ceiling"], mail.context["left"], mail.context["level"]) == (
        "59500.00", "85000.00", "25500.00", 70
    )  # fmt: skip
    # Straight past 90 and 100 % of one ceiling: only the highest is told. 70 % of the upper one is told besides.
    book("30000.00", utc(2026, 3, 1))
    alert_turnover(now)
    assert alerts()[1:] == ["turnover_alert:franchise:2026:100", "turnover_alert:franchise_upper:2026:90"]
    # A new year starts from nothing.
    alert_turnover(utc(2026, 12, 31, 23))
    assert len(alerts()) == 3


def test_money_of_the_old_year_heard_of_in_january_is_told_too():
    book("85000.00", utc(2026, 12, 31, 22))
    alert_turnover(utc(2027, 1, 3))
    assert alerts() == ["turnover_alert:franchise:2026:100", "turnover_alert:franchise_upper:2026:90"]
    book("9000.00", utc(2026, 12, 31, 22))
    alert_turnover(utc(2027, 1, 20))
    assert len(alerts()) == 2


def test_sales_to_the_union_are_counted_apart():
    for country in ("FR", "DE", "CH"):
        pay_order(make_order((make_product(price="100.00"), 1), country=country))
    number = timezone.localdate().year
    found = {row.code: row.amount for row in gauges(number, turnover=Decimal("300.00"))}
    assert found == {
        "franchise": Decimal("300.00"),
        "franchise_upper": Decimal("300.00"),
        "union": Decimal("100.00"),
    }


# --- The pages ---------------------------------------------------------------------------------------


def test_the_chart_s_scale_is_round():
    months = [MonthTurnover(n, Decimal(n * 100), Decimal(n)) for n in range(1, 13)]
    chart = draw_year(months)
    assert [line.euros for line in chart.grid] == [0, 500, 1000, 1500, 2000]
    assert [line.y for line in chart.grid] == [HEIGHT, 165, 110, 55, 0]
    december = chart.bars[11]
    assert (december.received_height, december.received_y) == (132, 88)
    assert december.returned_height == 2  # 12 € of 2000: seen all the same
    assert (chart.bars[0].centre, december.centre) == ("4.17%", "95.83%")


def test_an_empty_year_draws_a_scale_and_no_bar():
    chart = draw_year([MonthTurnover(n, ZERO, ZERO) for n in range(1, 13)])
    assert [line.euros for line in chart.grid] == [0, 10, 20, 30, 40]
    assert {bar.received_height for bar in chart.bars} == {0}


PAGES = ("", "recettes", "recettes.csv", "e-reporting.csv")


@pytest.mark.parametrize("page", PAGES)
def test_only_operators_see_the_books(page):
    client = Client()
    assert client.get(f"/gestion/orders/books/{page}").status_code == 302
    client.force_login(make_member())
    assert client.get(f"/gestion/orders/books/{page}").status_code in (302, 403)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "query",
    ["", "annee=x", "annee=99999999999", "annee=0", "partie=m13", "pas=siecle", "page=-1", "annee=%00"],
)
def test_bad_periods_show_the_year_that_runs(desk, page, query):
    answer = desk.get(f"/gestion/orders/books/{page}?{query}")
    assert answer.status_code == 200
    if answer.streaming:
        assert str(timezone.localdate().year) in answer["Content-Disposition"]


def test_the_page_tells_the_year_and_what_waits(desk, sold):
    Finding.objects.create(kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"))
    Order.objects.filter(pk=sold.pk).update(review_reason="amount")
    Payment.objects.filter(order=sold).update(state=PaymentState.OVERDUE)
    text = desk.get("/gestion/orders/books/?annee=2026").content.decode()
    assert "Recettes de 2026" in text
    assert "<strong>49,99\xa0€</strong> sur 85\u202f000,00\xa0€, soit 0\xa0%" in text
    for address in (
        "/gestion/orders/finding/?resolved_at__isempty=1",
        "/gestion/orders/order/?review_reason__isempty=0",
        "/gestion/orders/order/?payments__state__exact=overdue",
    ):
        assert f'href="{address}"' in text
        assert desk.get(address).status_code == 200
    assert "style=" not in text
    assert "<script>" not in text


def test_every_task_leads_somewhere(desk):
    from orders.books import todo

    for make in todo._MAKERS:
        task = make(date(2026, 11, 21))
        if task.url:
            assert desk.get(task.url, follow=True).status_code == 200, task


def test_the_page_costs_the_same_however_much_was_sold(desk, sold, django_assert_max_num_queries):
    for number in range(5):
        book("10.00", utc(2026, 1 + number, 1))
    # Session, user; turnover, years, union sales; eleven tasks (one cached); last reconciliation; settings.
    with django_assert_max_num_queries(20):
        desk.get("/gestion/orders/books/?annee=2026")


def test_the_admin_s_first_page_shows_what_waits(desk):
    Finding.objects.create(kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"))
    text = desk.get("/gestion/").content.decode()
    assert "Écarts avec Stripe" in text
    assert 'href="/gestion/orders/books/"' in text


def test_nothing_that_is_done_waits():
    Finding.objects.create(
        kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"), resolved_at=timezone.now()
    )
    assert "Écarts avec Stripe" not in [str(task.label) for task in tasks(timezone.localdate())]


def test_staff_close_findings_with_a_reason(desk):
    finding = Finding.objects.create(kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"))
    listing = "/gestion/orders/finding/"
    chosen = {"action": "resolve", "_selected_action": [finding.pk]}
    assert "Comment l’écart" in desk.post(listing, chosen).content.decode().replace("&#x27;", "’")
    assert desk.post(listing, {**chosen, "confirmed": "1", "how": ""}).status_code == 200
    finding.refresh_from_db()
    assert finding.resolved_at is None
    assert desk.post(listing, {**chosen, "confirmed": "1", "how": "Vu."}).status_code == 302
    finding.refresh_from_db()
    assert (finding.resolution, finding.resolved_at is None) == ("Vu.", False)


# --- Ceilings on the settings sheet --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("franchise_ceiling", "85", "Indiquez le montant annuel en euros, entre 1 000 € et 1 000 000 €."),
        (
            "eu_sales_threshold",
            "10000000",
            "Indiquez le montant annuel en euros, entre 1 000 € et 1 000 000 €.",
        ),
        ("franchise_ceiling_upper", "50000", "Le plafond majoré est plus bas que le plafond."),
    ],
)
def test_ceilings_that_make_no_sense_are_refused(desk, field, value, message):
    from shop.core.admin import ShopSettingsForm

    data = {"franchise_ceiling": "85000", "franchise_ceiling_upper": "93500", "eu_sales_threshold": "10000"}
    assert ShopSettingsForm(data, instance=ShopSettings(pk=1)).is_valid()
    form = ShopSettingsForm({**data, field: value}, instance=ShopSettings(pk=1))
    assert form.errors[field] == [message]
