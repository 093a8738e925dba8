"""The accounts: the year, its ceilings, the receipts book and its files."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.dates import MONTHS

from orders.books import receipts as book
from orders.books.days import Period, month, quarter, year
from orders.books.turnover import BAR_WIDTH, chart_of, months_of, tax_ceilings, years_with_entries
from orders.stripe.gateway import is_configured
from shop.core.models import ScheduledJob
from shop.core.money import ZERO
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page

FIRST_YEAR, LAST_YEAR = 2000, 2100
ROWS = 100


class PeriodForm(forms.Form):
    """Which part of which year; the year that runs, whole, when nothing usable is asked for."""

    annee = forms.IntegerField(min_value=FIRST_YEAR, max_value=LAST_YEAR)
    partie = forms.ChoiceField(
        choices=[("", "")]
        + [(f"{kind}{n}", "") for kind, most in (("m", 12), ("t", 4)) for n in range(1, most + 1)],
        required=False,
    )
    pas = forms.ChoiceField(choices=[(step.value, step.value) for step in book.Step], required=False)

    def chosen_year(self) -> int:
        """Return the year asked for, else the current one."""
        return int(self.cleaned_data.get("annee") or timezone.localdate().year)

    def chosen_part(self) -> str:
        """Return `m1` to `m12`, `t1` to `t4`, or "" for the whole year."""
        return str(self.cleaned_data.get("partie") or "")

    def period(self) -> Period:
        """Return the days that the form asks for."""
        part, number = self.chosen_part()[:1], int(self.chosen_part()[1:] or 0)
        if part == "m":
            return month(number, self.chosen_year())
        if part == "t":
            return quarter(number, self.chosen_year())
        return year(self.chosen_year())


def _asked(request: HttpRequest) -> PeriodForm:
    form = PeriodForm(request.GET)
    form.is_valid()
    return form


@staff_page(StaffAction.SEE_BOOKS)
def books_page(request: HttpRequest) -> HttpResponseBase:
    """The year in a chart, the ceilings, and what waits for a person."""
    form = _asked(request)
    number = form.chosen_year()
    months = months_of(number)
    turnover = sum((row.net for row in months), ZERO)
    context = {
        "year": number,
        "years": sorted({timezone.localdate().year, number, *years_with_entries()}, reverse=True),
        "months": months,
        "chart": chart_of(months),
        "bar_width": BAR_WIDTH,
        "received": sum((row.received for row in months), ZERO),
        "returned": sum((row.returned for row in months), ZERO),
        "turnover": turnover,
        "ceilings": tax_ceilings(number, turnover=turnover),
        "checked_at": _last_reconciled(),
        "payments_are_on": is_configured(),
        "parts": _parts(),
    }
    return render(request, "staff/books/index.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def receipts_page(request: HttpRequest) -> HttpResponseBase:
    """The receipts book of a period, a hundred lines a page."""
    form = _asked(request)
    period = form.period()
    pages = Paginator(range(book.count_receipts(period)), ROWS)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "period": period,
        "year": form.chosen_year(),
        "part": form.chosen_part(),
        "years": sorted({timezone.localdate().year, form.chosen_year(), *years_with_entries()}, reverse=True),
        "parts": _parts(),
        "page": page,
        "receipts": book.receipts_page(period, offset=max(0, page.start_index() - 1), limit=ROWS),
    }
    return render(request, "staff/books/receipts.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def receipts_csv(request: HttpRequest) -> HttpResponseBase:
    """The same as a file."""
    form = _asked(request)
    period = form.period()
    rows = (receipt.cells for receipt in book.receipts(period))
    return book.csv_response(f"livre-des-recettes-{_name(period)}", book.RECEIPTS_HEADER, rows)


@staff_page(StaffAction.SEE_BOOKS)
def reporting_csv(request: HttpRequest) -> HttpResponseBase:
    """What is reported of sales to consumers, by period, country and rate."""
    form = _asked(request)
    period = form.period()
    step = book.Step(form.cleaned_data.get("pas") or book.Step.MONTH)
    rows = (line.cells for line in book.report(period, step))
    return book.csv_response(f"e-reporting-{_name(period)}", book.REPORT_HEADER, rows)


def _parts() -> list[tuple[str, Any]]:
    """What a period may be: the year, its quarters, its months."""
    return [
        ("", "Toute l'année"),
        *((f"t{n}", f"{n}e trimestre" if n > 1 else "1er trimestre") for n in range(1, 5)),
        *((f"m{n}", MONTHS[n]) for n in range(1, 13)),
    ]


def _name(period: Period) -> str:
    return f"{period.first.isoformat()}_{period.last.isoformat()}"


def _last_reconciled() -> Any:
    row = ScheduledJob.objects.filter(name="reconcile-books").only("last_finished_at").first()
    return row.last_finished_at if row is not None else None
