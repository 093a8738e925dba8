"""Histograms of web vitals: their limits are exact, and the value between them is sound."""

from __future__ import annotations

import pytest

from shop.statistics.models import Metric
from shop.statistics.vitals import SCALES, Rating, bucket_of, percentile


@pytest.mark.parametrize(
    ("measurements", "value"), [({0: 4}, 300), ({0: 2, 5: 2}, 2250), ({5: 3, 14: 1}, 2500), ({}, None)]
)
def test_three_quarters_of_the_measurements(measurements: dict[int, int], value: float | None) -> None:
    assert percentile(Metric.LCP, measurements) == value


@pytest.mark.parametrize(
    ("metric", "good", "poor"),
    [("LCP", 2500, 4000), ("INP", 200, 500), ("CLS", 0.1, 0.25), ("FCP", 1800, 3000), ("TTFB", 400, 800)],
)
def test_limits_are_edges_of_buckets(metric: str, good: float, poor: float) -> None:
    scale = SCALES[Metric(metric)]
    assert (scale.good, scale.poor) == (good, poor)
    assert {good, poor} <= set(scale.edges)
    assert list(scale.edges) == sorted(set(scale.edges))
    assert [scale.rate(value) for value in (good, good * 1.01, poor, poor * 1.01)] == [
        Rating.GOOD,
        Rating.NEEDS_IMPROVEMENT,
        Rating.NEEDS_IMPROVEMENT,
        Rating.POOR,
    ]
    assert bucket_of(Metric(metric), good) != bucket_of(Metric(metric), good * 1.01)


def test_what_nothing_can_have_measured_has_no_bucket() -> None:
    assert [bucket_of(Metric.LCP, value) for value in (-1, 60_001, float("nan"), float("inf"))] == [None] * 4
    assert (bucket_of(Metric.LCP, 0), bucket_of(Metric.LCP, 60_000)) == (0, 14)
