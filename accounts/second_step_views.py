"""The second factor at sign-in, signing in with a passkey alone, and the page that asks again who one is."""

from __future__ import annotations

from typing import cast

from allauth.account.stages import LoginStage
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.auth import begin_authentication
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.notices import leave_notice, leave_toast
from accounts.recent_authentication import ask_again, confirmation_page, is_recent, read_credential
from accounts.redirects import own_path
from accounts.services import signing_in
from accounts.services.second_factor import check_code, check_passkey
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.kept_forms import members_only
from shop.core.problems import Problem, problem_response


@method_decorator([never_cache, sensitive_post_parameters()], name="dispatch")
class SecondFactorView(View):
    """Asks whoever typed the right password for the second factor of the account; nobody is signed in before."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        stage = signing_in.pending_sign_in(request)
        return self._leave(request) if stage is None else self._page(request, stage)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        stage = signing_in.pending_sign_in(request)
        if stage is None:
            return self._leave(request)
        user = cast(User, stage.login.user)
        try:
            if request.POST.get("credential"):
                factor = check_passkey(user, read_credential(request.POST["credential"]))
            else:
                factor = check_code(user, request.POST.get("code", ""))
        except Problem as problem:
            return problem.set_headers(self._page(request, stage, refusal=problem))
        response = signing_in.finish_sign_in(request, stage, factor)
        leave_toast(response, "signed_in")
        return response

    def _leave(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            return redirect("home")
        leave_notice(request, "second_step_ended")
        return redirect("accounts:auth")

    def _page(self, request: HttpRequest, stage: LoginStage, refusal: Problem | None = None) -> HttpResponse:
        types = set(Authenticator.objects.filter(user=stage.login.user).values_list("type", flat=True))
        return render(
            request,
            "accounts/second_factor.html",
            {
                "refusal": refusal,
                "has_app": Authenticator.Type.TOTP in types,
                "has_passkey": Authenticator.Type.WEBAUTHN in types,
            },
            status=429 if refusal and refusal.status == 429 else 200,
        )


@require_POST
@never_cache
def passkey_options(request: HttpRequest) -> HttpResponseBase:
    """What the browser needs to use a passkey: of who is signed in or waits for their second step, else of anybody."""
    stage = None if request.user.is_authenticated else signing_in.pending_sign_in(request)
    if isinstance(request.user, User):
        user: User | None = request.user
    else:
        user = None if stage is None else cast(User, stage.login.user)
    try:
        limits.enforce(limits.SIGN_IN_NETWORK, client_address(request))
    except Problem as problem:
        return problem_response(problem)
    return JsonResponse(begin_authentication(user))


@require_POST
@never_cache
@sensitive_post_parameters()
def sign_in_by_passkey(request: HttpRequest) -> HttpResponseBase:
    """Sign in whom a passkey belongs to, without an address and a password."""
    target = own_path(request.POST.get("next"), reverse("home"))
    if request.user.is_authenticated:
        return redirect(target)
    credential = read_credential(request.POST.get("credential", ""))
    try:
        response = signing_in.sign_in_by_passkey(request, credential, redirect_url=target)
    except Problem:
        leave_notice(request, "passkey_refused")
        return redirect(
            reverse("accounts:auth", query={"next": target} if target != reverse("home") else None)
        )
    limits.restore(limits.SIGN_IN_NETWORK, client_address(request))
    if SESSION_KEY in request.session:
        leave_toast(response, "signed_in")
    return response


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def confirm_identity(request: HttpRequest) -> HttpResponseBase:
    """Asks again who somebody is, then leads to `next` on this site."""
    asked = request.POST.get("next") if request.method == "POST" else request.GET.get("next")
    target = own_path(asked, reverse("accounts:security"))
    if request.method == "POST":
        return ask_again(request) or redirect(target)
    if is_recent(request):
        return redirect(target)
    return confirmation_page(request, action=reverse("accounts:confirm-identity"), fields=[("next", target)])
