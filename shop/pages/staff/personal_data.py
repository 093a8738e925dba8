"""`/admin/donnees-personnelles`: the processing register, who asked to be erased, what the nights deleted."""

from __future__ import annotations

from typing import cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.models import User
from shop.core.email_addresses import EmailAddressField
from shop.core.models import EMAIL_MAX_LENGTH, ShopSettings
from shop.core.personal_data import period_text, retention_rules
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_pages import WRITE, staff_page
from shop.pages.models import Erasure, RetentionRun
from shop.pages.selectors.personal_data import printed_activities
from shop.pages.services.guest_erasures import send_erasure_link

MOST_ROWS = 100


class ErasureLinkForm(forms.Form):
    """The address that somebody wrote from, and the language of the mail."""

    email = EmailAddressField(label="Adresse e-mail", max_length=EMAIL_MAX_LENGTH)
    language = forms.ChoiceField(label="Langue", choices=settings.LANGUAGES)


@staff_page(StaffAction.SEE_SETTINGS)
def register(request: HttpRequest) -> HttpResponseBase:
    """The register of processing activities (GDPR art. 30), to read and to print."""
    context = {"shop": ShopSettings.load(), "activities": printed_activities()}
    return render(request, "staff/personal_data/register.html", context)


@staff_page(StaffAction.SEE_USERS, WRITE)
def erasures(request: HttpRequest) -> HttpResponseBase:
    """Who asked to be erased, and until when. A POST sends a link to somebody who wrote and can't sign in."""
    may_send = may(request.user, StaffAction.SEND_ERASURE_LINK)
    form = ErasureLinkForm(request.POST if may_send and request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            send_erasure_link(actor=cast(User, request.user), **form.cleaned_data)
        except Problem as problem:
            form.add_error("email", problem.detail)
        else:
            messages.success(request, "Le lien est parti.")
            return redirect("staff-erasures")
    context = {"erasures": Erasure.objects.all()[:MOST_ROWS], "form": form, "may_send": may_send}
    return render(request, "staff/personal_data/erasures.html", context)


@staff_page(StaffAction.SEE_SETTINGS)
def nights(request: HttpRequest) -> HttpResponseBase:
    """What the nightly job deleted, the latest night first."""
    rules = {rule.name: (str(rule.label), period_text(rule.period)) for rule in retention_rules()}
    rows = [
        (run, *rules.get(run.rule, (run.rule, "")))
        for run in RetentionRun.objects.order_by("-day", "pk")[:MOST_ROWS]
    ]
    return render(request, "staff/personal_data/nights.html", {"rows": rows})
