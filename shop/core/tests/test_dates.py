"""The first of a month is « 1er » in French, wherever a day is written out."""

from datetime import UTC, date, datetime

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from shop.core.dates import day_in_words, day_range_in_words, moment_on, with_ordinal

FIRST, ELEVENTH = date(2026, 12, 1), date(2026, 12, 11)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (ELEVENTH, ELEVENTH, "le 11\xa0décembre 2026"),
        (FIRST, ELEVENTH, "entre le 1er et le 11\xa0décembre 2026"),
        (date(2026, 11, 28), ELEVENTH, "entre le 28\xa0novembre et le 11\xa0décembre 2026"),
        (date(2026, 12, 28), date(2027, 1, 4), "entre le 28\xa0décembre 2026 et le 4\xa0janvier 2027"),
    ],
)
def test_a_month_and_a_year_that_two_days_share_are_said_once(first: date, last: date, expected: str) -> None:
    assert day_range_in_words(first, last) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("fr", "1er\xa0décembre 2026"),
        ("en", "1\xa0December 2026"),
        ("es", "1\xa0de\xa0diciembre de\xa02026"),
        ("de", "1.\xa0Dezember 2026"),
    ],
)
def test_the_first_of_a_month_and_where_a_narrow_page_breaks_it(language: str, expected: str) -> None:
    with translation.override(language):
        assert day_in_words(FIRST) == expected.replace("\xa0", " ")
        assert Template("{{ day|date }}").render(Context({"day": FIRST})) == expected
        assert Template('{{ day|date:"DATE_FORMAT" }}').render(Context({"day": FIRST})) == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("MONTH_DAY_FORMAT", "1er\xa0décembre"),
        ("DATETIME_FORMAT", "1er\xa0décembre 2026\xa0à\xa014:05"),
        ("SHORT_DATE_FORMAT", "01/12/2026"),
        ("j F", "1 décembre"),
        ("c", "2026-12-01T14:05:00+01:00"),
    ],
)
def test_only_days_in_words_have_an_ordinal(named: str, expected: str) -> None:
    moment = datetime(2026, 12, 1, 13, 5, tzinfo=UTC)
    with translation.override("fr"):
        written = Template(f'{{{{ moment|date:"{named}" }}}}').render(Context({"moment": moment}))
    assert written == expected


def test_a_moment_is_told_in_the_time_zone_it_is_in() -> None:
    moment = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
    here = timezone.localtime(moment)
    assert here == moment
    with translation.override("fr"):
        assert day_in_words(moment) == "30 novembre 2026"
        assert day_in_words(here) == "1er décembre 2026"


def test_other_days_and_other_texts_stay_as_they_are() -> None:
    with translation.override("fr"):
        assert day_in_words(ELEVENTH) == "11 décembre 2026"
        assert with_ordinal("") == ""
        assert with_ordinal("1 2 3") == "1 2 3"
    with translation.override("de"):
        assert with_ordinal("1 mars") == "1 mars"


def test_days_kept_as_text_too() -> None:
    template = Template("{% load moments %}{{ day|day }} – {{ moment|moment }}")
    with translation.override("fr"):
        written = template.render(Context({"day": "2027-01-01", "moment": "2026-12-01T13:05:00+00:00"}))
    assert written == "1er janvier 2027 – 1er décembre 2026 à 14:05"


def test_what_happened_today_is_not_still_to_come() -> None:
    morning = datetime(2026, 11, 26, 8, 30, tzinfo=UTC)
    assert moment_on(date(2026, 11, 26), morning) == morning
    assert moment_on(date(2026, 11, 25), morning) == datetime(2026, 11, 25, 11, tzinfo=UTC)
    late = datetime(2026, 7, 1, 22, 30, tzinfo=UTC)
    assert moment_on(date(2026, 7, 2), late) == late
    assert moment_on(date(2026, 7, 1), late) == datetime(2026, 7, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "expected"),
    [("fr", "1er décembre 2026 à 14:05"), ("de", "1. Dezember 2026 um 14:05\u00a0Uhr")],
)
def test_a_moment_of_a_mail_says_its_hour_as_the_language_does(language: str, expected: str) -> None:
    with translation.override(language):
        written = Template("{% load moments %}{{ moment|moment }}").render(
            Context({"moment": "2026-12-01T13:05:00+00:00"})
        )
    assert written == expected
