"""``/auth``: signing in, signing up, asking for a new password, all of it without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.internal.flows.logout import logout
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from accounts.devices import remember_device
from accounts.forms import AddressForm, CredentialsForm, ForgotForm, NewPasswordForm
from accounts.notices import Notice, leave_notice, leave_toast, take_notice
from accounts.passwords import MEMBER_MINIMUM
from accounts.redirects import own_path
from accounts.services import members, signing_in
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.problems import Problem

RESET_SESSION_KEY = "auth_reset_key"

private = [never_cache, sensitive_post_parameters()]


def _language() -> str:
    return get_language() or settings.LANGUAGE_CODE


def _mailbox_url() -> str:
    """Where mails are read on a machine that sends none; nothing on any other."""
    try:
        return reverse("mailbox")
    except NoReverseMatch:
        return ""


@method_decorator(private, name="dispatch")
class AuthView(View):
    """The page of the tabs sign-in (default) and sign-up and of the forgotten password."""

    http_method_names = ["get", "head", "post"]
    forms: dict[str, type[AddressForm]] = {
        "signin": CredentialsForm,
        "signup": CredentialsForm,
        "forgot": ForgotForm,
    }

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            return redirect(own_path(request.GET.get("next"), self._home()))
        mode = self._mode(request.GET.get("mode"))
        return self._page(request, mode, self.forms[mode](), next_page=request.GET.get("next"))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            return redirect(own_path(request.POST.get("next"), self._home()))
        mode = self._mode(request.POST.get("mode"))
        form = self.forms[mode](request.POST)
        next_page = request.POST.get("next")
        if not form.is_valid():
            return self._page(request, mode, form, next_page=next_page)
        act: Callable[[HttpRequest, dict[str, Any]], HttpResponseBase] = getattr(self, f"_{mode}")
        try:
            return act(request, {**form.cleaned_data, "next": next_page})
        except Problem as problem:
            field = next((name for name in problem.errors if name in form.fields), None)
            form.add_error(field, problem.errors[field] if field else problem.detail)
            status = 429 if problem.status == 429 else 200
            page = self._page(
                request,
                mode,
                form,
                next_page=next_page,
                status=status,
                is_limited=problem.code == "too_many_attempts",
            )
            return problem.set_headers(page)

    def _signin(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponseBase:
        user = signing_in.check_credentials(request, email=data["email"], password=data["password"])
        response = signing_in.sign_in(request, user, redirect_url=own_path(data["next"], self._home()))
        leave_toast(response, "signed_in")
        return response

    def _signup(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponseBase:
        limits.enforce(limits.SIGN_UP_NETWORK, client_address(request))
        members.sign_up(email=data["email"], password=data["password"], language=_language())
        return self._to_sign_in(request, "signed_up", data["next"])

    def _forgot(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponseBase:
        limits.enforce(limits.PASSWORD_RESET_NETWORK, client_address(request))
        members.request_password_reset(email=data["email"], language=_language())
        return self._to_sign_in(request, "reset_sent", data["next"])

    def _to_sign_in(self, request: HttpRequest, notice: str, next_page: str | None) -> HttpResponseRedirect:
        leave_notice(request, notice)
        return redirect(
            reverse("accounts:auth", query={"next": next_page} if own_path(next_page, "") else None)
        )

    def _page(
        self,
        request: HttpRequest,
        mode: str,
        form: AddressForm,
        *,
        next_page: str | None,
        status: int = 200,
        is_limited: bool = False,
    ) -> HttpResponse:
        titles = {
            "signin": (_("Connexion"), _("Erreur de connexion")),
            "signup": (_("Inscription"), _("Erreur d'inscription")),
            "forgot": (_("Mot de passe oublié"), _("Erreur lors de l'envoi de l'email")),
        }
        page_title, error_title = titles[mode]
        return render(
            request,
            "accounts/auth.html",
            {
                "page_title": page_title,
                "error_title": error_title,
                "mode": mode,
                "form": form,
                "next": own_path(next_page, ""),
                "notice": take_notice(request),
                "minimum": MEMBER_MINIMUM,
                "mailbox_url": _mailbox_url(),
                "is_limited": is_limited,
            },
            status=status,
        )

    def _mode(self, mode: str | None) -> str:
        return mode if mode in self.forms else "signin"

    def _home(self) -> str:
        return reverse("home")


@require_GET
@never_cache
def confirm_email(request: HttpRequest, key: str) -> HttpResponseBase:
    """The link of the confirmation mail: confirms, then shows the green notice on ``/auth``."""
    user = members.confirm_email(key=key)
    if request.user.is_authenticated:
        # A member signed up at checkout is here already.
        response = redirect("home")
        leave_toast(response, "confirmed" if user else "bad_confirmation")
        return response
    leave_notice(request, "confirmed" if user else "bad_confirmation")
    return redirect("accounts:auth")


@require_GET
@never_cache
def follow_reset_link(request: HttpRequest, key: str) -> HttpResponseBase:
    """The link of the reset mail: the key moves into the session, so that no page or referrer shows it."""
    if members.user_of_reset_key(key) is None:
        leave_notice(request, "bad_reset")
        response = redirect(reverse("accounts:auth", query={"mode": "forgot"}))
    else:
        request.session[RESET_SESSION_KEY] = key
        response = redirect("accounts:new-password")
    response["Referrer-Policy"] = "no-referrer"
    return response


@method_decorator(private, name="dispatch")
class NewPasswordView(View):
    """Chooses a new password, for whom the reset link of this session belongs to."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if members.user_of_reset_key(request.session.get(RESET_SESSION_KEY, "")) is None:
            return self._refuse(request)
        return self._page(request, NewPasswordForm())

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = NewPasswordForm(request.POST)
        if not form.is_valid():
            return self._page(request, form)
        try:
            user = members.set_password_by_link(
                key=request.session.get(RESET_SESSION_KEY, ""),
                password=form.cleaned_data["password"],
                language=_language(),
            )
        except Problem as problem:
            if problem.code == "invalid_link":
                return self._refuse(request)
            form.add_error("password", problem.errors["password"])
            return self._page(request, form)
        request.session.flush()
        # The mailbox is theirs: whoever locks the account next does not lock them out here.
        remember_device(request, user)
        leave_notice(request, "password_set")
        return redirect("accounts:auth")

    def _refuse(self, request: HttpRequest) -> HttpResponseRedirect:
        request.session.pop(RESET_SESSION_KEY, None)
        leave_notice(request, "bad_reset")
        return redirect(reverse("accounts:auth", query={"mode": "forgot"}))

    def _page(self, request: HttpRequest, form: NewPasswordForm) -> HttpResponse:
        notice = None
        if form.errors:
            mismatch = form.has_error("password_confirmation")
            notice = Notice(
                "error",
                _("Les mots de passe ne correspondent pas")
                if mismatch
                else _("Impossible de mettre à jour le mot de passe"),
            )
        return render(
            request,
            "accounts/new_password.html",
            {
                "page_title": _("Nouveau mot de passe"),
                "form": form,
                "notice": notice,
                "minimum": MEMBER_MINIMUM,
            },
        )


@require_POST
@never_cache
def sign_out(request: HttpRequest) -> HttpResponseBase:
    """Ends the session and goes to the home page, or to ``next`` on this site."""
    logout(request, show_message=False)
    response = redirect(own_path(request.POST.get("next"), reverse("home")))
    leave_toast(response, "signed_out")
    return response
