"""`/metrics`: what processes counted and what the database says, in the format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from shop.core.deadlines import deadline
from shop.core.jobs import registered_jobs
from shop.core.models import ScheduledJob
from shop.core.readings import read_ages, registered_figures
from shop.watching import metrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
DATABASE_SECONDS = 2.0


def metrics_text() -> bytes:
    """Return all metrics. As many queries as there are ages and figures; without a database those are left out."""
    now = timezone.now()
    with metrics.alone():
        metrics.add_up_ended(settings.METRICS_DIR)
        counted = generate_latest(metrics.counted_files())
    registry = CollectorRegistry()
    registry.register(_Rows(now))
    return counted + generate_latest(registry)


class _Rows(Collector):
    """What is read from the database now."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        answers = GaugeMetricFamily("shop_database_answers", "1 while the database tells what follows")
        try:
            with deadline(DATABASE_SECONDS):
                found = [*self._ages(), self._jobs(), *self._figures()]
        except DatabaseError:
            answers.add_metric([], 0)
            yield answers
            return
        answers.add_metric([], 1)
        yield answers
        yield from found

    def _ages(self) -> Iterator[Metric]:
        seconds = GaugeMetricFamily(
            "shop_age_seconds",
            "How long ago it went well, or how long the oldest has been waiting",
            labels=["age"],
        )
        limits = GaugeMetricFamily("shop_age_limit_seconds", "From when on it is late", labels=["age"])
        late = GaugeMetricFamily("shop_age_late", "1 while it is over its limit", labels=["age"])
        for reading in read_ages(self.now):
            name = [reading.of.name]
            if reading.age is not None:
                seconds.add_metric(name, reading.age.total_seconds())
            limits.add_metric(name, reading.of.limit.total_seconds())
            late.add_metric(name, reading.is_late)
        yield from (seconds, limits, late)

    def _jobs(self) -> Metric:
        ages = GaugeMetricFamily(
            "shop_job_age_seconds", "Since when a scheduled job has not ended", labels=["job"]
        )
        rows = ScheduledJob.objects.filter(name__in=registered_jobs(), last_finished_at__isnull=False)
        for name, ended in rows.order_by("name").values_list("name", "last_finished_at"):
            if ended is not None:
                ages.add_metric([name], (self.now - ended).total_seconds())
        return ages

    def _figures(self) -> Iterator[Metric]:
        for figure in registered_figures():
            family = GaugeMetricFamily(
                figure.name, figure.meaning, labels=[figure.label] if figure.label else []
            )
            for value, number in figure.read(self.now).items():
                family.add_metric([value] if figure.label else [], number)
            yield family
