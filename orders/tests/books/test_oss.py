"""The quarterly return of the one-stop shop: sales by country and rate, corrections, its deadline."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
import time_machine

from orders.books.days import month, quarter
from orders.books.oss import due_on, last_quarter, oss_return, quarter_name, quarters_to_declare
from orders.books.staff_tasks import staff_tasks
from orders.invoices.issuing import issue_credit_note, reissue_invoice
from orders.invoices.tests.conftest import set_shop
from orders.models import FiledReturn, Invoice, InvoiceDraft, RefundRequest, ReturnKind
from orders.tests.books.entries import utc
from orders.tests.factories import make_order, make_product, new_key, pay_order
from shop.core.models import AuditEntry
from shop.core.tests.reading import text

pytestmark = pytest.mark.django_db

AUGUST, OCTOBER = utc(2026, 8, 10), utc(2026, 10, 10)


@pytest.fixture(autouse=True)
def _beyond() -> None:
    set_shop(oss_number="FR12123456789", eu_sales_threshold=Decimal("1.00"))


def sell(total: str, country: str) -> Invoice:
    return pay_order(make_order((make_product(price=total), 1), country=country)).invoices.get()


def give_back(invoice: Invoice, amount: str) -> None:
    issue_credit_note(
        request=RefundRequest.objects.create(
            order=invoice.order, key=new_key(), amount=Decimal(amount), settled_at=OCTOBER, reason="Retour"
        )
    )


def lines(number: int) -> list[tuple[str, Decimal, Decimal, Decimal]]:
    return [(line.form_country, line.percent, line.net, line.vat) for line in oss_return(number, 2026).lines]


def test_art_258_a_sales_by_country_and_rate_and_corrections_of_earlier_quarters(django_assert_num_queries):
    with time_machine.travel(AUGUST, tick=False):
        german, greek = sell("119.00", "DE"), sell("124.00", "GR")
        sell("100.00", "FR")
        sell("100.00", "US")
    with time_machine.travel(OCTOBER, tick=False):
        second = sell("238.00", "DE")
        give_back(greek, "124.00")
        give_back(german, "59.50")
        give_back(second, "119.00")
    assert lines(3) == [
        ("DE", Decimal("19.00"), Decimal("100.00"), Decimal("19.00")),
        ("EL", Decimal("24.00"), Decimal("100.00"), Decimal("24.00")),
    ]
    with django_assert_num_queries(1):
        found = oss_return(4, 2026)
    # Of 238.00, half came back in the same quarter; what was sold in summer is corrected in its own section.
    assert [(line.country, line.net, line.vat) for line in found.lines] == [
        ("DE", Decimal("100.00"), Decimal("19.00"))
    ]
    assert [(line.period, line.form_country, line.vat) for line in found.corrections] == [
        ("2026-T3", "DE", Decimal("-9.50")),
        ("2026-T3", "EL", Decimal("-24.00")),
    ]
    assert (found.vat, found.corrected, found.to_pay) == (
        Decimal("19.00"), Decimal("-33.50"), Decimal("-14.50")
    )  # fmt: skip
    assert found.due_on == date(2027, 1, 31)


def test_a_quarter_begins_at_midnight_in_paris_and_ends_before_the_next():
    with time_machine.travel(utc(2026, 6, 30, 22), tick=False):
        give_back(sell("119.00", "DE"), "59.50")
    with time_machine.travel(utc(2026, 9, 30, 21, 59, 59), tick=False):
        last = sell("119.00", "DE")
    with time_machine.travel(utc(2026, 9, 30, 22), tick=False):
        sell("238.00", "DE")
        give_back(last, "59.50")
    assert (lines(3), oss_return(3, 2026).corrections) == (
        [("DE", Decimal("19.00"), Decimal("150.00"), Decimal("28.50"))], []
    )  # fmt: skip
    assert lines(4) == [("DE", Decimal("19.00"), Decimal("200.00"), Decimal("38.00"))]
    [correction] = oss_return(4, 2026).corrections
    assert (correction.period, correction.vat) == ("2026-T3", Decimal("-9.50"))


def test_an_invoice_issued_anew_is_the_same_sale():
    with time_machine.travel(AUGUST, tick=False):
        invoice = sell("119.00", "DE")
    with time_machine.travel(OCTOBER, tick=False):
        reissue_invoice(credited=invoice, draft=InvoiceDraft(order=invoice.order), reason="Adresse")
    assert lines(3) == [("DE", Decimal("19.00"), Decimal("100.00"), Decimal("19.00"))]
    assert (oss_return(4, 2026).lines, oss_return(4, 2026).corrections) == ([], [])
    with time_machine.travel(OCTOBER, tick=False):
        give_back(invoice, "59.50")
    found = oss_return(4, 2026)
    # The second invoice is of this quarter, what it sold is not.
    assert (found.lines, [(row.period, row.country, row.vat) for row in found.corrections]) == (
        [], [("2026-T3", "DE", Decimal("-9.50"))]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("period", "day"),
    [
        (quarter(1, 2026), date(2026, 4, 30)), (quarter(4, 2026), date(2027, 1, 31)),
        (month(1, 2027), date(2027, 2, 28)), (month(12, 2026), date(2027, 1, 31)),
    ],
)  # fmt: skip
def test_a_return_is_due_at_the_end_of_the_month_after(period, day):
    assert due_on(period) == day


@pytest.mark.parametrize(
    ("today", "found"), [(date(2026, 1, 1), (4, 2025)), (date(2026, 3, 31), (4, 2025)), (date(2026, 10, 1), (3, 2026))]
)  # fmt: skip
def test_the_quarter_that_ended_last(today, found):
    assert last_quarter(today) == found


def test_a_return_waits_until_it_is_noted_however_many_quarters_end_meanwhile(client, admin_user):
    today = date(2027, 4, 2)

    def waiting() -> list[str]:
        return [quarter_name(row.first) for row in quarters_to_declare(today)]

    # A nil return is due; since when, the shop doesn't know before its first sale.
    assert waiting() == ["2027-T1"]
    with time_machine.travel(AUGUST, tick=False):
        sell("119.00", "DE")
    assert waiting() == ["2026-T3", "2026-T4", "2027-T1"]
    for begins, first in (
        (date(2026, 4, 1), "2026-T3"), (date(2026, 9, 30), "2026-T3"), (date(2026, 10, 1), "2026-T4"),
        (date(2027, 3, 31), "2027-T1"),
    ):  # fmt: skip
        set_shop(oss_from=begins)
        assert waiting()[0] == first
    set_shop(oss_from=date(2027, 4, 1))
    assert waiting() == []
    set_shop(oss_from=None)
    [task] = [task for task in staff_tasks(today) if "OSS" in task.several and task.count]
    assert (task.label, task.count, task.detail) == (
        "Déclarations de TVA OSS à déposer", 3,
        "à déposer et payer avant le 31 octobre 2026 (en retard de 153 jours)",
    )  # fmt: skip
    with time_machine.travel(utc(2027, 4, 2), tick=False):
        client.force_login(admin_user)
        page = text(client.get(task.url))
        assert "2026-T3, à déposer et payer avant le 31 octobre 2026" in page
        assert 'Restent à déclarer : <a href="?annee=2026&partie=t3">2026-T3</a>, ' in page
        page = text(client.post("/admin/comptes/declarations/oss/2026-T3", {"deposee": "oui"}, follow=True))
        assert "2026-T4, à déposer et payer avant le 31 janvier 2027" in page
    assert waiting() == ["2026-T4", "2027-T1"]


@pytest.mark.parametrize("answer", ["oui", "corrigee"])
def test_a_quarter_that_runs_is_not_noted_as_filed(client, admin_user, answer):
    """Noted by mistake it would be asked for no more once it is over."""
    note = "/admin/comptes/declarations/oss/2026-T3"
    for moment, is_over in ((utc(2026, 9, 30, 21, 59, 59), False), (utc(2026, 9, 30, 22), True)):
        with time_machine.travel(moment, tick=False):
            client.force_login(admin_user)
            page = text(client.get("/admin/comptes/oss?annee=2026&partie=t3"))
            assert ("Noter comme déposée" in page) is is_over
            said = text(client.post(note, {"deposee": answer}, follow=True))
        assert ("Cette période n'est pas terminée : elle ne se déclare pas encore." in said) is not is_over
        assert FiledReturn.objects.exists() is is_over
    for odd in ("2026-T5", "2026-13", "T3", "2026-t3"):
        client.post(f"/admin/comptes/declarations/oss/{odd}", {"deposee": answer})
    assert list(FiledReturn.objects.values_list("period", flat=True)) == ["2026-T3"]


def test_page_file_and_deadline_until_it_is_noted_as_filed(client, admin_user):
    with time_machine.travel(AUGUST, tick=False):
        sell("119.00", "DE")
    with time_machine.travel(OCTOBER, tick=False):
        client.force_login(admin_user)
        # A nil return is due from who is registered, and from nobody else.
        for oss_number, is_due in (("", False), ("FR12123456789", True)):
            set_shop(oss_number=oss_number)
            empty = client.get("/admin/comptes/oss?annee=2026&partie=t1").content.decode()
            assert ("à déposer et payer" in empty, "Noter comme déposée" in empty) == (is_due, is_due)
        set_shop(oss_from=date(2026, 4, 2))
        before = client.get("/admin/comptes/oss?annee=2026&partie=t1").content.decode()
        assert "Votre inscription commence le 2\xa0avril 2026\xa0: rien n'est à déposer" in before
        assert "Noter comme déposée" not in before
        page = client.get("/admin/comptes/oss").content.decode()
        assert "2026-T3, à déposer et payer avant le 31\xa0octobre 2026" in page
        csv = b"".join(client.get("/admin/comptes/oss.csv?annee=2026&partie=t3").streaming_content)
        assert csv.decode() == (
            "\ufeffSection;Période;Pays de consommation;Taux (%);Base hors TVA (€);TVA (€)\r\n"
            "Ventes;2026-T3;DE;19,00;100,00;19,00\r\n"
            "Total;2026-T3;;;100,00;19,00\r\n"
        )
        label = "Déclaration de TVA OSS à déposer"
        # Another return, and another quarter's, were filed.
        FiledReturn.objects.create(kind=ReturnKind.URSSAF, period="2026-T3")
        FiledReturn.objects.create(kind=ReturnKind.OSS, period="2026-T2")
        # The first quarter that is asked for is the one in which the registration begins.
        for begins, asked in ((date(2026, 10, 1), 0), (date(2026, 9, 30), 1)):
            set_shop(oss_from=begins)
            assert len([task for task in staff_tasks(date(2026, 10, 10)) if task.label == label]) == asked
        [task] = [task for task in staff_tasks(date(2026, 10, 10)) if task.label == label]
        assert task.detail == "à déposer et payer avant le 31 octobre 2026"
        for _again in range(2):
            client.post("/admin/comptes/declarations/oss/2026-T3", {"deposee": "oui"})
        assert FiledReturn.objects.filter(kind=ReturnKind.OSS, period="2026-T3").count() == 1
        assert not [task for task in staff_tasks(date(2026, 10, 10)) if task.label == label]
        client.post("/admin/comptes/declarations/oss/2026-T3", {"deposee": "non"})
    assert not FiledReturn.objects.filter(kind=ReturnKind.OSS, period="2026-T3").exists()
    subject = {"kind": "oss", "period": "2026-T3"}
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "before", "after"))[-2:] == [
        ("return.filed", {}, subject), ("return.unfiled", subject, {})
    ]  # fmt: skip
