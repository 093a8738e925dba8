"""`/espace-membre/donnees`: the archive of one's own data, and the erasure of one's account; `/effacement`: the same
for who can't sign in."""

from __future__ import annotations

import uuid
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.exceptions import NotAuthenticated

from accounts.models import User
from accounts.recent_authentication import lacks_second_factor, prove_fully
from accounts.services.members import is_last_admin
from catalog.selectors.addresses import in_each_language
from shop.core.errors import DeadLink
from shop.core.file_storage import private_storage
from shop.core.kept_forms import members_only
from shop.core.languages import active_language
from shop.core.personal_data import period_text
from shop.core.problems import Problem
from shop.pages.models import DataExport
from shop.pages.selectors.personal_data import (
    asked_erasure,
    blocked_member,
    current_export,
    erasure_of,
    erasure_of_address,
    kept_after_erasure,
    open_matters,
    person_of,
    person_of_address,
    printed_activities,
    ready_export,
)
from shop.pages.services.data_exports import request_export
from shop.pages.services.erasures import (
    cancel_erasure,
    cancel_erasure_by_link,
    request_erasure,
    request_erasure_by_link,
)
from shop.pages.services.guest_erasures import address_of_link

# While an archive is made the page asks again by itself, without a script.
REFRESH_SECONDS = 5


class ErasureForm(forms.Form):
    """The password once more. It is never trimmed: a space may be part of it."""

    password = forms.CharField(required=False, strip=False, widget=forms.PasswordInput)


@members_only
@require_safe
def data_page(request: HttpRequest) -> HttpResponse:
    """What is held, the archive and its progress, the erasure."""
    return _page(request, ErasureForm())


@members_only
@require_POST
def export_request(request: HttpRequest) -> HttpResponseBase:
    """Start an archive."""
    try:
        request_export(user=_member(request), language=active_language())
    except Problem as problem:
        page = _page(request, ErasureForm(), status=problem.status, export_refusal=problem.detail)
        return problem.set_headers(page)
    return HttpResponseRedirect(reverse("members-data"), status=303)


@members_only
@require_safe
def export_file(request: HttpRequest, key: uuid.UUID) -> HttpResponseBase:
    """The archive, to its member alone; 404 for anybody else and once its time is over."""
    return _archive(ready_export(_member(request).pk, key))


def _archive(export: DataExport | None) -> FileResponse:
    storage = private_storage()
    if export is None or not storage.exists(export.file):
        raise Http404
    name = _("mes-donnees-%(day)s.zip") % {"day": f"{export.requested_at:%Y-%m-%d}"}
    return FileResponse(
        storage.open(export.file), as_attachment=True, filename=name, content_type="application/zip"
    )


@members_only
@sensitive_post_parameters("password")
@require_http_methods(["POST"])
def erasure_request(request: HttpRequest) -> HttpResponseBase:
    """Register the erasure with the member's password and second factor, or with `cancel` take it back."""
    user = _member(request)
    if "cancel" in request.POST:
        cancel_erasure(user=user)
        return HttpResponseRedirect(f"{reverse('members-data')}#effacement", status=303)
    form = ErasureForm(request.POST)
    form.is_valid()
    try:
        prove_fully(request, form.cleaned_data.get("password", ""))
        request_erasure(user=user, language=active_language())
    except Problem as problem:
        form.add_error("password", problem.detail)
        page = _page(request, form, status=429 if problem.status == 429 else 200)
        return problem.set_headers(page)
    return HttpResponseRedirect(f"{reverse('members-data')}#effacement", status=303)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def erasure_link(request: HttpRequest) -> HttpResponseBase:
    """`/effacement?cle=`: the link that somebody received who can't sign in, without an account or with a blocked one;
    nothing happens before they press, and `cancel` takes an erasure back until it begins. `export` starts an archive,
    and `archive` is it."""
    known = address_of_link(request.GET.get("cle", "")[:1000])
    if known is None:
        raise DeadLink("errors/404-erasure.html")
    email, language = known
    member = blocked_member(email)
    is_closed = member is not None and member.is_closed
    # An archive is an account's, or an address's.
    whose = (0, email) if member is None else (member.pk, "")
    export = None if is_closed else current_export(*whose)
    if export is not None and "archive" in request.GET:
        return _archive(ready_export(export.user_key, export.pk, export.email))
    here = f"{request.path}?{urlencode({'cle': request.GET['cle']}, safe=':')}"
    refusals, status = {"refusal": "", "export_refusal": ""}, 200
    if request.method == "POST":
        try:
            if "export" in request.POST:
                if not is_closed:
                    request_export(user=member, language=language, email=whose[1])
            elif "cancel" in request.POST:
                cancel_erasure_by_link(email=email)
            else:
                request_erasure_by_link(email=email, language=language)
        except Problem as problem:
            refusals["export_refusal" if "export" in request.POST else "refusal"] = problem.detail
            status = problem.status
        except NotAuthenticated:
            # Erased at this moment, as the page says.
            pass
        if not any(refusals.values()):
            return HttpResponseRedirect(here, status=303)
    person = person_of_address(email)
    is_refreshed = export is not None and export.is_under_way and request.method != "POST"
    context: dict[str, Any] = {
        "email": email,
        "has_account": bool(person.key),
        "has_archive": not is_closed,
        "export": export,
        "export_days": period_text("export_days"),
        "is_refreshed": is_refreshed,
        "page_url": here,
        "file_url": f"{here}&archive",
        **refusals,
        "erasure": asked_erasure(erasure_of_address(email)),
        "erasure_days": period_text("erasure_days"),
        "matters": open_matters(person),
        "kept": kept_after_erasure(),
        "legal_period": period_text("invoices_years"),
    }
    response = render(request, "pages/erasure_link.html", context, status=status)
    if is_refreshed:
        response["Refresh"] = str(REFRESH_SECONDS)
    # The address of the page is a key.
    response["Referrer-Policy"] = "same-origin"
    return response


def _page(
    request: HttpRequest, form: ErasureForm, *, status: int = 200, export_refusal: str = ""
) -> HttpResponse:
    user = _member(request)
    export = current_export(user.pk)
    # Never while a password is typed.
    is_typed = request.method == "POST" or "effacer" in request.GET
    is_refreshed = export is not None and export.is_under_way and not is_typed
    context: dict[str, Any] = {
        "export": export,
        "is_refreshed": is_refreshed,
        "export_refusal": export_refusal,
        "export_days": period_text("export_days"),
        "erasure": asked_erasure(erasure_of(user.pk)),
        "erasure_days": period_text("erasure_days"),
        "matters": open_matters(person_of(user)),
        "is_last_admin": is_last_admin(user),
        "asks_second_factor": lacks_second_factor(request),
        "activities": printed_activities(),
        "kept": kept_after_erasure(),
        "legal_period": period_text("invoices_years"),
        "form": form,
        # Those of the page, also where the address takes forms alone.
        "alternates": in_each_language(lambda: reverse("members-data")),
        "breadcrumbs": [
            (_("Accueil"), reverse("home")),
            (_("Espace membre"), reverse("members")),
            (_("Mes données"), None),
        ],
    }
    response = render(request, "pages/members_data.html", context, status=status)
    if is_refreshed:
        response["Refresh"] = str(REFRESH_SECONDS)
    return response


def _member(request: HttpRequest) -> User:
    return cast(User, request.user)
