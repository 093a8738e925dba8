"""The pages of the books: who sees them, what they tell, what they cost."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_member
from orders.books.staff_tasks import staff_tasks
from orders.books.turnover import HEIGHT, MonthTurnover, chart_of
from orders.models import (
    Discrepancy,
    Order,
    Payment,
    PaymentState,
)
from orders.tests.books.entries import book, utc

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

ZERO = Decimal("0.00")


def test_the_chart_s_scale_is_round():
    months = [MonthTurnover(n, Decimal(n * 100), Decimal(n)) for n in range(1, 13)]
    chart = chart_of(months)
    assert [line.euros for line in chart.grid] == [0, 500, 1000, 1500, 2000]
    assert [line.y for line in chart.grid] == [HEIGHT, 165, 110, 55, 0]
    december = chart.bars[11]
    assert (december.received_height, december.received_y) == (132, 88)
    assert december.returned_height == 2  # 12 € of 2000: seen all the same
    assert (chart.bars[0].centre, december.centre) == ("4.17%", "95.83%")


def test_an_empty_year_draws_a_scale_and_no_bar():
    chart = chart_of([MonthTurnover(n, ZERO, ZERO) for n in range(1, 13)])
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
def test_bad_periods_show_the_year_that_runs(staff_client, page, query):
    answer = staff_client.get(f"/gestion/orders/books/{page}?{query}")
    assert answer.status_code == 200
    if answer.streaming:
        assert str(timezone.localdate().year) in answer["Content-Disposition"]


def test_the_page_tells_the_year_and_what_waits(staff_client, sold):
    Discrepancy.objects.create(kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"))
    Order.objects.filter(pk=sold.pk).update(review_reason="amount")
    Payment.objects.filter(order=sold).update(state=PaymentState.OVERDUE)
    text = staff_client.get("/gestion/orders/books/?annee=2026").content.decode()
    assert "Recettes de 2026" in text
    assert "<strong>49,99\xa0€</strong> sur 85\u202f000,00\xa0€, soit 0\xa0%" in text
    for address in (
        "/gestion/orders/discrepancy/?resolved_at__isempty=1",
        "/gestion/orders/order/?review_reason__isempty=0",
        "/gestion/orders/order/?payments__state__exact=overdue",
    ):
        assert f'href="{address}"' in text
        assert staff_client.get(address).status_code == 200
    assert "style=" not in text
    assert "<script>" not in text


def test_every_task_leads_somewhere(staff_client):
    from orders.books.staff_tasks import _MAKERS

    for _action, make in _MAKERS:
        task = make(date(2026, 11, 21))
        if task.url:
            assert staff_client.get(task.url, follow=True).status_code == 200, task


def test_the_page_costs_the_same_however_much_was_sold(staff_client, sold, django_assert_max_num_queries):
    for number in range(5):
        book("10.00", utc(2026, 1 + number, 1))
    # Session, user; turnover, years, union sales, territories; eleven tasks (one cached) and the orders at risk 2; last
    # reconciliation; settings.
    with django_assert_max_num_queries(23):
        staff_client.get("/gestion/orders/books/?annee=2026")


def test_the_admin_s_first_page_shows_what_waits(staff_client):
    Discrepancy.objects.create(kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"))
    text = staff_client.get("/gestion/").content.decode()
    assert "Écarts avec Stripe" in text
    assert 'href="/gestion/orders/books/"' in text


def test_nothing_that_is_done_waits():
    Discrepancy.objects.create(
        kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"), resolved_at=timezone.now()
    )
    assert "Écarts avec Stripe" not in [str(task.label) for task in staff_tasks(timezone.localdate())]


def test_staff_close_discrepancies_with_a_reason(staff_client):
    discrepancy = Discrepancy.objects.create(
        kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00")
    )
    listing = "/gestion/orders/discrepancy/"
    chosen = {"action": "resolve", "_selected_action": [discrepancy.pk]}
    assert "Comment l’écart" in staff_client.post(listing, chosen).content.decode().replace("&#x27;", "’")
    assert staff_client.post(listing, {**chosen, "confirmed": "1", "how": ""}).status_code == 200
    discrepancy.refresh_from_db()
    assert discrepancy.resolved_at is None
    assert staff_client.post(listing, {**chosen, "confirmed": "1", "how": "Vu."}).status_code == 302
    discrepancy.refresh_from_db()
    assert (discrepancy.resolution, discrepancy.resolved_at is None) == ("Vu.", False)
