"""Background work of the statistics."""

from datetime import datetime, time, timedelta

from shop.core.dates import shop_day
from shop.core.jobs import scheduled_job
from shop.statistics.days import close_days


@scheduled_job("statistics-days", every=timedelta(days=1), at=time(0, 10))
def close_past_days(now: datetime) -> None:
    """Sum the visits of yesterday and delete them with their salt."""
    close_days(shop_day(now))
