"""The end of a day: its visits become sums, and what distinguished them is deleted. Much later the sums go too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.db import models, transaction
from django.db.models import Count, Q, QuerySet

from shop.core.dates import shop_day
from shop.core.each_row import each_row
from shop.core.transaction_locks import lock_names
from shop.statistics.batch import CountKey
from shop.statistics.models import DailyCount, DailySalt, DailyVital, Measure, Step, Visit
from shop.statistics.writing import DAYS_LOCK, add_counts

_STEPS = {Step.PRODUCT: "saw_product", Step.CART: "added_to_cart", Step.CHECKOUT: "saw_checkout"}


def close_days(today: date) -> int:
    """Sum the visits of the days before `today`, and delete them with their salts; returns how many visits that was.

    What has been summed is not there any more, so a run that is repeated adds nothing.
    """
    DailySalt.objects.filter(day__lt=today).delete()
    days = Visit.objects.filter(day__lt=today).order_by("day").values_list("day", flat=True).distinct()
    closed: Counter[date] = Counter()

    def close(day: date) -> None:
        with transaction.atomic():
            lock_names([DAYS_LOCK])
            visits = Visit.objects.filter(day=day)
            add_counts(count_visits(visits).items())
            closed[day] = visits.delete()[0]

    each_row(list(days), close)
    return closed.total()


def count_visits(visits: QuerySet[Visit]) -> Counter[CountKey]:
    """Return the sums of visits, by everything that they are counted by. One query."""
    counts: Counter[CountKey] = Counter()
    for row in _grouped(visits):
        day, language, device = row["day"], row["language"], row["device"]
        number = row["number"]
        counts[CountKey(day, Measure.VISIT.value, language, device, "")] += number
        counts[CountKey(day, Measure.SOURCE.value, language, "", row["source"])] += number
        if row["campaign"]:
            counts[CountKey(day, Measure.CAMPAIGN.value, language, "", row["campaign"])] += number
        for step in _STEPS:
            if row[step.value]:
                counts[CountKey(day, Measure.STEP.value, language, "", step.value)] += row[step.value]
    return counts


def _grouped(visits: QuerySet[Visit]) -> Iterable[dict[str, Any]]:
    steps = {step.value: Count("pk", filter=Q(**{column: True})) for step, column in _STEPS.items()}
    groups = visits.order_by().values("day", "language", "device", "source", "campaign")
    rows: Iterable[dict[str, Any]] = groups.annotate(number=Count("pk"), **steps)  # type: ignore[assignment]
    return rows


def close_days_before(before: datetime, limit: int) -> int:
    """The same as a rule of retention: for what a night without the job left."""
    return close_days(shop_day(before))


def purge_sums(before: datetime, limit: int) -> int:
    """Delete at most `limit` sums of days before a moment; returns how many."""
    deleted = 0
    models_of_days: tuple[type[models.Model], ...] = (DailyCount, DailyVital)
    for model in models_of_days:
        rows = model._default_manager.filter(day__lt=shop_day(before))
        keys = list(rows.order_by("pk").values_list("pk", flat=True)[: limit - deleted])
        deleted += model._default_manager.filter(pk__in=keys).delete()[0]
    return deleted
