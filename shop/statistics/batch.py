"""What was counted since the last write: sums by what they count, however many events they are of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from shop.statistics.events import CartAddition, Event, PageView, Search, Vital
from shop.statistics.models import Measure

OTHER = "…"
"""The label of what came after a day had its most labels."""
MOST_LABELS = {
    Measure.PAGE_VIEW: 2000,
    Measure.SOURCE: 300,
    Measure.CAMPAIGN: 300,
    Measure.SEARCH: 500,
    Measure.EMPTY_SEARCH: 500,
}
"""A day and process: strangers choose labels, and must not fill the database with them."""
MOST_KEYS = 50_000
"""Of a batch: beyond it nothing is counted until the next write."""
_PRODUCT, _CHECKOUT = "catalog:product", "orders:checkout"


class CountKey(NamedTuple):
    """Of one `DailyCount`."""

    day: date
    measure: str
    language: str
    device: str
    label: str


class VitalKey(NamedTuple):
    """Of one `DailyVital`."""

    day: date
    metric: str
    page: str
    device: str
    bucket: int


class VisitKey(NamedTuple):
    """Of one `Visit`."""

    day: date
    key: str


@dataclass(slots=True)
class VisitNews:
    """What a visit did since the last write."""

    language: str
    device: str
    source: str = ""
    campaign: str = ""
    saw_product: bool = False
    added_to_cart: bool = False
    saw_checkout: bool = False

    def add(self, other: VisitNews) -> None:
        """Add what came later."""
        self.source = self.source or other.source
        self.campaign = self.campaign or other.campaign
        self.saw_product |= other.saw_product
        self.added_to_cart |= other.added_to_cart
        self.saw_checkout |= other.saw_checkout


class Labels:
    """The labels that a day has had, up to the most that it may have."""

    def __init__(self) -> None:
        self._day: date | None = None
        self._known: dict[str, set[str]] = {}

    def limited(self, day: date, measure: Measure, label: str) -> str:
        """Return the label, or `OTHER` when the day has its most others."""
        if day != self._day:
            self._day, self._known = day, {}
        known = self._known.setdefault(measure, set())
        if not label or label in known:
            return label
        if len(known) >= MOST_LABELS[measure]:
            return OTHER
        known.add(label)
        return label


@dataclass(slots=True)
class Batch:
    """Sums to be added to the rows of the database, and how many events found no place."""

    counts: Counter[CountKey] = field(default_factory=Counter)
    vitals: Counter[VitalKey] = field(default_factory=Counter)
    visits: dict[VisitKey, VisitNews] = field(default_factory=dict)
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.counts) + len(self.vitals) + len(self.visits)

    def add_event(self, day: date, key: str, event: Event, labels: Labels) -> None:
        """Count an event of a visit."""
        if len(self) >= MOST_KEYS:
            self.dropped += 1
            return
        page = event.page
        news = VisitNews(page.language, event.device.value)
        match event:
            case PageView():
                label = labels.limited(day, Measure.PAGE_VIEW, page.label)
                self.counts[
                    CountKey(day, Measure.PAGE_VIEW.value, page.language, event.device.value, label)
                ] += 1
                news.source = labels.limited(day, Measure.SOURCE, event.source)
                news.campaign = labels.limited(day, Measure.CAMPAIGN, event.campaign)
                news.saw_product = page.route == _PRODUCT
                news.saw_checkout = page.route == _CHECKOUT
            case CartAddition():
                news.added_to_cart = True
            case Search():
                if event.text:
                    measures = (
                        [Measure.SEARCH] if event.has_results else [Measure.SEARCH, Measure.EMPTY_SEARCH]
                    )
                    for measure in measures:
                        label = labels.limited(day, measure, event.text)
                        self.counts[CountKey(day, measure.value, page.language, "", label)] += 1
        self._add_visit(VisitKey(day, key), news)

    def add_vital(self, day: date, vital: Vital) -> None:
        """Count a measurement."""
        if len(self) >= MOST_KEYS:
            self.dropped += 1
            return
        self.vitals[VitalKey(day, vital.metric.value, vital.page.route, vital.device, vital.bucket)] += 1

    def merge(self, later: Batch) -> None:
        """Add another batch; what has no place is dropped."""
        if len(self) + len(later) > MOST_KEYS:
            self.dropped += sum(later.counts.values()) + sum(later.vitals.values())
            return
        self.counts.update(later.counts)
        self.vitals.update(later.vitals)
        for key, news in later.visits.items():
            self._add_visit(key, news)
        self.dropped += later.dropped

    def _add_visit(self, key: VisitKey, news: VisitNews) -> None:
        known = self.visits.get(key)
        if known is None:
            self.visits[key] = news
        else:
            known.add(news)
