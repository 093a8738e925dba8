"""Which part of which year a page of the accounts shows."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dates import MONTHS
from django.utils.functional import Promise

from orders.books.days import Period, month, quarter, year
from orders.books.reporting import Reading, Step
from orders.books.turnover import years_with_entries
from shop.core.models import ShopSettings

FIRST_YEAR, LAST_YEAR = 2000, 2100


class PeriodForm(forms.Form):
    """Which part of which year; the year that runs, whole, when nothing usable is asked for."""

    annee = forms.IntegerField(min_value=FIRST_YEAR, max_value=LAST_YEAR)
    partie = forms.ChoiceField(
        choices=[("", "")]
        + [(f"{kind}{n}", "") for kind, most in (("m", 12), ("t", 4)) for n in range(1, most + 1)],
        required=False,
    )
    lecture = forms.ChoiceField(choices=[(each.value, each.label) for each in Reading], required=False)
    pas = forms.ChoiceField(choices=[(step.value, step.value) for step in Step], required=False)

    def chosen_year(self) -> int:
        """Return the year asked for, else the current one."""
        return int(self.cleaned_data.get("annee") or timezone.localdate().year)

    def chosen_part(self) -> str:
        """Return `m1` to `m12`, `t1` to `t4`, or "" for the whole year."""
        return str(self.cleaned_data.get("partie") or "")

    def step(self) -> Step:
        """Return what a line covers: as asked, else as the shop's settings say."""
        return Step(self.cleaned_data.get("pas") or ShopSettings.load().reporting_step)

    def reading(self) -> Reading:
        """Return which facts are added up; those of goods unless asked."""
        return Reading(self.cleaned_data.get("lecture") or Reading.TRANSACTIONS)

    def period(self) -> Period:
        """Return the days that the form asks for."""
        part, number = self.chosen_part()[:1], int(self.chosen_part()[1:] or 0)
        if part == "m":
            return month(number, self.chosen_year())
        if part == "t":
            return quarter(number, self.chosen_year())
        return year(self.chosen_year())


def asked_period(request: HttpRequest) -> PeriodForm:
    """Return the form of an address, read: what it can't use counts as not asked."""
    form = PeriodForm(request.GET)
    form.is_valid()
    return form


def period_name(period: Period) -> str:
    """Return how a file names its days."""
    return f"{period.first.isoformat()}_{period.last.isoformat()}"


def part_of(period: Period) -> str:
    """Return the part of its year, `m1` to `m12` or `t1` to `t4`, that a month or quarter is."""
    month_number = period.last.month
    return f"m{month_number}" if period.first.month == month_number else f"t{month_number // 3}"


def period_query(period: Period) -> str:
    """Return how an address asks for a month or quarter."""
    return f"annee={period.last.year}&partie={part_of(period)}"


def asked_years(number: int) -> list[int]:
    """Return the years that may be chosen, newest first: the current one, `number`, and those of the ledger. One
    query."""
    return sorted({timezone.localdate().year, number, *years_with_entries()}, reverse=True)


def period_choices() -> list[tuple[str, str | Promise]]:
    """Return what a period may be: the year, its quarters, its months."""
    return [
        ("", "Toute l'année"),
        *((f"t{n}", f"{n}e trimestre" if n > 1 else "1er trimestre") for n in range(1, 5)),
        *((f"m{n}", MONTHS[n]) for n in range(1, 13)),
    ]
