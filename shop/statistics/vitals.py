"""Web vitals as compact histograms: which bucket a measurement falls into, and what three out of four stay below.

The limits of « good » and « poor » are edges of buckets, so that a rating is exact; what lies between is interpolated.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from shop.statistics.models import Metric

SHARE = 0.75
"""Of the measurements that must stay below a limit (the 75th percentile)."""


class Rating(StrEnum):
    """How a value is judged."""

    GOOD = "good"
    NEEDS_IMPROVEMENT = "needs-improvement"
    POOR = "poor"


@dataclass(frozen=True, slots=True)
class Scale:
    """Of one metric: good up to `good`, poor beyond `poor`, and the upper edges of its buckets (milliseconds; the
    layout shift has no unit). What is beyond the last edge is a bucket more."""

    good: float
    poor: float
    edges: tuple[float, ...]

    def rate(self, value: float) -> Rating:
        """Return the rating of a value."""
        if value <= self.good:
            return Rating.GOOD
        return Rating.NEEDS_IMPROVEMENT if value <= self.poor else Rating.POOR


SCALES: Mapping[Metric, Scale] = {
    Metric.LCP: Scale(
        2500, 4000, (400, 800, 1200, 1600, 2000, 2500, 3000, 3500, 4000, 5000, 6000, 8000, 12000, 20000)
    ),
    Metric.INP: Scale(200, 500, (25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 700, 1000, 2000, 5000)),
    Metric.CLS: Scale(
        0.1, 0.25, (0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 1, 2)
    ),
    Metric.FCP: Scale(
        1800, 3000, (300, 600, 900, 1200, 1500, 1800, 2200, 2600, 3000, 4000, 5000, 7000, 10000, 20000)
    ),
    Metric.TTFB: Scale(400, 800, (50, 100, 200, 300, 400, 600, 800, 1200, 1800, 2500, 4000, 6000, 10000)),
}
# A tab that lay in the background for an hour says nothing of the shop.
_MOST = {metric: scale.edges[-1] * 3 for metric, scale in SCALES.items()}


def bucket_of(metric: Metric, value: float) -> int | None:
    """Return the bucket of a measurement; None for one that nothing can have measured."""
    # Also false for NaN.
    if not 0 <= value <= _MOST[metric]:
        return None
    return bisect_left(SCALES[metric].edges, value)


def percentile(metric: Metric, buckets: Mapping[int, int]) -> float | None:
    """Return the value that `SHARE` of the measurements stay at or below; None without any."""
    total = sum(buckets.values())
    if not total:
        return None
    edges = (*SCALES[metric].edges, _MOST[metric])
    wanted, seen = total * SHARE, 0
    for bucket in sorted(buckets):
        count = buckets[bucket]
        if count and seen + count >= wanted:
            low, high = edges[bucket - 1] if bucket else 0.0, edges[min(bucket, len(edges) - 1)]
            return low + (high - low) * (wanted - seen) / count
        seen += count
    return float(edges[-1])
