"""The pages of the books: who sees them, what they tell, what they cost."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_member
from orders.books.staff_tasks import staff_tasks
from orders.books.turnover import HEIGHT, MonthTurnover, chart_of
from orders.models import Discrepancy, DiscrepancyKind
from orders.services.reconciliation.comparison import Difference
from orders.services.reconciliation.discrepancies import record_differences
from orders.tests.books.entries import book, utc
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

ZERO = Decimal("0.00")


def test_the_chart_s_scale_is_round():
    months = [MonthTurnover(n, Decimal(n * 100), Decimal(n)) for n in range(1, 13)]
    chart = chart_of(months)
    assert [line.value for line in chart.grid] == [0, 500, 1000, 1500, 2000]
    assert [line.y for line in chart.grid] == [HEIGHT, 165, 110, 55, 0]
    december = chart.bars[11]
    assert (december.received_height, december.received_y) == (132, 88)
    assert december.returned_height == 2  # 12 € of 2000: seen all the same
    assert december.returned_y == HEIGHT - 2
    assert (chart.bars[0].centre, december.centre) == ("4.17%", "95.83%")
    # Side by side: 2.6 % each, and the figure over the first.
    assert (december.received_x, december.value_x, december.returned_x) == ("93.03%", "94.33%", "96.03%")
    assert (str(december.month), str(december.short_month)) == ("décembre", "déc")


def test_the_chart_is_as_high_as_what_went_back_where_that_is_more():
    chart = chart_of([MonthTurnover(1, Decimal(100), Decimal(800))])
    assert [line.value for line in chart.grid] == [0, 200, 400, 600, 800]
    assert (chart.bars[0].received_height, chart.bars[0].returned_height) == (27, HEIGHT)


def test_an_empty_year_draws_a_scale_and_no_bar():
    chart = chart_of([MonthTurnover(n, ZERO, ZERO) for n in range(1, 13)])
    assert [line.value for line in chart.grid] == [0, 10, 20, 30, 40]
    assert {bar.received_height for bar in chart.bars} == {0}


PAGES = ("", "/recettes", "/recettes.csv", "/e-reporting.csv")


@pytest.mark.parametrize("page", PAGES)
def test_only_operators_see_the_books(page):
    client = Client()
    assert client.get(f"/admin/comptes{page}").status_code == 302
    client.force_login(make_member())
    assert client.get(f"/admin/comptes{page}").status_code in (302, 403)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "query",
    ["", "annee=x", "annee=99999999999", "annee=0", "partie=m13", "pas=siecle", "page=-1", "annee=%00"],
)
def test_bad_periods_show_the_year_that_runs(staff_client, page, query):
    answer = staff_client.get(f"/admin/comptes{page}?{query}")
    assert answer.status_code == 200
    if answer.streaming:
        assert str(timezone.localdate().year) in answer["Content-Disposition"]


def test_the_page_tells_the_year(staff_client, sold):
    page = staff_client.get("/admin/comptes?annee=2026").content.decode()
    assert "Recettes de 2026" in page
    assert "<strong>49,99\xa0€</strong> sur 85\u202f000,00\xa0€, soit 0\xa0%" in page
    assert "style=" not in page
    assert "<script>" not in page


def test_every_task_leads_somewhere(staff_client):
    from orders.books.staff_tasks import _MAKERS

    for _action, make in _MAKERS:
        task = make(date(2026, 11, 21))
        if task.url:
            assert staff_client.get(task.url, follow=True).status_code == 200, task


def test_the_page_costs_the_same_however_much_was_sold(staff_client, sold, django_assert_max_num_queries):
    for number in range(5):
        book("10.00", utc(2026, 1 + number, 1))
    # Session, user; turnover with and without VAT, years, union sales, territories; last reconciliation; settings.
    with django_assert_max_num_queries(9):
        staff_client.get("/admin/comptes?annee=2026")


def test_nothing_that_is_done_waits():
    Discrepancy.objects.create(
        kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"), resolved_at=timezone.now()
    )
    assert "Écarts avec Stripe" not in [task.several for task in staff_tasks(timezone.localdate())]


def test_staff_close_discrepancies_with_a_reason(staff_client):
    first, second = (
        Discrepancy.objects.create(
            kind="money_without_order", provider_id=provider_id, amount=Decimal("5.00")
        )
        for provider_id in ("ch_1", "ch_2")
    )
    listing = staff_client.get("/admin/ecarts")
    assert [row.provider_id for row in listing.context["list"].rows] == ["ch_2", "ch_1"]
    chosen = f"/admin/ecarts/regler?ecart={first.pk}&ecart={second.pk}&ecart=x"
    assert "Comment l’écart" in staff_client.get(chosen).content.decode().replace("&#x27;", "’")
    assert staff_client.post(chosen, {"how": ""}).status_code == 200
    assert Discrepancy.objects.filter(resolved_at=None).count() == 2
    answer = staff_client.post(chosen, {"how": "Vu."}, follow=True)
    assert "2 écarts réglés." in answer.content.decode()
    assert list(Discrepancy.objects.values_list("resolution", flat=True)) == ["Vu.", "Vu."]
    again = staff_client.post(chosen, {"how": "Encore."}, follow=True)
    assert "Aucun des écarts choisis n" in again.content.decode()
    assert Discrepancy.objects.filter(resolution="Encore.").count() == 0


def test_a_discrepancy_that_is_open_again_shows_what_was_written(staff_client):
    """What a person closed before the column was there is moved into it."""
    now = timezone.now()
    for name, resolution, resolved_at in (
        ("ch_1", "Vu à la banque.", now), ("ch_2", "Disparu au rapprochement suivant.", now), ("ch_3", "", None)
    ):  # fmt: skip
        Discrepancy.objects.create(
            kind="amount_differs", provider_id=name, amount=Decimal("5.00"), resolution=resolution,
            resolved_at=resolved_at,
        )  # fmt: skip
    migration = import_module("orders.migrations.0020_explained_differences")
    migration.forwards(apps, connection.schema_editor())
    assert list(Discrepancy.objects.order_by("pk").values_list("is_explained", flat=True)) == [
        True, False, False
    ]  # fmt: skip
    found = [Difference(DiscrepancyKind.AMOUNT_DIFFERS, f"ch_{n}", None, Decimal("5.00"), "") for n in (1, 2)]
    record_differences(found, gone=[], now=now)
    assert [row.provider_id for row in Discrepancy.objects.filter(resolved_at=None)] == ["ch_3", "ch_2"]
    record_differences([replace(found[0], amount=Decimal("6.00"))], gone=[], now=now)
    page = text(staff_client.get("/admin/ecarts?liste=ouverts"))
    assert "Expliqué avant que le rapprochement trouve autre chose : Vu à la banque." in page


def test_discrepancies_take_as_many_queries_for_many(staff_client, django_assert_num_queries):
    """Session, person, the rows with their orders; then the settings' cache is warm."""
    for number in range(3):
        Discrepancy.objects.create(
            kind="money_without_order", provider_id=f"ch_{number}", amount=Decimal("5.00")
        )
    staff_client.get("/admin/ecarts")
    with django_assert_num_queries(3):
        staff_client.get("/admin/ecarts")
