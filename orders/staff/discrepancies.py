"""What reconciliation found between ledger and provider; resolved with an explanation, several at once if need be."""

from __future__ import annotations

from typing import cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import User
from orders.models import Discrepancy
from orders.services.reconciliation.discrepancies import resolve_discrepancy
from orders.staff.base import ask_page, row_number
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_lists import PAGE_SIZE, Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

PARTS = (
    Part("ouverts", "Ouverts", lambda rows: rows.filter(resolved_at=None)),
    Part("regles", "Réglés", lambda rows: rows.exclude(resolved_at=None)),
    Part("tous", "Tous"),
)
SEARCHED = ("provider_id", "order__reference", "detail")


class ResolutionForm(forms.Form):
    """Why a difference is in order."""

    how = forms.CharField(
        label="Comment l'écart s'explique-t-il\u00a0?", max_length=300, widget=forms.Textarea({"rows": 3})
    )


@staff_page(StaffAction.SEE_BOOKS)
def discrepancies_page(request: HttpRequest) -> HttpResponseBase:
    """Differences, newest first, to be ticked and explained."""
    rows = Discrepancy.objects.select_related("order")
    context = {
        "list": staff_list(request, rows, PARTS, searched=SEARCHED, moment="found_at"),
        "resolves": may(request.user, StaffAction.RESOLVE_DISCREPANCY),
    }
    return render(request, "staff/books/discrepancies.html", context)


@staff_page(StaffAction.RESOLVE_DISCREPANCY, WRITE)
def resolve_page(request: HttpRequest) -> HttpResponseBase:
    """Ask why first: the answer stays with the discrepancy and in the order's journal."""
    asked = [row_number(key) for key in request.GET.getlist("ecart")[:PAGE_SIZE]]
    waiting = Discrepancy.objects.filter(pk__in=asked, resolved_at=None).select_related("order")
    chosen = list(waiting.order_by("pk"))
    back = reverse("staff-discrepancies")
    if not chosen:
        messages.warning(request, "Aucun des écarts choisis n'est ouvert.")
        return redirect(back)
    form = ResolutionForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return ask_page(
            request,
            title="Régler des écarts",
            back=back,
            submit="Marquer comme réglés",
            form=form,
            template="staff/books/resolve.html",
            discrepancies=chosen,
        )
    done = 0
    for discrepancy in chosen:
        try:
            resolve_discrepancy(
                discrepancy_id=discrepancy.pk, how=form.cleaned_data["how"], actor=cast(User, request.user)
            )
            done += 1
        except Problem as problem:
            messages.error(request, problem.detail)
    messages.success(request, f"{done} écarts réglés." if done > 1 else f"{done} écart réglé.")
    return redirect(back)
