"""The night: visits become sums, what distinguished them goes; and what a page of statistics reads of both."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest

from shop.core.jobs import registered_jobs
from shop.core.personal_data import kept_until
from shop.statistics import days
from shop.statistics.batch import Batch, CountKey, VisitKey, VisitNews, VitalKey
from shop.statistics.days import close_days, purge_sums
from shop.statistics.models import DailyCount, DailySalt, DailyVital, Measure, Metric, Visit
from shop.statistics.selectors import Period, Ranked, Statistics, Vitals, visits_today_and_this_week
from shop.statistics.tasks import close_past_days
from shop.statistics.writing import write_batch

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]
TODAY = date(2026, 11, 23)
YESTERDAY = TODAY - timedelta(days=1)


def make_visits(day: date) -> None:
    """Three: two in French, one of them from a letter to the checkout; one in German on a phone."""
    news = {
        "1": VisitNews("fr", "computer", "google.com", "lettre / – / –", True, True, True),
        "2": VisitNews("fr", "computer"),
        "3": VisitNews("de", "phone", "google.com", saw_product=True),
    }
    write_batch(Batch(visits={VisitKey(day, key): visit for key, visit in news.items()}))
    DailySalt.objects.get_or_create(day=day, defaults={"salt": "ab" * 32})


SUMS = {
    ("visit", "fr", "computer", ""): 2,
    ("visit", "de", "phone", ""): 1,
    ("source", "fr", "", "google.com"): 1,
    ("source", "fr", "", ""): 1,
    ("source", "de", "", "google.com"): 1,
    ("campaign", "fr", "", "lettre / – / –"): 1,
    ("step", "fr", "", "product"): 1,
    ("step", "fr", "", "cart"): 1,
    ("step", "fr", "", "checkout"): 1,
    ("step", "de", "", "product"): 1,
}


def sums(day: date) -> dict[tuple[str, str, str, str], int]:
    rows = DailyCount.objects.filter(day=day)
    return {(row.measure, row.language, row.device, row.label): row.count for row in rows}


def test_night_sums_yesterday_and_deletes_its_visits_and_salt() -> None:
    make_visits(YESTERDAY)
    make_visits(TODAY)
    # 0:10 in Paris.
    close_past_days(datetime(2026, 11, 22, 23, 10, tzinfo=UTC))
    assert sums(YESTERDAY) == SUMS
    assert sums(TODAY) == {}
    assert set(Visit.objects.values_list("day", flat=True)) == {TODAY}
    assert list(DailySalt.objects.values_list("day", flat=True)) == [TODAY]


def test_night_that_is_run_again_adds_nothing() -> None:
    make_visits(YESTERDAY)
    assert [close_days(TODAY), close_days(TODAY)] == [3, 0]
    assert sums(YESTERDAY) == SUMS


def test_day_that_fails_keeps_no_other_open_and_no_salt(fail_first) -> None:
    before = YESTERDAY - timedelta(days=1)
    make_visits(before)
    make_visits(YESTERDAY)
    fail_first(days, "add_counts")
    with pytest.raises(RuntimeError, match="unforeseen"):
        close_days(TODAY)
    assert set(Visit.objects.values_list("day", flat=True)) == {before}
    assert sums(YESTERDAY) == SUMS
    assert not DailySalt.objects.exists()
    assert close_days(TODAY) == 3


def test_job_begins_after_midnight() -> None:
    job = registered_jobs()["statistics-days"]
    assert (job.every, job.at.isoformat()) == (timedelta(days=1), "00:10:00")


def test_what_is_reported_again_of_a_visit_is_added_and_its_source_stays() -> None:
    key = VisitKey(TODAY, "k")
    write_batch(Batch(visits={key: VisitNews("fr", "phone", saw_product=True)}))
    write_batch(Batch(visits={key: VisitNews("de", "phone", "example.org", "a / – / –")}))
    write_batch(Batch(visits={key: VisitNews("de", "phone", "later.example", added_to_cart=True)}))
    visit = Visit.objects.get()
    assert (visit.language, visit.source, visit.campaign) == ("fr", "example.org", "a / – / –")
    assert (visit.saw_product, visit.added_to_cart, visit.saw_checkout) == (True, True, False)


def test_page_reads_sums_and_todays_visits_together(django_assert_num_queries) -> None:
    make_visits(YESTERDAY)
    close_days(TODAY)
    make_visits(TODAY)
    # One for the visits of today, one a measure.
    with django_assert_num_queries(4):
        statistics = Statistics(Period.ending(TODAY, 1))
        days = statistics.by_day(Measure.VISIT, Measure.PAGE_VIEW)
        sources = statistics.ranking(Measure.SOURCE)
        languages = statistics.ranking(Measure.VISIT, "language")
    assert (days[Measure.VISIT][TODAY], days[Measure.VISIT][YESTERDAY]) == (3, 3)
    assert days[Measure.PAGE_VIEW] == {}
    assert sources == [Ranked("google.com", 2, 2), Ranked("", 1, 1)]
    assert languages == [Ranked("fr", 2, 2), Ranked("de", 1, 1)]
    german = Statistics(Period.ending(TODAY, 2), "de")
    assert german.ranking(Measure.STEP) == [Ranked("product", 2, 0)]
    with django_assert_num_queries(2):
        assert visits_today_and_this_week(TODAY) == (3, 6)


def test_vitals_of_a_period(django_assert_num_queries) -> None:
    vitals = {
        VitalKey(TODAY, "LCP", "home", "phone", 5): 3,
        VitalKey(YESTERDAY, "LCP", "home", "phone", 6): 1,
        VitalKey(TODAY, "LCP", "catalog:list", "computer", 0): 3,
        VitalKey(TODAY - timedelta(days=9), "LCP", "home", "phone", 13): 9,
    }
    write_batch(Batch(vitals=Counter(vitals)))
    with django_assert_num_queries(1):
        found = Vitals(Period.ending(TODAY, 7))
    assert found.measured(Metric.LCP, page="home") == (2500, 4)
    assert found.measured(Metric.LCP) == (2375, 7)
    assert found.measured(Metric.INP) == (None, 0)
    assert found.kinds() == [("home", "phone"), ("catalog:list", "computer")]


def test_sums_go_after_twenty_five_months(settings) -> None:
    now = datetime(2026, 11, 23, 3, tzinfo=UTC)
    before = kept_until("statistics_months", now)
    for day in (date(2024, 10, 22), date(2024, 10, 23)):
        write_batch(Batch(counts=Counter({CountKey(day, "visit", "fr", "", ""): 1})))
        write_batch(Batch(vitals=Counter({VitalKey(day, "LCP", "home", "", 1): 1})))
    assert settings.RETENTION["statistics_months"] == 25
    assert [purge_sums(before, 1), purge_sums(before, 5), purge_sums(before, 5)] == [1, 1, 0]
    assert [row.day for row in (*DailyCount.objects.all(), *DailyVital.objects.all())] == [
        date(2024, 10, 23)
    ] * 2


def test_periods() -> None:
    period = Period.ending(TODAY, 30)
    assert (period.first, period.length) == (date(2026, 10, 25), 30)
    assert period.before == Period(date(2026, 9, 25), date(2026, 10, 24))
    assert (TODAY in period, date(2026, 10, 24) in period) == (True, False)
