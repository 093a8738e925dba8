"""Civil days where the shop is, which are those of the law and of the books, and days in words."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import formats, timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from shop.core.languages import active_language

SHOP_ZONE = ZoneInfo(settings.TIME_ZONE)
# Before and after them there are days, but no moments in UTC, which databases keep.
_FIRST_DAY, _LAST_DAY = date(1, 1, 2), date(9999, 12, 30)
_SPACE_INSIDE = re.compile(r" (?!(?:de )?\d{4}\b)|(?<= de) (?=\d{4}\b)")
# « 1 décembre 2026 », but not « 11 décembre » nor « 1/12/2026 ».
_FIRST = re.compile(r"\A1(?=\s[^\W\d])")


def shop_day(moment: datetime) -> date:
    """Return the day on which a moment falls where the shop is, wherever the server stands."""
    return moment.astimezone(SHOP_ZONE).date()


def moment_on(day: date, now: datetime | None = None) -> datetime:
    """Return the moment of what happened on a day of which no hour is known: now, or noon of another day."""
    now = now or timezone.now()
    return now if day == shop_day(now) else datetime.combine(day, time(12), SHOP_ZONE)


def clock_moment(typed: datetime) -> datetime:
    """Return the moment that somebody typed, which is on the shop's clock unless it names a time zone: of an hour that
    comes twice in autumn the first, of one that spring leaves out the one after it.

    Raises OverflowError for one that has no equal in UTC.
    """
    return (typed if timezone.is_aware(typed) else typed.replace(tzinfo=SHOP_ZONE)).astimezone(UTC)


def start_of_day(day: date) -> datetime:
    """Return the moment at which a day begins where the shop is; of the calendar's first and last day the nearest."""
    return datetime.combine(min(max(day, _FIRST_DAY), _LAST_DAY), time.min, SHOP_ZONE)


def end_of_day(day: date) -> datetime:
    """Return the last moment of a day where the shop is; of the calendar's first and last day the nearest."""
    return datetime.combine(min(max(day, _FIRST_DAY), _LAST_DAY), time.max, SHOP_ZONE)


def day_in_words(day: date, named_format: str = "DATE_FORMAT") -> str:
    """`1er décembre 2026`, `2 December 2026`: in the active language. `named_format` is one of Django's."""
    if isinstance(day, datetime):
        # One moment is two days, depending on the time zone: no key of a cache.
        return with_ordinal(formats.date_format(day, named_format))
    return _in_words(day, named_format, get_language())


def day_range_in_words(first: date, last: date) -> str:
    """`entre le 8 et le 25 décembre 2026`, `between 8 and 25 December 2026`: in the active language, a month and a year
    that both days share said once; `le 8 décembre 2026` for a single day. A narrow page breaks no day in it but before
    its year.
    """
    end = unbroken(day_in_words(last))
    if first == last:
        return _("le %(day)s") % {"day": end}
    if first.year != last.year:
        start = day_in_words(first)
    elif first.month != last.month:
        start = day_in_words(first, "MONTH_DAY_FORMAT")
    else:
        start = _day_alone(first)
    return _("entre le %(earliest)s et le %(latest)s") % {"earliest": unbroken(start), "latest": end}


def _day_alone(day: date) -> str:
    """`8`, `1er`, in German `8.`: a day whose month is said later."""
    return day_in_words(day, "MONTH_DAY_FORMAT").split()[0]


@lru_cache(maxsize=512)
def _in_words(day: date, named_format: str, _language: str | None) -> str:
    return with_ordinal(formats.date_format(day, named_format))


def unbroken(words: str) -> str:
    """Return a day in words, or a moment, that a narrow page breaks before its year at most."""
    return _SPACE_INSIDE.sub("\u00a0", words)


def with_ordinal(text: str) -> str:
    """Return a day in words with the ordinal that French gives the first of a month, and no other language of the
    shop.

    Neither Django's formats nor Unicode's can say so.
    """
    return _FIRST.sub("1er", text) if active_language() == "fr" else text
