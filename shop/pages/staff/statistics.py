"""`/admin/statistiques`: who visits the shop, where from, how far they go, and how fast its pages are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.dates import MONTHS

from orders.books.receipts import csv_response
from shop.core.charts import HEIGHT, GridLine, Scale, percent
from shop.core.dates import day_in_words
from shop.core.personal_data import period_text
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page
from shop.pages.selectors import statistics as selectors
from shop.statistics.models import Measure
from shop.statistics.selectors import Period, Statistics, Vitals, exported_rows

PERIODS = {"7": "7 jours", "30": "30 jours", "90": "90 jours", "365": "Un an"}
USUAL_PERIOD = "30"
# How many days a bar of the chart stands for.
_DAYS_A_BAR = {"7": 1, "30": 1, "90": 7}
_EXPORT_HEADER = ("Jour", "Mesure", "Langue", "Appareil", "Intitulé", "Nombre")


@dataclass(frozen=True, slots=True)
class Bar:
    """Visits of some days and of the same number of days a period before. Places across are percent, heights and
    places from above pixels."""

    title: str
    short_title: str
    now: int
    before: int
    views: int
    centre: str
    x: str
    before_x: str
    width: str
    y: int
    height: int
    before_y: int
    before_height: int


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars under a scale of round numbers."""

    bars: list[Bar]
    grid: list[GridLine]
    height: int = HEIGHT


@staff_page(StaffAction.SEE_STATISTICS)
def statistics_page(request: HttpRequest) -> HttpResponseBase:
    """`?periode=7|30|90|365&langue=<code>`; the last 30 days in all languages when nothing usable is asked for."""
    chosen, language = _asked(request)
    period = _period(chosen)
    statistics = Statistics(period, language)
    days = statistics.by_day(Measure.VISIT, Measure.PAGE_VIEW)
    visits, views = days[Measure.VISIT], days[Measure.PAGE_VIEW]
    paid = selectors.paid_orders(Period(period.before.first, period.last), language)
    totals = {
        name: (_sum(found, period), _sum(found, period.before))
        for name, found in (("visits", visits), ("views", views), ("paid", paid))
    }
    vitals = Vitals(period)
    context: dict[str, Any] = {
        "periods": PERIODS,
        "chosen": chosen,
        "language": language,
        "languages_to_choose": selectors.LANGUAGES,
        "period": period,
        "is_empty": not (any(totals["visits"]) or any(totals["views"]) or vitals.histograms),
        "totals": totals,
        "chart": _chart(chosen, period, visits, views),
        "funnel": selectors.funnel(statistics, totals["visits"], totals["paid"]),
        "lists": (
            ("pages", "Pages les plus vues", "Pages vues", selectors.pages(statistics)),
            ("provenance", "D'où viennent les visites", "Visites", selectors.sources(statistics)),
            ("campagnes", "Campagnes", "Visites", selectors.campaigns(statistics)),
            ("langues", "Langues", "Visites", selectors.languages(statistics)),
            ("appareils", "Appareils", "Visites", selectors.devices(statistics)),
            ("recherches", "Mots les plus cherchés", "Recherches", selectors.searches(statistics)),
        ),
        "empty_searches": selectors.empty_searches(statistics),
        "vitals": selectors.vital_figures(vitals),
        "vitals_of_pages": selectors.vitals_of_pages(vitals),
        "demonstration_until": statistics.demonstration_until(),
        "stored_for": period_text("statistics_months"),
    }
    return render(request, "staff/statistics.html", context)


@staff_page(StaffAction.SEE_STATISTICS)
def statistics_csv(request: HttpRequest) -> HttpResponseBase:
    """The sums of the period as a file, a line a day and thing."""
    period = _period(_asked(request)[0])
    name = f"statistiques-{period.first:%Y-%m-%d}-{period.last:%Y-%m-%d}"
    measures = dict(Measure.choices)
    rows = (
        (day, str(measures.get(measure, measure)), language, device, label, number)
        for day, measure, language, device, label, number in exported_rows(period)
    )
    return csv_response(name, _EXPORT_HEADER, rows)


def _asked(request: HttpRequest) -> tuple[str, str]:
    period, language = request.GET.get("periode", ""), request.GET.get("langue", "")
    return (
        period if period in PERIODS else USUAL_PERIOD,
        language if language in dict(settings.LANGUAGES) else "",
    )


def _period(chosen: str) -> Period:
    return Period.ending(timezone.localdate(), int(chosen))


def _sum(counts: Mapping[date, int], period: Period) -> int:
    return sum(number for day, number in counts.items() if day in period)


def _chart(chosen: str, period: Period, visits: Counter[date], views: Counter[date]) -> Chart:
    groups = _groups(chosen, period)
    shift = timedelta(days=period.length)

    def of(days: Period, counts: Counter[date], back: timedelta = timedelta(0)) -> int:
        return sum(counts[day - back] for day in days)

    pairs = [(of(days, visits), of(days, visits, shift)) for _title, _short, days in groups]
    scale = Scale.reaching(max(max(pair) for pair in pairs), least_step=1)
    share = Decimal(100) / len(groups)
    width = share * Decimal("0.36")
    bars = []
    for place, ((title, short, days), (now, before)) in enumerate(zip(groups, pairs, strict=True)):
        centre = share * place + share / 2
        bars.append(
            Bar(
                title=title,
                # A phone has place for some six of them.
                short_title=short if place % max(1, -(-len(groups) // 6)) == 0 else "",
                now=now,
                before=before,
                views=of(days, views),
                centre=percent(centre),
                x=percent(centre),
                before_x=percent(centre - width),
                width=percent(width),
                y=HEIGHT - scale.height(now),
                height=scale.height(now),
                before_y=HEIGHT - scale.height(before),
                before_height=scale.height(before),
            )
        )
    return Chart(bars, scale.grid)


def _groups(chosen: str, period: Period) -> list[tuple[str, str, Period]]:
    """Return what a bar stands for: its name, a short one, its days."""
    step = _DAYS_A_BAR.get(chosen)
    if step is None:
        return _months(period)
    groups = []
    last = period.last
    while last >= period.first:
        first = max(period.first, last - timedelta(days=step - 1))
        title = day_in_words(first) if step == 1 else f"du {first:%d/%m} au {last:%d/%m}"
        groups.append((title, f"{first:%d/%m}", Period(first, last)))
        last = first - timedelta(days=1)
    return groups[::-1]


def _months(period: Period) -> list[tuple[str, str, Period]]:
    groups = []
    first = period.first
    while first <= period.last:
        next_month = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
        last = min(period.last, next_month - timedelta(days=1))
        groups.append((f"{MONTHS[first.month]} {first.year}", f"{first:%m/%y}", Period(first, last)))
        first = next_month
    return groups
