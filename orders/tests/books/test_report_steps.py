"""What a line of the report covers is in it, whatever period is asked for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from orders.books.days import month, quarter, year
from orders.books.reporting import Step, step_name, whole_steps
from orders.tests.books.entries import book, utc
from shop.core.tests.reading import text

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("part", "step", "shown", "total"),
    [
        ("m11", "bimestre", "Du 1er novembre 2026 au 31 décembre 2026", "30,00"),
        ("m12", "bimestre", "Du 1er novembre 2026 au 31 décembre 2026", "30,00"),
        ("m10", "bimestre", "Du 1er septembre 2026 au 31 octobre 2026", "4,00"),
        ("m11", "trimestre", "Du 1er octobre 2026 au 31 décembre 2026", "34,00"),
        ("m11", "mois", "Du 1er novembre 2026 au 30 novembre 2026", "10,00"),
        ("m11", "decade", "Du 1er novembre 2026 au 30 novembre 2026", "10,00"),
    ],
)
def test_a_line_of_the_report_holds_all_that_its_name_says(staff_client, part, step, shown, total):
    for day, amount in (
        (utc(2026, 10, 31), "4.00"),
        (utc(2026, 11, 2), "10.00"),
        (utc(2026, 12, 31), "20.00"),
    ):
        book(amount, day)
    query = f"annee=2026&partie={part}&pas={step}&lecture=paiements"
    assert shown in text(staff_client.get(f"/admin/comptes/e-reporting?{query}"))
    csv = b"".join(staff_client.get(f"/admin/comptes/e-reporting.csv?{query}").streaming_content).decode()
    assert [row.rsplit(";", 1)[1] for row in csv.splitlines()[1:]] == [total]


@pytest.mark.parametrize("step", Step)
def test_whole_steps_of_a_year_are_the_year(step):
    for period in (year(2026), quarter(1, 2027), month(2, 2028)):
        whole = whole_steps(period, step)
        assert whole.first <= period.first
        assert whole.last >= period.last
        names = [
            step_name(day, step) for day in (whole.first - timedelta(days=1), whole.last + timedelta(days=1))
        ]
        assert not {step_name(whole.first, step), step_name(whole.last, step)} & set(names)
    assert whole_steps(year(2026), step) == year(2026)
