"""`/espace-membre/securite`: password, second factor, passkeys, recovery codes, and where one is signed in."""

from __future__ import annotations

import base64
import time
from typing import cast

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import clear_totp_secret, get_totp_secret
from allauth.mfa.webauthn.internal.auth import begin_registration
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import sessions
from accounts.devices import remember_device
from accounts.forms import OwnPasswordForm
from accounts.models import User
from accounts.notices import leave_notice, take_notice
from accounts.passwords import minimum_length
from accounts.recent_authentication import (
    ask_again,
    is_recent,
    lacks_second_factor,
    prove_fully,
    read_credential,
    require_recent,
)
from accounts.redirects import own_path
from accounts.selectors import second_factors
from accounts.services import second_factor
from accounts.services.signing_in import change_password
from shop.core.clocks import are_over
from shop.core.kept_forms import members_only
from shop.core.problems import Problem, problem_response
from shop.core.row_keys import read_key

CODES_MADE = "recovery_codes_made"
"""Session key: when recovery codes were made here, in seconds of the epoch."""
CODES_SHOWN_SECONDS = 600
AFTER_SET_UP = "after_set_up"
"""Session key: the page that asked for a second factor."""


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


@method_decorator([members_only, sensitive_post_parameters()], name="dispatch")
class PrivateView(View):
    """A page of who is signed in, cached nowhere."""

    http_method_names = ["get", "head", "post"]


class SecurityView(PrivateView):
    """Shows what protects the account; changes the password and ends sessions."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if target := own_path(request.GET.get("next"), ""):
            request.session[AFTER_SET_UP] = target
        return self._page(request, OwnPasswordForm())

    def post(self, request: HttpRequest) -> HttpResponseBase:
        action = request.POST.get("action")
        if action == "password":
            return self._change_password(request)
        if answer := ask_again(request):
            return answer
        match action:
            case "end_session":
                key = read_key(request.POST.get("session", ""))
                if key is not None:
                    sessions.end_session(_user(request), key)
                leave_notice(request, "session_closed")
            case "end_others":
                sessions.end_other_sessions(request, _user(request))
                leave_notice(request, "sessions_closed")
        return redirect("accounts:security")

    def _change_password(self, request: HttpRequest) -> HttpResponseBase:
        form = OwnPasswordForm(request.POST)
        status = 200
        if form.is_valid():
            user = _user(request)
            try:
                prove_fully(request, form.cleaned_data["old_password"])
                change_password(user, form.cleaned_data["password"])
            except Problem as problem:
                form.add_error(
                    "password" if "password" in problem.errors else "old_password",
                    problem.errors.get("password", problem.detail),
                )
                status = 429 if problem.status == 429 else 200
            else:
                key = request.session.session_key
                update_session_auth_hash(request, user)
                sessions.move_session(key, request)
                sessions.end_other_sessions(request, user)
                remember_device(request, user)
                leave_notice(request, "password_changed")
                return redirect("accounts:security")
        return self._page(request, form, status=status)

    def _page(self, request: HttpRequest, form: OwnPasswordForm, status: int = 200) -> HttpResponse:
        user = _user(request)
        return render(
            request,
            "accounts/security.html",
            {
                "form": form,
                "minimum": minimum_length(user),
                "asks_second_factor": lacks_second_factor(request),
                "notice": take_notice(request),
                "sessions": sessions.open_sessions(request, user),
                "factors": second_factors(user),
                "is_missing": user.second_factor_missing,
                "breadcrumbs": [
                    (_("Accueil"), reverse("home")),
                    (_("Espace membre"), reverse("members")),
                    (_("Sécurité"), None),
                ],
            },
            status=status,
        )


class AppView(PrivateView):
    """Adds the authenticator app: its code must be typed once before it counts. Removes it."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if second_factors(_user(request)).app is not None:
            return redirect("accounts:security")
        return ask_again(request) or self._page(request)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        if answer := ask_again(request):
            return answer
        try:
            if request.POST.get("action") == "remove":
                second_factor.remove_factor(_user(request), Authenticator.Type.TOTP)
                leave_notice(request, "totp_removed")
                return redirect("accounts:security")
            codes_made = second_factor.activate_totp(
                _user(request), secret=get_totp_secret(), code=request.POST.get("code", "")
            )
        except Problem as problem:
            if problem.status in (404, 409):
                return redirect("accounts:security")
            return problem.set_headers(self._page(request, problem))
        clear_totp_secret(request)
        return _after_adding(request, Authenticator.Type.TOTP, codes_made)

    def _page(self, request: HttpRequest, refusal: Problem | None = None) -> HttpResponse:
        secret = get_totp_secret()
        adapter = get_adapter()
        url = adapter.build_totp_url(_user(request), secret)
        picture = base64.b64encode(adapter.build_totp_svg(url).encode()).decode()
        return render(
            request,
            "accounts/app.html",
            {
                "refusal": refusal,
                "picture": f"data:image/svg+xml;base64,{picture}",
                "secret": " ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
                "url": url,
            },
            status=429 if refusal and refusal.status == 429 else 200,
        )


class NewPasskeyView(PrivateView):
    """Adds a passkey, which the page's script makes with the browser."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return ask_again(request) or self._page(request)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        # The browser's answer is no proof of who one is: it belongs to the new passkey.
        if not is_recent(request):
            return redirect(reverse("accounts:confirm-identity", query={"next": request.path}))
        try:
            codes_made = second_factor.add_passkey(
                _user(request),
                name=request.POST.get("name", ""),
                credential=read_credential(request.POST.get("credential", "")),
            )
        except Problem as problem:
            return self._page(request, problem)
        return _after_adding(request, Authenticator.Type.WEBAUTHN, codes_made)

    def _page(self, request: HttpRequest, refusal: Problem | None = None) -> HttpResponse:
        name = request.POST.get("name") or second_factor.default_name(_user(request))
        return render(
            request,
            "accounts/new_passkey.html",
            {
                "refusal": refusal,
                "name": name,
                "longest": second_factor.LONGEST_NAME,
            },
        )


@require_POST
@never_cache
@login_required
def new_passkey_options(request: HttpRequest) -> HttpResponseBase:
    """What the browser needs to make a passkey."""
    try:
        require_recent(request)
    except Problem as problem:
        return problem_response(problem)
    return JsonResponse(begin_registration(_user(request), passwordless=True))


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def change_passkey(request: HttpRequest, passkey_id: int) -> HttpResponseBase:
    """Renames a passkey, or removes it."""
    if request.method != "POST":
        # Another language of the page that asks who one is.
        return redirect("accounts:security")
    if answer := ask_again(request):
        return answer
    try:
        if request.POST.get("action") == "remove":
            second_factor.remove_factor(_user(request), Authenticator.Type.WEBAUTHN, passkey_id)
            leave_notice(request, "passkey_removed")
        else:
            second_factor.rename_passkey(_user(request), passkey_id, request.POST.get("name", ""))
            leave_notice(request, "passkey_renamed")
    except Problem:
        # Removed meanwhile, or somebody else's: the page shows what there is.
        pass
    return redirect("accounts:security")


class RecoveryCodesView(PrivateView):
    """Makes new recovery codes, and shows those just made for ten minutes, in the session that made them alone."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        codes = _shown_codes(request)
        if not codes:
            return redirect("accounts:security")
        following = own_path(request.session.get(AFTER_SET_UP), reverse("accounts:security"))
        return render(request, "accounts/recovery_codes.html", {"codes": codes, "following": following})

    def post(self, request: HttpRequest) -> HttpResponseBase:
        if answer := ask_again(request):
            return answer
        try:
            second_factor.make_recovery_codes(_user(request))
        except Problem:
            return redirect("accounts:security")
        request.session[CODES_MADE] = int(time.time())
        return redirect("accounts:recovery-codes")


@members_only
@require_GET
def recovery_codes_file(request: HttpRequest) -> HttpResponseBase:
    """The codes that the page shows, as a file of text."""
    codes = _shown_codes(request)
    if not codes:
        return redirect("accounts:security")
    file_name = _("codes-de-secours")
    heading = _("Codes de secours de %(email)s. Chacun sert une fois.") % {"email": _user(request).email}
    return HttpResponse(
        "\r\n".join([heading, "", *codes, ""]),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file_name}.txt"'},
    )


def _after_adding(request: HttpRequest, factor_type: str, codes_made: bool) -> HttpResponseBase:
    # Adding it proved it: nothing asks for it again in the next minutes.
    record_authentication(request, _user(request), "mfa", type=factor_type)
    if codes_made:
        request.session[CODES_MADE] = int(time.time())
        return redirect("accounts:recovery-codes")
    leave_notice(request, "totp_added" if factor_type == Authenticator.Type.TOTP else "passkey_added")
    return redirect("accounts:security")


def _shown_codes(request: HttpRequest) -> list[str]:
    if are_over(CODES_SHOWN_SECONDS, request.session.get(CODES_MADE, 0)):
        return []
    return second_factor.unused_recovery_codes(_user(request))
