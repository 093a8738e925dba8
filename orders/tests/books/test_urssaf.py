"""The URSSAF summary: collected turnover by period, refunds deducted, its deadline."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.core.cache import cache

from accounts.tests.people import make_admin
from orders.books.filing import note_filed
from orders.books.staff_tasks import staff_tasks
from orders.books.turnover import months_of
from orders.books.urssaf import changed_returns, declarations, ended_periods, to_declare
from orders.invoices.issuing import reissue_invoice
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.crediting import give_back
from orders.models import FiledReturn, InvoiceDraft, LedgerEntry, Refund, ReturnKind, VatRate
from orders.tests.books.entries import book, utc
from orders.tests.factories import make_category, make_order, make_product, pay_order
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.core.tests.reading import text

pytestmark = pytest.mark.django_db


def set_period(period: str) -> None:
    save_shop_settings(ShopSettings(urssaf_period=period, urssaf_rate=Decimal("12.30")))
    cache.clear()


def test_refunds_are_deducted_and_what_is_below_zero_is_carried_on(django_assert_num_queries):
    set_period("mois")
    book("100.00", utc(2026, 1, 31, 22, 59, 59))
    book("-150.40", utc(2026, 2, 5), kind="refund")
    book("200.00", utc(2026, 3, 1))
    # The years before and after it, to the second.
    book("7.00", utc(2025, 12, 31, 22, 59, 59))
    book("9.00", utc(2026, 12, 31, 23))
    ShopSettings.load()
    with django_assert_num_queries(1):
        found = declarations(2026)
    assert [(row.period, row.received, row.returned, row.carried, row.goods) for row in found[:4]] == [
        ("2026-01", Decimal("100.00"), Decimal("0.00"), Decimal("0.00"), Decimal(100)),
        ("2026-02", Decimal("0.00"), Decimal("150.40"), Decimal("0.00"), Decimal(0)),
        ("2026-03", Decimal("200.00"), Decimal("0.00"), Decimal("150.40"), Decimal(50)),
        ("2026-04", Decimal("0.00"), Decimal("0.00"), Decimal("0.00"), Decimal(0)),
    ]
    assert [row.received for row in (found[-1], *declarations(2025)[-1:])] == [
        Decimal("0.00"),
        Decimal("7.00"),
    ]
    # 12.3 % of 49.60
    assert (found[2].contributions, found[2].due_on) == (Decimal("6.10"), date(2026, 4, 30))


@pytest.mark.parametrize(("period", "size"), [("mois", 1), ("trimestre", 3)])
def test_what_a_year_gave_back_beyond_its_receipts_is_carried_into_the_next_ones(
    period, size, django_assert_num_queries
):
    set_period(period)
    book("20.00", utc(2024, 12, 1))
    book("-100.00", utc(2024, 12, 31, 22, 59, 59), kind="refund")
    book("30.00", utc(2026, 1, 31))
    book("90.00", utc(2026, 12, 31))
    # What comes later changes no year before it.
    book("-500.00", utc(2026, 12, 31, 23), kind="refund")
    ShopSettings.load()
    with django_assert_num_queries(1):
        found = declarations(2026)
    assert [(row.carried, row.goods) for row in found] == [
        (Decimal("80.00"), 0), *[(Decimal("50.00"), 0)] * (12 // size - 2), (Decimal("50.00"), 40)
    ]  # fmt: skip
    assert {(row.carried, row.goods) for row in declarations(2025)} == {(Decimal("80.00"), 0)}
    assert (declarations(2024)[-1].carried, declarations(2024)[-1].goods) == (Decimal("0.00"), 0)


def told(today: date) -> list[str]:
    return [task.detail for task in staff_tasks(today) if "URSSAF" in task.several]


@pytest.mark.parametrize(
    ("period", "days"),
    [
        (
            "trimestre",
            [(date(2027, 2, 28), "31 janvier 2027"), (date(2027, 5, 2), "30 avril 2027 (en retard de 2 jours)")],
        ),
        ("mois", [(date(2027, 2, 28), "28 février 2027"), (date(2027, 3, 2), "31 mars 2027")]),
    ],
)  # fmt: skip
def test_nothing_is_late_of_the_time_before_the_first_sale_and_of_what_a_first_declaration_may_join(
    client, period, days
):
    admin = make_admin()
    set_period(period)
    book("100.00", utc(2026, 11, 2))
    before = date(2026, 11, 28)
    (joined, day), (later, late) = days
    assert told(before) == []
    assert told(joined) == [f"à déclarer avant le {day}, ou plus tard si votre activité vient de commencer"]
    assert told(later) == [f"à déclarer avant le {late}"]
    for today, has_sheet, has_note in ((before, False, False), (joined, True, True), (later, True, False)):
        with time_machine.travel(utc(today.year, today.month, today.day, 12), tick=False):
            client.force_login(admin)
            page = client.get("/admin/comptes/urssaf").content.decode()
        assert ('id="urssaf-due"' in page, "couvre au moins 90 jours" in page) == (has_sheet, has_note)


def test_art_50_0_cgi_vat_that_is_inside_is_no_turnover(django_assert_num_queries):
    set_shop(vat_liable_from=date(2026, 1, 1), vat_number="FR83123456789", urssaf_period="mois")
    with time_machine.travel(utc(2026, 2, 3), tick=False):
        order = pay_order(make_order((make_product(price="120.00"), 1)))
    book("-60.00", utc(2026, 3, 5), kind="refund", order=order)
    give_back(order.invoices.get(), "60.00")
    # Without an invoice there is no VAT to take out.
    book("200.00", utc(2026, 3, 6))
    with django_assert_num_queries(1):
        found = declarations(2026)
    assert [(row.received, row.returned, row.goods) for row in found[1:3]] == [
        (Decimal("100.00"), Decimal("0.00"), Decimal(100)),
        (Decimal("200.00"), Decimal("50.00"), Decimal(150)),
    ]
    assert sum(row.received for row in months_of(2026)) == Decimal("320.00")


def test_what_goes_back_of_a_sale_at_several_rates_is_deducted_as_its_credit_note_says(
    django_assert_num_queries,
):
    set_shop(vat_liable_from=date(2026, 1, 1), vat_number="FR83123456789", urssaf_period="mois")
    books = make_category("livres", name="Livres")
    VatRate.objects.create(country="FR", category=books, percent=Decimal("5.50"))
    pieces = (make_product("Carnet", price="21.10", category=books), 1), (make_product(price="120.00"), 1)
    with time_machine.travel(utc(2026, 2, 3), tick=False):
        order = pay_order(make_order(*pieces))
    with time_machine.travel(utc(2026, 3, 6), tick=False):
        note = give_back(order.invoices.get(), "21.10", piece="Carnet")
        Refund.objects.create(
            order=order, attempt=order.payments.get().attempts.get(), amount=Decimal("21.10"),
            request=note.refund_request, provider_id="re_1", state="succeeded",
        )  # fmt: skip
        book("-21.10", utc(2026, 3, 5), kind="refund", order=order, movement="re_1")
    assert note.vat == Decimal("-1.10")
    # The figurine alone is left: 100.00 without VAT. By the whole sale's VAT it would be 102.06.
    ShopSettings.load()
    with django_assert_num_queries(5):
        found = declarations(2026)
    assert [(row.received, row.returned) for row in found[1:3]] == [
        (Decimal("120.00"), Decimal("0.00")), (Decimal("0.00"), Decimal("20.00"))
    ]  # fmt: skip
    assert sum(month.net for month in months_of(2026)) == Decimal("120.00")
    # What was filed before the note was there did not count so.
    before = declarations(2026, utc(2026, 3, 6) - timedelta(seconds=1))
    assert before[2].returned == Decimal("17.95")
    LedgerEntry.objects.create(
        order=order, payment=order.payments.get(), kind="refund_failed", amount=Decimal("21.10"),
        provider_id="re_1", occurred_at=utc(2026, 4, 1), created_at=utc(2026, 4, 1),
    )  # fmt: skip
    assert [row.returned for row in declarations(2026)[2:4]] == [Decimal("20.00"), Decimal("-20.00")]
    # What a bank takes back has no note, nor has a sale at one rate two kinds of VAT; each is counted once.
    with time_machine.travel(utc(2026, 3, 7), tick=False):
        reissue_invoice(
            credited=order.invoices.get(kind="invoice"), draft=InvoiceDraft(order=order), reason="Nom"
        )
        single = pay_order(make_order((make_product(price="60.00"), 1)))
    book("-60.00", utc(2026, 3, 8), kind="refund", order=single)
    book("-141.10", utc(2026, 3, 9), kind="dispute", order=order)
    assert declarations(2026)[2].returned == Decimal("20.00") + Decimal("50.00") + Decimal("120.00")


@pytest.mark.parametrize(
    ("period", "today", "name", "due"),
    [
        ("mois", date(2026, 1, 5), "2025-12", date(2026, 1, 31)),
        ("mois", date(2026, 12, 31), "2026-11", date(2026, 12, 31)),
        ("trimestre", date(2026, 3, 31), "2025-T4", date(2026, 1, 31)),
        ("trimestre", date(2026, 4, 1), "2026-T1", date(2026, 4, 30)),
    ],
)
def test_the_period_that_ended_last(period, today, name, due):
    set_period(period)
    [found] = ended_periods(today)
    assert (found.name, found.due_on, found.age) == (name, due, 0)


def test_a_return_waits_until_it_is_noted_however_many_periods_end_meanwhile(client):
    set_period("mois")
    book("100.00", utc(2026, 1, 10))
    book("44.00", utc(2026, 4, 30, 21, 59, 59))
    # A first declaration may join the first three months.
    with time_machine.travel(utc(2026, 5, 31, 22), tick=False):
        [task] = [task for task in staff_tasks(date(2026, 6, 1)) if "URSSAF" in task.several]
        assert (task.label, task.count, task.detail) == (
            "Déclarations à l'URSSAF à faire", 2, "à déclarer avant le 31 mai 2026 (en retard de 1 jour)"
        )  # fmt: skip
        client.force_login(make_admin())
        page = text(client.get(task.url))
        assert "2026-04, à déclarer avant le 31 mai 2026" in page
        assert "Ventes de marchandises : <strong>44 €</strong>" in page
        links = '<a href="?annee=2026&partie=m4">2026-04</a>, <a href="?annee=2026&partie=m5">2026-05</a>.'
        assert f"Restent à déclarer : {links}" in page
        assert '<option value="m4"' in page
        assert '<option value="t2"' not in page
        note = "/admin/comptes/declarations/urssaf/2026-04"
        page = text(client.post(note, {"deposee": "oui"}, follow=True))
        assert "2026-05, à déclarer avant le 30 juin 2026" in page
        assert "Restent" not in page
        page = text(client.get("/admin/comptes/urssaf?annee=2026&partie=m4"))
        assert "2026-04, à déclarer" in page
        assert "Elle est encore à déposer" in page
        # What has not ended is not to be declared.
        assert "2026-05, à déclarer" in text(client.get("/admin/comptes/urssaf?annee=2026&partie=m6"))
    assert told(date(2026, 6, 1)) == ["à déclarer avant le 30 juin 2026"]
    assert told(date(2026, 7, 1)) == ["à déclarer avant le 30 juin 2026 (en retard de 1 jour)"]


@pytest.mark.parametrize(
    ("before", "filed", "after"), [("mois", "2026-12", "trimestre"), ("trimestre", "2026-T4", "mois")]
)
def test_what_was_filed_by_month_or_quarter_stays_filed_when_the_settings_change(before, filed, after):
    book("100.00", utc(2026, 1, 10))
    for period in (before, after):
        set_period(period)
        names = [row.name for row in to_declare(ended_periods(date(2027, 1, 1)))]
        assert names[-1] == {"mois": "2026-12", "trimestre": "2026-T4"}[period]
    FiledReturn.objects.create(kind=ReturnKind.OSS, period=filed)
    assert [row.name for row in to_declare(ended_periods(date(2027, 1, 1)))] == names
    FiledReturn.objects.create(kind=ReturnKind.URSSAF, period=filed)
    covered = {"trimestre": 1, "mois": 3}[after]
    assert [row.name for row in to_declare(ended_periods(date(2027, 1, 1)))] == names[:-covered]


def test_page_file_and_deadline(admin_client):
    set_period("trimestre")
    label = "Déclaration à l'URSSAF à faire"
    assert not [task for task in staff_tasks(date(2026, 4, 10)) if task.label == label]
    book("1.00", utc(2025, 10, 1))
    book("1234.50", utc(2026, 2, 1))
    [task] = [task for task in staff_tasks(date(2026, 4, 10)) if task.label == label]
    assert task.detail == "à déclarer avant le 30 avril 2026"
    assert admin_client.get("/admin/comptes/urssaf?annee=2026").status_code == 200
    book("-300.00", utc(2026, 4, 1), kind="refund")
    book("1000.00", utc(2026, 7, 1))
    csv = b"".join(admin_client.get("/admin/comptes/urssaf.csv?annee=2026").streaming_content).decode()
    assert csv.splitlines()[1:4] == [
        "2026-T1;1234,50;0,00;0,00;1235,00;0,00;151,84;30/04/2026",
        "2026-T2;0,00;-300,00;0,00;0,00;0,00;0,00;31/07/2026",
        "2026-T3;1000,00;0,00;-300,00;700,00;0,00;86,10;31/10/2026",
    ]
    admin_client.post("/admin/comptes/declarations/urssaf/2026-T1", {"deposee": "oui"})
    assert not [task for task in staff_tasks(date(2026, 4, 10)) if task.label == label]


@pytest.mark.parametrize(
    ("period", "ended", "other"), [("trimestre", "2026-T1", "2026-T2"), ("mois", "2026-03", "2026-04")]
)
def test_a_movement_that_is_learned_of_after_its_period_was_filed_is_to_be_corrected(
    client, period, ended, other, django_assert_num_queries
):
    set_period(period)
    book("1000.00", utc(2026, 3, 1))
    book("500.00", utc(2026, 5, 1))
    for name, day in ((ended, utc(2026, 4, 20)), (other, utc(2026, 7, 20))):
        with time_machine.travel(day, tick=False):
            note_filed(kind=ReturnKind.URSSAF, period=name, filed=True, actor=None)
    # Before it was filed; in the period that runs; to the second.
    book("70.00", utc(2026, 3, 31, 21, 59, 59), learned_at=utc(2026, 4, 20))
    book("60.00", utc(2026, 3, 31, 22), learned_at=utc(2026, 4, 20, 0, 0, 1))
    book("0.40", utc(2026, 3, 31, 21), learned_at=utc(2026, 5, 2))
    with django_assert_num_queries(4):
        assert changed_returns() == []
    book("-200.50", utc(2026, 3, 31, 21, 59, 59), learned_at=utc(2026, 8, 1), kind="refund")
    assert [(row.period, row.filed, row.found, row.difference) for row in changed_returns()] == [
        (ended, Decimal(1070), Decimal(870), Decimal(-200))
    ]
    with time_machine.travel(utc(2026, 8, 2, 9), tick=False):
        client.force_login(make_admin())
        page = text(client.get("/admin/comptes/urssaf"))
        assert f"{ended} : 1 070 € déposés, <strong>870 €</strong> maintenant (-200 €)" in page
        address = f"/admin/comptes/declarations/urssaf/{ended}"
        client.post(address, {"deposee": "corrigee"})
        assert "À corriger" not in text(client.get("/admin/comptes/urssaf"))
    assert FiledReturn.objects.get(period=ended).filed_at == utc(2026, 8, 2, 9)
    assert changed_returns() == []


def test_what_is_carried_on_changes_the_period_after_it():
    set_period("trimestre")
    book("100.00", utc(2026, 2, 1))
    book("300.00", utc(2026, 4, 1))
    for name in ("2026-T1", "2026-T2", "no-name"):
        with time_machine.travel(utc(2026, 7, 20), tick=False):
            note_filed(kind=ReturnKind.URSSAF, period=name, filed=True, actor=None)
    book("-150.00", utc(2026, 3, 1), learned_at=utc(2026, 8, 1), kind="refund")
    assert [(row.period, row.filed, row.found) for row in changed_returns()] == [
        ("2026-T1", Decimal(100), Decimal(0)), ("2026-T2", Decimal(300), Decimal(250))
    ]  # fmt: skip
    set_period("mois")
    assert changed_returns() == []


@pytest.mark.parametrize("answer", ["oui", "corrigee"])
def test_what_is_learned_of_after_the_page_was_read_is_not_in_the_amount_that_was_filed(client, answer):
    set_period("mois")
    book("1000.00", utc(2026, 3, 1))
    address = "/admin/comptes/declarations/urssaf/2026-03"
    if answer == "corrigee":
        with time_machine.travel(utc(2026, 4, 2), tick=False):
            note_filed(kind=ReturnKind.URSSAF, period="2026-03", filed=True, actor=None)
        book("-50.00", utc(2026, 3, 9), learned_at=utc(2026, 4, 3), kind="refund")
    with time_machine.travel(utc(2026, 4, 20, 9), tick=False):
        client.force_login(make_admin())
        page = text(client.get("/admin/comptes/urssaf"))
    [*_others, seen_at] = re.findall(r'name="seen_at" value="([^"]+)"', page)
    book("-200.00", utc(2026, 3, 31), learned_at=utc(2026, 4, 20, 9, 1), kind="refund")

    with time_machine.travel(utc(2026, 4, 20, 9, 2), tick=False):
        client.post(address, {"deposee": answer, "seen_at": seen_at})

    filed = Decimal(1000 if answer == "oui" else 950)
    assert [(row.filed, row.found) for row in changed_returns()] == [(filed, filed - 200)]


@pytest.mark.parametrize("seen_at", ["", "hier", "2026-04-20T08:00:00", "2026-05-01T08:00:00+00:00"])
def test_a_return_is_not_filed_by_what_is_to_come(client, seen_at):
    with time_machine.travel(utc(2026, 4, 20, 9), tick=False):
        client.force_login(make_admin())
        client.post("/admin/comptes/declarations/urssaf/2026-03", {"deposee": "oui", "seen_at": seen_at})
    assert FiledReturn.objects.get().filed_at == utc(2026, 4, 20, 9)
