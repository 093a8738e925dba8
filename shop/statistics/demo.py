"""Sixty made-up days, marked as such: what a small shop's statistics look like before Christmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from random import Random

from shop.statistics.batch import CountKey, VitalKey
from shop.statistics.models import DailyCount, DailyVital, Device, Measure, Metric, Step
from shop.statistics.vitals import SCALES

DAYS = 60
_LANGUAGES = {"fr": 70, "en": 14, "de": 10, "es": 6}
_DEVICES = {Device.PHONE: 62, Device.COMPUTER: 32, Device.TABLET: 6}
_SOURCES = {
    "": 38,
    "google.com": 34,
    "instagram.com": 15,
    "pinterest.fr": 6,
    "facebook.com": 4,
    "ecosia.org": 3,
}
_CAMPAIGNS = {"lettre / email / noel": 6, "instagram / social / atelier": 4}
_PAGES = {"home": 34, "catalog:list": 26, "orders:cart": 7, "story": 4, "faq": 3, "contact": 2}
_SEARCHES = {"dragon": 9, "chat": 6, "noël": 5, "samouraï": 4, "loup": 3}
_EMPTY_SEARCHES = {"gargouille": 3, "porte-clés": 2, "ravioli": 1}
_STEPS = {Step.PRODUCT: 58, Step.CART: 9, Step.CHECKOUT: 4}
# The bucket that most measurements fall into, on a phone.
_USUAL = {Metric.LCP: 4, Metric.INP: 3, Metric.CLS: 1, Metric.FCP: 3, Metric.TTFB: 2}
_MEASURED = {"home": 6, "catalog:list": 5, "catalog:product": 9}


def write_days(*, today: date, products: Sequence[int], collections: Sequence[str]) -> None:
    """Write the days before `today`, with these products and collections on their pages; nothing where anything was
    counted already."""
    if DailyCount.objects.exists():
        return
    chance = Random(20)  # noqa: S311 - figures to look at
    pages = {
        **_PAGES,
        **{f"catalog:product/{key}": max(2, 14 - place) for place, key in enumerate(products)},
        **{f"catalog:collection/{slug}": 4 for slug in collections},
    }
    counts: Counter[CountKey] = Counter()
    vitals: Counter[VitalKey] = Counter()
    for back in range(DAYS, 0, -1):
        day = today - timedelta(days=back)
        # More at weekends and towards the end.
        visits = round(
            (38 + (DAYS - back) * 0.9) * (1.35 if day.weekday() >= 5 else 1) * chance.uniform(0.8, 1.2)
        )
        _count_day(counts, chance, day, visits, pages)
        for page, number in _MEASURED.items():
            for metric, usual in _USUAL.items():
                for device, faster in ((Device.PHONE, 0), (Device.COMPUTER, 1)):
                    for _number in range(number):
                        bucket = min(
                            len(SCALES[metric].edges), max(0, round(chance.gauss(usual - faster, 1.2)))
                        )
                        vitals[VitalKey(day, metric.value, page, device.value, bucket)] += 1
    DailyCount.objects.bulk_create(
        (DailyCount(**key._asdict(), count=number, is_demonstration=True) for key, number in counts.items()),
        batch_size=1000,
    )
    DailyVital.objects.bulk_create(
        (DailyVital(**key._asdict(), count=number, is_demonstration=True) for key, number in vitals.items()),
        batch_size=1000,
    )


def _count_day(
    counts: Counter[CountKey], chance: Random, day: date, visits: int, pages: dict[str, int]
) -> None:
    languages = _drawn(chance, _LANGUAGES, visits)
    for language, number in languages.items():
        for device, some in _drawn(chance, _DEVICES, number).items():
            counts[CountKey(day, Measure.VISIT, language, device, "")] += some
        for source, some in _drawn(chance, _SOURCES, number).items():
            counts[CountKey(day, Measure.SOURCE, language, "", source)] += some
        for page, some in _drawn(chance, pages, number * 4).items():
            counts[CountKey(day, Measure.PAGE_VIEW, language, Device.PHONE, page)] += some
        for step, percent in _STEPS.items():
            reached = sum(chance.random() * 100 < percent for _visit in range(number))
            if reached:
                counts[CountKey(day, Measure.STEP, language, "", step)] += reached
    for measure, labels, share in (
        (Measure.CAMPAIGN, _CAMPAIGNS, 12),
        (Measure.SEARCH, _SEARCHES, 9),
        (Measure.EMPTY_SEARCH, _EMPTY_SEARCHES, 40),
    ):
        for label, some in _drawn(chance, labels, visits // share).items():
            counts[CountKey(day, measure, "fr", "", label)] += some
            if measure == Measure.EMPTY_SEARCH:
                counts[CountKey(day, Measure.SEARCH, "fr", "", label)] += some


def _drawn(chance: Random, weights: dict[str, int] | dict[Device, int], number: int) -> Counter[str]:
    """Return how often each was drawn in so many draws, by their weights."""
    names = [str(name) for name in weights]
    return Counter(chance.choices(names, list(weights.values()), k=number))
