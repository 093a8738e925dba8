"""The URSSAF summary: collected turnover by period, refunds deducted, its deadline."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from django.core.cache import cache

from orders.books.staff_tasks import staff_tasks
from orders.books.urssaf import declarations, last_declaration
from orders.tests.books.entries import book, utc
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db


def set_period(period: str) -> None:
    save_shop_settings(ShopSettings(urssaf_period=period, urssaf_rate=Decimal("12.30")))
    cache.clear()


def test_refunds_are_deducted_and_what_is_below_zero_is_carried_on(django_assert_num_queries):
    set_period("mois")
    book("100.00", utc(2026, 1, 31, 22, 59, 59))
    book("-150.40", utc(2026, 2, 5), kind="refund")
    book("200.00", utc(2026, 3, 1))
    ShopSettings.load()
    with django_assert_num_queries(1):
        found = declarations(2026)
    assert [(row.period, row.received, row.returned, row.carried, row.goods) for row in found[:4]] == [
        ("2026-01", Decimal("100.00"), Decimal("0.00"), Decimal("0.00"), Decimal(100)),
        ("2026-02", Decimal("0.00"), Decimal("150.40"), Decimal("0.00"), Decimal(0)),
        ("2026-03", Decimal("200.00"), Decimal("0.00"), Decimal("150.40"), Decimal(50)),
        ("2026-04", Decimal("0.00"), Decimal("0.00"), Decimal("0.00"), Decimal(0)),
    ]
    # 12.3 % of 49.60
    assert (found[2].contributions, found[2].due_on) == (Decimal("6.10"), date(2026, 4, 30))


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
    found = last_declaration(today)
    assert (found.period, found.due_on) == (name, due)


def test_page_file_and_deadline(admin_client):
    set_period("trimestre")
    label = "Déclaration à l'URSSAF à faire"
    assert not [task for task in staff_tasks(date(2026, 4, 10)) if str(task.label) == label]
    book("1234.50", utc(2026, 2, 1))
    [task] = [task for task in staff_tasks(date(2026, 4, 10)) if str(task.label) == label]
    assert task.detail == "à déclarer avant le 30/04/2026"
    assert admin_client.get("/admin/comptes/urssaf?annee=2026").status_code == 200
    csv = b"".join(admin_client.get("/admin/comptes/urssaf.csv?annee=2026").streaming_content).decode()
    assert csv.splitlines()[1] == "2026-T1;1234,50;0,00;0,00;1235,00;0,00;151,84;30/04/2026"
    admin_client.post("/admin/comptes/declarations/urssaf/2026-T1", {"deposee": "oui"})
    assert not [task for task in staff_tasks(date(2026, 4, 10)) if str(task.label) == label]
