"""Every read of the statistics: sums of days, and the visits of today that are not summed yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, NamedTuple

from django.db.models import Max, Q, QuerySet, Sum

from shop.statistics.batch import CountKey
from shop.statistics.days import count_visits
from shop.statistics.models import DailyCount, DailyVital, Measure, Metric, Visit
from shop.statistics.vitals import percentile

Part = Literal["label", "language", "device"]


@dataclass(frozen=True, slots=True)
class Period:
    """Days in a row, both ends included."""

    first: date
    last: date

    @classmethod
    def ending(cls, last: date, days: int) -> Period:
        """Return so many days, the last one included."""
        return cls(last - timedelta(days=days - 1), last)

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def before(self) -> Period:
        """The same number of days just before."""
        return Period.ending(self.first - timedelta(days=1), self.length)

    def __iter__(self) -> Iterator[date]:
        return (self.first + timedelta(days=number) for number in range(self.length))

    def __contains__(self, day: object) -> bool:
        return isinstance(day, date) and self.first <= day <= self.last


class Ranked(NamedTuple):
    """A label, a language or a device, how often in the period, and how often in the one before."""

    name: str
    now: int
    before: int


class VitalKind(NamedTuple):
    """What was measured, on which kind of page and on what."""

    metric: Metric
    page: str
    device: str


class Statistics:
    """The counts of a period and of the one before, in one language or in all (""). One query, for today's visits."""

    def __init__(self, period: Period, language: str = "") -> None:
        self.period, self.language = period, language
        visits = Visit.objects.filter(day__gte=period.before.first, day__lte=period.last)
        if language:
            visits = visits.filter(language=language)
        self._unsummed: Counter[CountKey] = count_visits(visits)

    def by_day(self, *measures: Measure) -> dict[Measure, Counter[date]]:
        """Return the counts of measures by day, of both periods. One query."""
        found: dict[Measure, Counter[date]] = {measure: Counter() for measure in measures}
        rows = self._rows().filter(measure__in=measures).values_list("measure", "day")
        for measure, day, number in rows.annotate(number=Sum("count")):
            found[Measure(measure)][day] += number
        for key, number in self._unsummed.items():
            if key.measure in found:
                found[Measure(key.measure)][key.day] += number
        return found

    def ranking(
        self, measure: Measure, part: Part = "label", *, counted_as: Callable[[str], str] = str
    ) -> list[Ranked]:
        """Return the counts of a measure by one of its parts, the highest of the period first; what is `counted_as` the
        same is added up. One query."""
        now: Counter[str] = Counter()
        before: Counter[str] = Counter()
        in_period = Q(day__gte=self.period.first)
        rows = self._rows().filter(measure=measure).values_list(part)
        for name, count, earlier in rows.annotate(
            now=Sum("count", filter=in_period, default=0), before=Sum("count", filter=~in_period, default=0)
        ):
            now[counted_as(name)] += count
            before[counted_as(name)] += earlier
        for key, number in self._unsummed.items():
            if key.measure == measure:
                name = counted_as(getattr(key, part))
                (now if key.day in self.period else before)[name] += number
        ranked = (Ranked(name, now[name], before[name]) for name in now.keys() | before.keys())
        return sorted(ranked, key=lambda row: (-row.now, -row.before, row.name))

    def demonstration_until(self) -> date | None:
        """Return the last day of the two periods whose counts are made up; None for none. One query."""
        made_up = self._rows().filter(is_demonstration=True)
        last: date | None = made_up.aggregate(last=Max("day"))["last"]
        return last

    def _rows(self) -> QuerySet[DailyCount]:
        rows = DailyCount.objects.filter(day__gte=self.period.before.first, day__lte=self.period.last)
        return (rows.filter(language=self.language) if self.language else rows).order_by()


class Vitals:
    """The web vitals of a period. One query."""

    def __init__(self, period: Period) -> None:
        rows = DailyVital.objects.filter(day__gte=period.first, day__lte=period.last).order_by()
        self.histograms: dict[VitalKind, Counter[int]] = {}
        for metric, page, device, bucket, number in rows.values_list(
            "metric", "page", "device", "bucket"
        ).annotate(number=Sum("count")):
            kind = VitalKind(Metric(metric), page, device)
            self.histograms.setdefault(kind, Counter())[bucket] += number

    def measured(self, metric: Metric, *, page: str = "", device: str = "") -> tuple[float | None, int]:
        """Return what three measurements out of four stay below, and how many there are; of all pages or devices
        where none is named. No query."""
        buckets: Counter[int] = Counter()
        for kind, found in self.histograms.items():
            if kind.metric == metric and page in ("", kind.page) and device in ("", kind.device):
                buckets.update(found)
        return percentile(metric, buckets), sum(buckets.values())

    def kinds(self) -> list[tuple[str, str]]:
        """Return the kinds of pages and devices, those with most measurements first. No query."""
        totals: Counter[tuple[str, str]] = Counter()
        for kind, found in self.histograms.items():
            totals[kind.page, kind.device] += sum(found.values())
        return [pair for pair, _number in totals.most_common()]


def visits_today_and_this_week(today: date) -> tuple[int, int]:
    """Return the visits of today, and of the seven days that end with it. Two queries."""
    week = Period.ending(today, 7)
    unsummed = Visit.objects.filter(day__gte=week.first)
    days = Counter(unsummed.values_list("day", flat=True))
    summed = DailyCount.objects.filter(measure=Measure.VISIT, day__gte=week.first, day__lte=today)
    rows: Mapping[str, int | None] = summed.aggregate(
        today=Sum("count", filter=Q(day=today)), week=Sum("count")
    )
    return days[today] + (rows["today"] or 0), days.total() + (rows["week"] or 0)


def exported_rows(period: Period) -> Iterator[tuple[date, str, str, str, str, int]]:
    """Yield the sums of a period as rows of a file: day, measure, language, device, label, count. One query; the visits
    of today are summed at night."""
    rows = DailyCount.objects.filter(day__gte=period.first, day__lte=period.last)
    ordered = rows.order_by("day", "measure", "language", "device", "label")
    columns = ("day", "measure", "language", "device", "label", "count")
    yield from ordered.values_list(*columns).iterator()
