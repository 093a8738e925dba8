"""The accounts: the year, its ceilings, the receipts book and its files."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from orders.books import receipts as book
from orders.books.turnover import BAR_WIDTH, chart_of, months_of, tax_ceilings
from orders.staff.periods import asked_period, asked_years, period_choices, period_name
from orders.stripe.gateway import is_configured
from shop.core.models import ScheduledJob
from shop.core.money import ZERO
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page

ROWS = 100


@staff_page(StaffAction.SEE_BOOKS)
def books_page(request: HttpRequest) -> HttpResponseBase:
    """The year in a chart, the ceilings, and what waits for a person."""
    form = asked_period(request)
    number = form.chosen_year()
    months = months_of(number)
    turnover = sum((row.net for row in months), ZERO)
    context = {
        "year": number,
        "years": asked_years(number),
        "chart": chart_of(months),
        "bar_width": BAR_WIDTH,
        "received": sum((row.received for row in months), ZERO),
        "returned": sum((row.returned for row in months), ZERO),
        "turnover": turnover,
        "ceilings": tax_ceilings(number),
        "checked_at": _last_reconciled(),
        "payments_are_on": is_configured(),
        "parts": period_choices(),
    }
    return render(request, "staff/books/index.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def receipts_page(request: HttpRequest) -> HttpResponseBase:
    """The receipts book of a period, a hundred lines a page."""
    form = asked_period(request)
    period = form.period()
    pages = Paginator(range(book.count_receipts(period)), ROWS)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "period": period,
        "year": form.chosen_year(),
        "part": form.chosen_part(),
        "years": asked_years(form.chosen_year()),
        "parts": period_choices(),
        "page": page,
        "receipts": book.receipts_page(period, offset=max(0, page.start_index() - 1), limit=ROWS),
    }
    return render(request, "staff/books/receipts.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def receipts_csv(request: HttpRequest) -> HttpResponseBase:
    """The same as a file."""
    form = asked_period(request)
    period = form.period()
    rows = (receipt.cells for receipt in book.receipts(period))
    return book.csv_response(f"livre-des-recettes-{period_name(period)}", book.RECEIPTS_HEADER, rows)


def _last_reconciled() -> Any:
    row = ScheduledJob.objects.filter(name="reconcile-books").only("last_finished_at").first()
    return row.last_finished_at if row is not None else None
