"""Returns of the seller: each by its period, as a page and as a file, with the day until which it is filed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import cast

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone

from accounts.models import User
from orders.books import fec, oss, urssaf
from orders.books.days import Period, period_named, quarter
from orders.books.entries import JOURNALS, entries
from orders.books.filing import note_corrected, note_filed
from orders.books.receipts import csv_response
from orders.books.reporting import (
    BUSINESS_HEADER,
    REPORT_HEADER,
    Reading,
    business_sales,
    report,
    whole_steps,
)
from orders.models import ReturnKind
from orders.staff.periods import (
    asked_period,
    asked_years,
    part_of,
    period_choices,
    period_name,
    period_query,
)
from shop.core.models import ShopSettings
from shop.core.money import ZERO
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import WRITE, staff_page

STEPS = (
    ("jour", "jour"),
    ("decade", "décade"),
    ("mois", "mois"),
    ("bimestre", "deux mois"),
    ("trimestre", "trimestre"),
)


@staff_page(StaffAction.SEE_BOOKS)
def oss_page(request: HttpRequest) -> HttpResponseBase:
    """The return of a quarter: sales by country and rate, corrections of earlier quarters."""
    waiting = oss.quarters_to_declare(timezone.localdate())
    number, year = _quarter(request, waiting)
    found = oss.oss_return(number, year)
    is_filed = oss.is_filed(ReturnKind.OSS, found.period)
    settings, last = ShopSettings.load(), quarter(number, year).last
    is_registered = settings.is_oss_registered(last)
    context = {
        "found": found,
        "year": year,
        "part": f"t{number}",
        "years": asked_years(year),
        "quarters": [(f"t{n}", f"{n}e trimestre" if n > 1 else "1er trimestre") for n in range(1, 5)],
        "is_filed": is_filed,
        "is_registered": is_registered,
        "registered_from": settings.oss_from if settings.oss_number.strip() else None,
        # Who is not registered and sold nothing that is taxed elsewhere files nothing.
        "is_due": bool(is_registered or is_filed or found.lines or found.corrections),
        "has_ended": last < timezone.localdate(),
        "kind": ReturnKind.OSS.value,
        "waiting": [(oss.quarter_name(row.first), period_query(row)) for row in waiting],
    }
    return render(request, "staff/books/oss.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def oss_csv(request: HttpRequest) -> HttpResponseBase:
    """The same as a file."""
    found = oss.oss_return(*_quarter(request, oss.quarters_to_declare(timezone.localdate())))
    return csv_response(f"oss-{found.period}", oss.OSS_HEADER, oss.oss_cells(found))


@staff_page(StaffAction.KEEP_BOOKS, WRITE)
def filed_page(request: HttpRequest, kind: str, period: str) -> HttpResponseBase:
    """Note a return as filed, as corrected since it was, or as not filed after all."""
    back = redirect("staff-oss" if kind == ReturnKind.OSS else "staff-urssaf")
    days = period_named(period)
    if request.method != "POST" or kind not in ReturnKind.values or days is None:
        return back
    answer, of_kind = request.POST.get("deposee"), ReturnKind(kind)
    actor, seen_at = cast(User, request.user), _seen_at(request)
    if answer in ("oui", "corrigee") and days.last >= timezone.localdate():
        messages.error(request, "Cette période n'est pas terminée\u00a0: elle ne se déclare pas encore.")
        return back
    if answer == "corrigee":
        note_corrected(kind=of_kind, period=period, actor=actor, seen_at=seen_at)
    else:
        filed = answer == "oui"
        note_filed(kind=of_kind, period=period, filed=filed, actor=actor, seen_at=seen_at)
    messages.success(request, "C'est noté.")
    return back


def _seen_at(request: HttpRequest) -> datetime | None:
    """When the page was made whose amounts were filed: what the shop learned of since is in none of them."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(request.POST.get("seen_at", ""))
        return moment if timezone.is_aware(moment) else None
    return None


@staff_page(StaffAction.SEE_BOOKS)
def reporting_page(request: HttpRequest) -> HttpResponseBase:
    """What is reported of sales to consumers by one reading, and the sales to businesses beside it."""
    form = asked_period(request)
    step, reading = form.step(), form.reading()
    period = whole_steps(form.period(), step)
    context = {
        "period": period,
        "year": form.chosen_year(),
        "part": form.chosen_part(),
        "years": asked_years(form.chosen_year()),
        "parts": period_choices(),
        "step": step,
        "steps": STEPS,
        "reading": reading,
        "readings": list(Reading),
        "lines": report(period, step, reading),
        "businesses": business_sales(period),
    }
    return render(request, "staff/books/reporting.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def reporting_csv(request: HttpRequest) -> HttpResponseBase:
    """The same as a file; with `clients=entreprises` the sales to businesses."""
    form = asked_period(request)
    period = whole_steps(form.period(), form.step())
    if request.GET.get("clients") == "entreprises":
        sales = (sale.cells for sale in business_sales(period))
        return csv_response(f"ventes-aux-entreprises-{period_name(period)}", BUSINESS_HEADER, sales)
    reading = form.reading()
    rows = (line.cells for line in report(period, form.step(), reading))
    return csv_response(f"e-reporting-{reading}-{period_name(period)}", REPORT_HEADER, rows)


@staff_page(StaffAction.SEE_BOOKS)
def urssaf_page(request: HttpRequest) -> HttpResponseBase:
    """Turnover collected by period of a year, and the return that is due."""
    seen_at = timezone.now()
    form = asked_period(request)
    year = form.chosen_year()
    rows = urssaf.declarations(year)
    ended = urssaf.ended_periods(timezone.localdate())
    waiting = urssaf.to_declare(ended)
    chosen = next((row for row in ended if row.days == form.period()), None) or (waiting or ended[-1:])[0]
    its_year, own = chosen.days.last.year, part_of(chosen.days)
    of_its_year = rows if its_year == year else urssaf.declarations(its_year)
    context = {
        "rows": rows,
        "found": next(row for row in of_its_year if row.period == chosen.name),
        "ended": chosen,
        "year": year,
        "years": asked_years(year),
        "part": form.chosen_part(),
        "parts": [(value, label) for value, label in period_choices() if value[:1] in ("", own[0])],
        "rate": ShopSettings.load().urssaf_rate,
        "is_filed": oss.is_filed(ReturnKind.URSSAF, chosen.name),
        "waiting": [(row.name, period_query(row.days)) for row in waiting],
        "changed": urssaf.changed_returns(),
        "seen_at": seen_at.isoformat(),
        "kind": ReturnKind.URSSAF.value,
    }
    return render(request, "staff/books/urssaf.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def urssaf_csv(request: HttpRequest) -> HttpResponseBase:
    """The same as a file."""
    year = asked_period(request).chosen_year()
    rows = urssaf.urssaf_cells(urssaf.declarations(year))
    return csv_response(f"urssaf-{year}", urssaf.URSSAF_HEADER, rows)


@staff_page(StaffAction.SEE_BOOKS)
def entries_page(request: HttpRequest) -> HttpResponseBase:
    """The entries of a year by journal, and their file."""
    year = asked_period(request).chosen_year()
    counts: Counter[str] = Counter()
    debits: defaultdict[str, Decimal] = defaultdict(lambda: ZERO)
    for entry in entries(year):
        counts[entry.journal] += 1
        debits[entry.journal] += sum((line.amount for line in entry.lines if line.amount > 0), ZERO)
    shop = ShopSettings.load()
    context = {
        "year": year,
        "years": asked_years(year),
        "parts": [("", "Toute l'année")],
        "journals": [
            (code, label, counts[code], debits[code]) for code, label in JOURNALS.items() if counts[code]
        ],
        "name": fec.fec_name(shop.siret, year),
        "lacks_siret": not shop.siret.strip(),
    }
    return render(request, "staff/books/entries.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def entries_file(request: HttpRequest) -> HttpResponseBase:
    """The file for the tax administration."""
    return fec.fec_response(asked_period(request).chosen_year())


def _quarter(request: HttpRequest, waiting: Sequence[Period]) -> tuple[int, int]:
    """The quarter that is asked for, else the first that waits, else the last."""
    form = asked_period(request)
    part = form.chosen_part()
    if part.startswith("t"):
        return int(part[1:]), form.chosen_year()
    return (
        (waiting[0].last.month // 3, waiting[0].last.year)
        if waiting
        else oss.last_quarter(timezone.localdate())
    )
