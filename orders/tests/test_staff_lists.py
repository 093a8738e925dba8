"""Lists of the staff area: parts, words, and pages that lose and repeat no row."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import RequestFactory
from django.utils import timezone

from orders.models import Discrepancy
from shop.core import staff_lists
from shop.core.staff_lists import Part, StaffList, staff_list

pytestmark = pytest.mark.django_db

PARTS = (
    Part("ouverts", "Ouverts", lambda rows: rows.filter(resolved_at=None), oldest_first=True),
    Part("tous", "Tous"),
)


def listed(**asked: str) -> StaffList[Discrepancy]:
    request = RequestFactory().get("/", asked)
    rows = Discrepancy.objects.all()
    return staff_list(request, rows, PARTS, searched=("provider_id", "detail"), moment="found_at")


def names(page: StaffList[Discrepancy]) -> list[str]:
    return [row.provider_id for row in page.rows]


@pytest.fixture(autouse=True)
def five(monkeypatch):
    """ch_1 to ch_5, the middle three found at the same moment, the last resolved; two on a page."""
    monkeypatch.setattr(staff_lists, "PAGE_SIZE", 2)
    now = timezone.now()
    for number, days in enumerate((5, 3, 3, 3, 1), start=1):
        Discrepancy.objects.create(
            kind="money_without_order",
            provider_id=f"ch_{number}",
            amount=Decimal("1.00"),
            detail="carte bleue" if number == 4 else "",
            found_at=now - timedelta(days=days),
            resolved_at=now if number == 5 else None,
        )


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("ouverts", ["ch_1", "ch_2", "ch_3", "ch_4"]),
        ("tous", ["ch_5", "ch_4", "ch_3", "ch_2", "ch_1"]),
    ],
)
def test_pages_follow_each_other_without_gap_or_repetition(part, expected, django_assert_num_queries):
    seen, address = [], {"liste": part}
    while address:
        with django_assert_num_queries(1):
            page = listed(**address)
        seen += names(page)
        assert len(page.rows) <= 2
        pairs = [pair.partition("=") for pair in page.next_url.lstrip("?").split("&") if pair]
        address = {name: value.replace("%3D", "=") for name, _is, value in pairs}
    assert seen == expected


def test_first_part_is_shown_and_words_are_looked_for_in_the_last():
    assert names(listed()) == ["ch_1", "ch_2"]
    assert names(listed(q="ch_5")) == ["ch_5"]
    assert names(listed(q="ch_5", liste="ouverts")) == []
    assert names(listed(q="bleue CH_")) == ["ch_4"]
    assert [(part.label, part.url, part.is_open) for part in listed(q="a b").parts] == [
        ("Ouverts", "?liste=ouverts&q=a+b", False),
        ("Tous", "?liste=tous&q=a+b", True),
    ]


@pytest.mark.parametrize(
    "cursor",
    [
        *("x", "%00", "MjAyNi0wMS0wMVQwMDowMDowMCswMDowMHx4", "|", "²"),
        # 0001-01-01T00:00:00+14:00|1 and 9999-12-31T23:59:59+00:00|1
        *("MDAwMS0wMS0wMVQwMDowMDowMCsxNDowMHwx", "OTk5OS0xMi0zMVQyMzo1OTo1OSswMDowMHwx"),
    ],
)
def test_unreadable_place_is_the_beginning(cursor):
    page = listed(apres=cursor, liste="inconnue")
    assert (names(page), page.first_url) == (["ch_1", "ch_2"], "")
