"""Civil days where the shop is: those of the law and of the books, wherever the server stands."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.conf import settings

SHOP_ZONE = ZoneInfo(settings.TIME_ZONE)


def shop_day(moment: datetime) -> date:
    """The day on which a moment falls where the shop is."""
    return moment.astimezone(SHOP_ZONE).date()
