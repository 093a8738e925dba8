"""`/admin/apparence`: whether the staff area is drawn light or dark, kept by each browser."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts.redirects import own_path
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page

COOKIE = "staff_appearance"
"""Read by `staff/base.html`."""
COOKIE_SECONDS = 365 * 24 * 60 * 60
DARK = "sombre"


@staff_page(StaffAction.SEE_ORDERS, ("POST",))
def choose(request: HttpRequest) -> HttpResponseBase:
    """Remember the choice, and lead back to the page it was made on."""
    response = redirect(own_path(request.POST.get("next"), reverse("staff-home")))
    if request.POST.get("apparence") == DARK:
        response.set_cookie(
            COOKIE,
            DARK,
            max_age=COOKIE_SECONDS,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
