"""What lines of an order's journal say that staff or its customer changed, from what to what, in words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from orders.journal import ADDRESS_CORRECTED, DAY_SET, NUMBER_ADDED, PROMISE_CHANGED
from orders.models import OrderEvent
from orders.selectors.rules import country_name
from shop.core.dates import day_in_words


def change_in_words(event: OrderEvent) -> tuple[str, str] | None:
    """Return what was before and what is after, each "" where there was nothing; None for a line that tells no such
    change, and once its personal data were erased."""
    data = event.data
    if event.name == ADDRESS_CORRECTED and "before" in data:
        return _address(data["before"]), _address(data["after"])
    if event.name in (PROMISE_CHANGED, DAY_SET):
        return _day(data["before"]), _day(data["after"])
    if event.name == NUMBER_ADDED and data.get("former"):
        return data["former"], data["tracking"]
    return None


def _address(columns: Mapping[str, Any]) -> str:
    name = columns.get("gift_recipient") or f"{columns['first_name']} {columns['last_name']}"
    place = f"{columns['postal_code']} {columns['city']}"
    country = country_name(columns["country"], columns["custom_country"])
    return ", ".join(filter(None, (name, columns["address"], place, country, columns["phone"])))


def _day(value: str | None) -> str:
    if value is None:
        return ""
    moment = datetime.fromisoformat(value)
    return day_in_words(timezone.localdate(moment) if moment.tzinfo else moment.date())
