"""What Stripe pays out, what it keeps, and whether the bank has it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import cast

from django import forms
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from orders.books import payouts as book
from orders.books.receipts import csv_response
from orders.models import BankLine, Payout
from orders.services.reconciliation.bank_statements import (
    StatementLine,
    awaited_payouts,
    close_difference,
    import_statement,
    match_statement,
    read_statement,
)
from orders.staff.base import ask_page, carry_out
from orders.staff.periods import asked_period, asked_years
from shop.core.amounts import localised_amount
from shop.core.money import ZERO
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

MOST_BYTES = 2 * 1024 * 1024
_SALT = "orders.bank-statement"
_READ_FOR_SECONDS = 3600
PARTS = (
    Part("tous", "Tous"),
    Part("a-rapprocher", "À rapprocher", lambda rows: rows.filter(pk__in=awaited_payouts(), closed_at=None)),
)


@staff_page(StaffAction.SEE_BOOKS)
def payouts_page(request: HttpRequest) -> HttpResponseBase:
    """Payouts with what they contain, fees by month, and what differs from the bank's statement."""
    year = asked_period(request).chosen_year()
    rows = staff_list(
        request,
        book.with_bank_lines(Payout.objects.all()),
        PARTS,
        searched=("provider_id", "reference"),
        moment="created_at",
    )
    months = book.fees_of(year)
    context = {
        "list": rows,
        "rows": book.describe_payouts(rows.rows),
        "year": year,
        "years": asked_years(year),
        "parts": [("", "Toute l'année")],
        "months": months,
        "fees": sum((row.fees for row in months), ZERO),
        "paid_out": sum((row.paid_out for row in months), ZERO),
        "late": list(book.late_payouts(timezone.localdate())[:50]),
        "unknown": list(book.unknown_lines()[:50]),
        "keeps": may(request.user, StaffAction.KEEP_BOOKS),
    }
    return render(request, "staff/books/payouts.html", context)


@staff_page(StaffAction.SEE_BOOKS)
def fees_csv(request: HttpRequest) -> HttpResponseBase:
    """Every line of the account of a year, as a file."""
    year = asked_period(request).chosen_year()
    return csv_response(f"compte-stripe-{year}", book.FEES_HEADER, book.movement_cells(year))


class StatementForm(forms.Form):
    """A statement of the bank's, as it exports it."""

    statement = forms.FileField(
        label="Relevé de la banque (CSV)",
        help_text="Le fichier que votre banque exporte. Seules les lignes de Stripe sont gardées, chacune une fois.",
    )

    def clean_statement(self) -> list[StatementLine]:
        file = self.cleaned_data["statement"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(
                "Ce fichier dépasse 2\u00a0Mo\u00a0: exportez une période plus courte."
            )
        try:
            return read_statement(file.read())
        except Problem as problem:
            raise forms.ValidationError(str(problem.detail)) from problem


@staff_page(StaffAction.KEEP_BOOKS, WRITE)
def import_page(request: HttpRequest) -> HttpResponseBase:
    """Read a statement and show what it would do; do it when that is confirmed."""
    back = reverse("staff-payouts")
    if request.method == "POST" and "lines" in request.POST:
        lines = _signed_lines(request.POST["lines"])
        if lines is None:
            messages.error(request, "Cette lecture a expiré\u00a0: envoyez le fichier à nouveau.")
            return redirect("staff-bank-import")
        reading = import_statement(lines=lines, actor=cast(User, request.user))
        messages.success(
            request,
            f"Versements rapprochés\u00a0: {len(reading.matched)}. Lignes à expliquer\u00a0: {len(reading.unmatched)}. "
            f"Déjà connues\u00a0: {reading.known}.",
        )
        return redirect(back)
    form = StatementForm(request.POST or None, request.FILES or None)
    if not form.is_valid():
        return render(request, "staff/books/bank_import.html", {"form": form, "back": back})
    found: list[StatementLine] = form.cleaned_data["statement"]
    reading = match_statement(found)
    kept = [*(line for line, _payout in reading.matched), *reading.unmatched]
    context = {"back": back, "reading": reading, "lines": _sign(kept), "count": len(found)}
    return render(request, "staff/books/bank_import.html", context)


def _sign(lines: list[StatementLine]) -> str:
    """What was read travels through the browser, so that nothing is stored before it is confirmed."""
    rows = [[line.booked_on.isoformat(), line.label, str(line.amount), line.digest] for line in lines]
    return signing.dumps(rows, salt=_SALT, compress=True)


def _signed_lines(text: str) -> list[StatementLine] | None:
    try:
        rows = signing.loads(text, salt=_SALT, max_age=_READ_FOR_SECONDS)
    except signing.BadSignature:
        return None
    return [
        StatementLine(date.fromisoformat(day), label, Decimal(amount), digest)
        for day, label, amount, digest in rows
    ]


class ReasonForm(forms.Form):
    """Why a difference is in order."""

    reason = forms.CharField(
        label="Comment l'écart s'explique-t-il\u00a0?", max_length=300, widget=forms.Textarea({"rows": 3})
    )


@staff_page(StaffAction.KEEP_BOOKS, WRITE)
def close_page(request: HttpRequest, what: str, number: int) -> HttpResponseBase:
    """Ask why a payout or a line of the bank's that has no counterpart is in order."""
    model: type[Payout] | type[BankLine] = BankLine if what == "releve" else Payout
    row: Payout | BankLine | None = model._default_manager.filter(pk=number).first()
    if row is None:
        messages.warning(request, "Cette ligne n'existe pas.")
        return redirect("staff-payouts")
    form = ReasonForm(request.POST if request.method == "POST" else None)
    back = reverse("staff-payouts")
    if form.is_valid():
        reason, actor = form.cleaned_data["reason"], cast(User, request.user)
        if carry_out(request, lambda: close_difference(row=row, reason=reason, actor=actor)):
            return redirect(back)
    return ask_page(
        request,
        title="Clore un écart",
        back=back,
        submit="Clore",
        form=form,
        sentences=[f"{row} · {localised_amount(row.amount)}"],
    )
