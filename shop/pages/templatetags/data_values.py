"""Values of a person's archive as people read them."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from shop.core.amounts import localised_amount
from shop.core.dates import day_in_words

register = template.Library()


@register.filter
def readable(value: Any) -> str:
    """Return a value in the active language: dates in words, amounts with their sign, yes or no, a list as one."""
    if isinstance(value, bool):
        return _("oui") if value else _("non")
    if isinstance(value, datetime):
        return day_in_words(timezone.localtime(value), "DATETIME_FORMAT")
    if isinstance(value, date):
        return day_in_words(value)
    if isinstance(value, Decimal):
        return localised_amount(value)
    if isinstance(value, list):
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((item,) for item in value)))
    return str(value)
