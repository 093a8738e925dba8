"""What makes the shop run, and since when: the page to look at when something seems to stand still."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from shop.core.health import unavailable_services
from shop.core.readings import Reading, read_ages
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page
from shop.watching.durations import in_words
from shop.watching.incidents import SERVICE_ADVICE, SERVICES, past_incidents


@dataclass(frozen=True, slots=True)
class StateRow:
    """A line of the page: what, how it is in words, and what to do where it is red."""

    label: str
    detail: str
    is_late: bool
    advice: str


@staff_page(StaffAction.SEE_JOBS)
def state(request: HttpRequest) -> HttpResponseBase:
    """What is red stands first. As many queries as there are ages, and one."""
    away = unavailable_services()
    rows = [
        StateRow(label, "Ne répond pas" if name in away else "Répond", name in away, SERVICE_ADVICE[name])
        for name, label in SERVICES.items()
    ] + [
        StateRow(reading.of.label, _detail(reading), reading.is_late, reading.of.advice)
        for reading in read_ages(timezone.now())
    ]
    past = [(incident, in_words(incident.lasted)) for incident in past_incidents()]
    context = {
        "rows": sorted(rows, key=lambda row: not row.is_late),
        "late": sum(row.is_late for row in rows),
        "sells": "database" not in away,
        "past": past,
    }
    return render(request, "staff/state.html", context)


def _detail(reading: Reading) -> str:
    """A sign of life is « il y a … »; of what waits, how long it has been waiting."""
    limit = in_words(reading.of.limit)
    if reading.failed:
        return "N'a pas pu être lu"
    if reading.age is None:
        return "Jamais encore" if reading.of.never_is_late else "Rien n'attend"
    passed = in_words(reading.age)
    if reading.of.never_is_late:
        return f"Dernier signe il y a {passed} (limite\u00a0: {limit})"
    return f"Le plus ancien attend depuis {passed} (limite\u00a0: {limit})"
