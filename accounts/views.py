"""``/auth``: signing in, signing up, asking for a new password, all of it without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.internal.flows.logout import logout
from django.contrib.auth import SESSION_KEY as SIGNED_IN
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from accounts.devices import remember_device
from accounts.forms import AddressForm, CredentialsForm, ForgotForm, NewPasswordForm
from accounts.link_keys import close_link, link_key, link_mark, open_link
from accounts.models import SignUp
from accounts.notices import Notice, end_with_notice, leave_notice, leave_toast, take_notice
from accounts.passwords import MEMBER_MINIMUM, minimum_length
from accounts.redirects import own_path
from accounts.services import members, signing_in, signing_up
from accounts.sign_ups import forget_sign_up, remember_sign_up, remembered_sign_up, sign_up_of_key
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.kept_forms import keeps_form
from shop.core.languages import active_language
from shop.core.problems import Problem

RESETS = "auth_reset_keys"
CONFIRMATIONS = "auth_confirmation_keys"

private = [never_cache, sensitive_post_parameters()]


def _mailbox_url() -> str:
    """Return where mails are read on a machine that sends none; nothing on any other."""
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
        mode = self._mode(request.GET.get("mode"))
        if request.user.is_authenticated:
            # Mails that tell of a new device lead here, for another password.
            password = f"{reverse('accounts:security')}#mot-de-passe"
            home = password if mode == "forgot" else self._home()
            return redirect(own_path(request.GET.get("next"), home))
        return self._page(request, mode, self.forms[mode](), next_page=request.GET.get("next"))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        mode = self._mode(request.POST.get("mode"))
        if request.user.is_authenticated and mode != "forgot":
            return redirect(own_path(request.POST.get("next"), self._home()))
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
        if SIGNED_IN in request.session:
            leave_toast(response, "signed_in")
        return response

    def _signup(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponseBase:
        limits.enforce(limits.SIGN_UP_NETWORK, client_address(request))
        sign_up = signing_up.prepare_sign_up(
            email=data["email"], password=data["password"], language=active_language()
        )
        sign_up_id = signing_up.request_sign_up(sign_up, earlier_id=remembered_sign_up(request))
        remember_sign_up(request, sign_up_id)
        return self._to_sign_in(request, "signed_up", data["next"])

    def _forgot(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponseBase:
        limits.enforce(limits.PASSWORD_RESET_NETWORK, client_address(request))
        members.request_password_reset(email=data["email"], language=active_language())
        return self._to_sign_in(request, "reset_sent", data["next"])

    def _to_sign_in(self, request: HttpRequest, notice: str, next_page: str | None) -> HttpResponseRedirect:
        leave_notice(request, notice)
        if request.user.is_authenticated:
            return redirect("accounts:security")
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
            "forgot": (_("Mot de passe oublié"), _("Erreur lors de l'envoi de l'e-mail")),
        }
        page_title, error_title = titles[mode]
        target = own_path(next_page, "")
        return render(
            request,
            "accounts/auth.html",
            {
                "page_title": page_title,
                "error_title": error_title,
                "mode": mode,
                "form": form,
                "next": target,
                "notice": take_notice(request),
                "keeps_form": bool(target) and keeps_form(request, target),
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
def follow_confirmation_link(request: HttpRequest, key: str) -> HttpResponseBase:
    """The link of the confirmation mail.

    The browser that signed up with a password is done: it keeps it. Any other chooses one first, and nothing is
    confirmed yet: programs that look through mails open links too.
    """
    sign_up = sign_up_of_key(key)
    if sign_up is None:
        return end_with_notice(request, "bad_confirmation")
    if remembered_sign_up(request) == str(sign_up.pk) and sign_up.has_password:
        try:
            signing_up.confirm_sign_up(key=key, password=None, is_theirs=True)
        except Problem:
            return end_with_notice(request, "bad_confirmation")
        forget_sign_up(request)
        return end_with_notice(request, "confirmed")
    return open_link(request, CONFIRMATIONS, key, "accounts:confirmation")


@require_GET
@never_cache
def follow_reset_link(request: HttpRequest, key: str) -> HttpResponseBase:
    """The link of the reset mail."""
    if members.user_of_reset_key(key) is None:
        return _end_reset(request)
    return open_link(request, RESETS, key, "accounts:new-password")


def _end_reset(request: HttpRequest) -> HttpResponseBase:
    """Where a new password can be had: by another link, or with the old one for who is signed in."""
    leave_notice(request, "bad_reset")
    if request.user.is_authenticated:
        return redirect("accounts:security")
    return redirect(reverse("accounts:auth", query={"mode": "forgot"}))


class ChoosePasswordView(View):
    """A password typed twice, by whom a link in a mail belongs to; the session keeps the link's key under `kind`."""

    http_method_names = ["get", "head", "post"]
    template = ""
    kind = ""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self._page(request, NewPasswordForm()) or self._close(request)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = NewPasswordForm(request.POST)
        if form.is_valid():
            try:
                return self._act(request, form.cleaned_data["password"])
            except Problem as problem:
                if problem.code == "invalid_link":
                    return self._close(request)
                form.add_error("password", problem.errors["password"])
        return self._page(request, form) or self._close(request)

    def _key(self, request: HttpRequest) -> str:
        return link_key(request, self.kind)

    def _close(self, request: HttpRequest) -> HttpResponseBase:
        close_link(request, self.kind)
        return self._refuse(request)

    def _act(self, request: HttpRequest, password: str) -> HttpResponseBase:
        raise NotImplementedError

    def _refuse(self, request: HttpRequest) -> HttpResponseBase:
        raise NotImplementedError

    def _context(self, request: HttpRequest) -> dict[str, Any] | None:
        """Return what the page is about; ``None`` when the link is no longer good."""
        raise NotImplementedError

    def _page(self, request: HttpRequest, form: NewPasswordForm) -> HttpResponse | None:
        context = self._context(request)
        if context is None:
            return None
        notice = None
        if form.errors:
            mismatch = form.has_error("password_confirmation")
            notice = Notice(
                "error",
                _("Les mots de passe ne correspondent pas") if mismatch else context["error_title"],
            )
        link = link_mark(self._key(request))
        context = {"minimum": MEMBER_MINIMUM, **context, "form": form, "notice": notice, "link": link}
        return render(request, self.template, context)


@method_decorator(private, name="dispatch")
class NewPasswordView(ChoosePasswordView):
    """Chooses a new password, for whom the reset link of this session belongs to."""

    template = "accounts/new_password.html"
    kind = RESETS

    def _context(self, request: HttpRequest) -> dict[str, Any] | None:
        user = members.user_of_reset_key(self._key(request))
        if user is None:
            return None
        return {
            "page_title": _("Nouveau mot de passe"),
            "email": user.email,
            "minimum": minimum_length(user),
            "error_title": _("Impossible de mettre à jour le mot de passe"),
        }

    def _act(self, request: HttpRequest, password: str) -> HttpResponseBase:
        user = members.set_password_by_link(
            key=self._key(request), password=password, language=active_language()
        )
        request.session.flush()
        # The mailbox is theirs: whoever locks the account next does not lock them out here.
        remember_device(request, user)
        leave_notice(request, "password_set")
        return redirect("accounts:auth")

    def _refuse(self, request: HttpRequest) -> HttpResponseBase:
        return _end_reset(request)


@method_decorator(private, name="dispatch")
class ConfirmationView(ChoosePasswordView):
    """Confirms an address from a browser that did not sign up, or signed up without a password: whoever opened the
    link chooses it.

    Orders placed with the sign-up join the account of the browser that asked for it; in any other its owner says so.
    """

    template = "accounts/confirmation.html"
    kind = CONFIRMATIONS

    def _context(self, request: HttpRequest) -> dict[str, Any] | None:
        sign_up = sign_up_of_key(self._key(request))
        if sign_up is None:
            return None
        return {
            "page_title": _("Choisissez votre mot de passe"),
            "error_title": _("Erreur d'inscription"),
            "email": sign_up.email,
            "references": [order["reference"] for order in sign_up.orders],
            "is_theirs": "is_theirs" in request.POST,
            "is_own": self._is_own(request, sign_up),
            "has_password": sign_up.has_password,
        }

    def _act(self, request: HttpRequest, password: str) -> HttpResponseBase:
        sign_up = sign_up_of_key(self._key(request))
        is_own = sign_up is not None and self._is_own(request, sign_up)
        signing_up.confirm_sign_up(
            key=self._key(request), password=password, is_theirs=is_own or "is_theirs" in request.POST
        )
        if is_own:
            forget_sign_up(request)
        close_link(request, self.kind)
        return end_with_notice(request, "confirmed")

    def _is_own(self, request: HttpRequest, sign_up: SignUp) -> bool:
        return remembered_sign_up(request) == str(sign_up.pk)

    def _refuse(self, request: HttpRequest) -> HttpResponseBase:
        return end_with_notice(request, "bad_confirmation")


@require_POST
@never_cache
def sign_out(request: HttpRequest) -> HttpResponseBase:
    """End the session and go to the home page, or to ``next`` on this site."""
    logout(request, show_message=False)
    response = redirect(own_path(request.POST.get("next"), reverse("home")))
    leave_toast(response, "signed_out")
    return response
