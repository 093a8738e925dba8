"""Where the two mails of a change of address lead. They may be opened in any browser, signed in or not."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.link_keys import close_link, link_key, link_mark, open_link
from accounts.notices import end_with_notice
from accounts.services.email_changes import (
    confirm_email_change,
    email_change_of_key,
    refuse_email_change,
)
from shop.core.problems import Problem

KIND = "email_change_keys"


@require_GET
@never_cache
def follow_email_change_link(request: HttpRequest, key: str) -> HttpResponseBase:
    """The link of a mail. Nothing is agreed yet: programs that look through mails open links too."""
    if email_change_of_key(key) is None:
        return end_with_notice(request, "bad_email_change")
    return open_link(request, KIND, key, "accounts:email-change")


@method_decorator(never_cache, name="dispatch")
class EmailChangeView(View):
    """Asks whether the change is wanted, and says what came of it. Without JavaScript."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        key = link_key(request, KIND)
        found = email_change_of_key(key)
        if found is None:
            return _refuse(request)
        change, mailbox = found
        context = {
            "page_title": _("Changement d'adresse e-mail"),
            "link": link_mark(key),
            "new_email": change.new_email,
            "is_confirmed": getattr(change, f"{mailbox.value}_confirmed_at") is not None,
        }
        return render(request, "accounts/email_change.html", context)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        key = link_key(request, KIND)
        try:
            if "refuse" in request.POST:
                refuse_email_change(key=key)
                outcome = "refused"
            else:
                outcome = confirm_email_change(key=key).value
        except Problem:
            return _refuse(request)
        close_link(request, KIND)
        context = {"page_title": _("Changement d'adresse e-mail"), "outcome": outcome}
        return render(request, "accounts/email_change.html", context)


def _refuse(request: HttpRequest) -> HttpResponseBase:
    close_link(request, KIND)
    return end_with_notice(request, "bad_email_change")
