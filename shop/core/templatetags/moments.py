"""Dates that come as ISO text, as mails keep them."""

from datetime import date, datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from shop.core.dates import day_in_words

register = template.Library()


@register.filter
def day(value: str) -> str:
    """``"2027-01-12"`` → ``12 janvier 2027`` in the active language.

    The date of the shop's clock for a moment.
    """
    if not value:
        return ""
    return day_in_words(_moment(value) if "T" in value else date.fromisoformat(value))


@register.filter
def moment(value: str) -> str:
    """``"2026-11-21T13:05:00+00:00"`` → ``21 novembre 2026 à 14:05``, on the shop's clock.

    A day whose hour nobody knows (``"2026-11-21"``) stays a day.
    """
    if "T" not in value:
        return day(value)
    when = _moment(value)
    return _("%(day)s à %(time)s") % {
        "day": day_in_words(when),
        "time": date_format(when, "TIME_FORMAT"),
    }


def _moment(value: str) -> datetime:
    return timezone.localtime(datetime.fromisoformat(value))
