"""Django's `date` filter with French ordinals and unbroken days, in every template of the shop and of the admin."""

from __future__ import annotations

import datetime
from typing import Any

from django import template
from django.template import defaultfilters

from shop.core.dates import day_range_in_words, unbroken, with_ordinal

register = template.Library()

# The formats that begin with a day and name the month.
_IN_WORDS = {None, "DATE_FORMAT", "DATETIME_FORMAT", "MONTH_DAY_FORMAT"}


@register.filter(expects_localtime=True, is_safe=False)
def date(value: datetime.date | datetime.datetime | str | None, arg: str | None = None) -> Any:
    """`{{ day|date }}`, `{{ day|date:"MONTH_DAY_FORMAT" }}`: as Django's, but « 1er décembre » in French, and a narrow
    page breaks it before its year at most."""
    text = defaultfilters.date(value, arg)
    return unbroken(with_ordinal(text)) if arg in _IN_WORDS else text


@register.filter
def until(first: datetime.date, last: datetime.date) -> str:
    """`{{ first|until:last }}`: « entre le 8 et le 25 décembre 2026 »."""
    return day_range_in_words(first, last)
