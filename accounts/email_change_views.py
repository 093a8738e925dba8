"""Where the two mails of a change of address lead. They may be opened in any browser, signed in or not."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.notices import end_with_notice
from accounts.services.email_changes import (
    confirm_email_change,
    email_change_of_key,
    refuse_email_change,
)
from shop.core.problems import Problem

SESSION_KEY = "email_change_key"


@require_GET
@never_cache
def follow_email_change_link(request: HttpRequest, key: str) -> HttpResponseBase:
    """The link of a mail: the key moves into the session, so that no page or referrer shows it, and nothing is agreed
    yet: programs that look through mails open links too."""
    if email_change_of_key(key) is None:
        return _refuse(request)
    request.session[SESSION_KEY] = key
    response = redirect("accounts:email-change")
    response["Referrer-Policy"] = "no-referrer"
    return response


@method_decorator(never_cache, name="dispatch")
class EmailChangeView(View):
    """Asks whether the change is wanted, and says what came of it. Without JavaScript."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        found = email_change_of_key(self._key(request))
        if found is None:
            return _refuse(request)
        change, mailbox = found
        context = {
            "page_title": _("Changement d'adresse e-mail"),
            "new_email": change.new_email,
            "mailbox": mailbox.value,
            "is_confirmed": getattr(change, f"{mailbox.value}_confirmed_at") is not None,
        }
        return render(request, "accounts/email_change.html", context)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        key = self._key(request)
        try:
            if "refuse" in request.POST:
                refuse_email_change(key=key)
                outcome = "refused"
            else:
                outcome = confirm_email_change(key=key).value
        except Problem:
            return _refuse(request)
        request.session.pop(SESSION_KEY, None)
        context = {"page_title": _("Changement d'adresse e-mail"), "outcome": outcome}
        return render(request, "accounts/email_change.html", context)

    def _key(self, request: HttpRequest) -> str:
        return str(request.session.get(SESSION_KEY, ""))


def _refuse(request: HttpRequest) -> HttpResponseBase:
    request.session.pop(SESSION_KEY, None)
    return end_with_notice(request, "bad_email_change")
