"""Asking again who somebody is, before what a stranger at an open session must not do.

The second factor is asked for where the account has one, the password where it has none. A proof lasts
`RECENT_AUTHENTICATION_SECONDS` in its session; signing in is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.internal.flows.reauthentication import reauthenticate_by_password
from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.second_factor import check_code, check_passkey
from accounts.services.signing_in import check_own_password
from accounts.sessions import move_session
from shop.core.clocks import are_over
from shop.core.problems import Problem

PROOFS = ("proof_password", "proof_code", "credential")
"""What the page that asks sends along with everything that was posted before."""


def is_recent(request: HttpRequest) -> bool:
    """Return whether the person of this session proved lately who they are. At most one query."""
    user = request.user
    if not isinstance(user, User):
        return False
    method = "mfa" if user.has_second_factor else "password"
    records = get_authentication_records(request, user)
    return any(
        record.get("method") == method
        and not are_over(settings.RECENT_AUTHENTICATION_SECONDS, record.get("at", 0))
        for record in records
    )


def require_recent(request: HttpRequest) -> None:
    """For calls. Raises ``Problem`` (403, ``reauthentication_required``) with the `confirm_url` of the asking page."""
    if not is_recent(request):
        raise Problem(
            "reauthentication_required",
            _("Confirmez d'abord que c'est bien vous."),
            403,
            extra={"confirm_url": reverse("accounts:confirm-identity")},
        )


def lacks_second_factor(request: HttpRequest) -> bool:
    """Return whether this account has a second factor that its session did not prove lately. At most one query."""
    return cast(User, request.user).has_second_factor and not is_recent(request)


def prove_fully(request: HttpRequest, password: str) -> None:
    """Before another password, another address and the erasure: the password whatever was proved before, and the second
    factor lately where the account has one (ASVS 7.5.1). Call this outside any transaction. Raises ``Problem`` as
    ``check_own_password`` and ``require_recent`` do."""
    check_own_password(cast(User, request.user), password)
    if lacks_second_factor(request):
        require_recent(request)


def ask_again(request: HttpRequest) -> HttpResponseBase | None:
    """For pages: None when the person proved who they are, else what to answer instead.

    A posted form comes back from the page that asks with all its fields, so that nothing typed is lost; call this
    where the form is good and before anything is done, outside any transaction.
    """
    if is_recent(request):
        return None
    if request.method != "POST":
        address = reverse("accounts:confirm-identity", query={"next": request.get_full_path()})
        return HttpResponseRedirect(address)
    refusal = None
    if any(name in request.POST for name in PROOFS):
        try:
            _prove(request)
        except Problem as problem:
            refusal = problem
        else:
            return None
    return confirmation_page(request, action=request.get_full_path(), fields=_typed(request), refusal=refusal)


def confirmation_page(
    request: HttpRequest,
    *,
    action: str,
    fields: Iterable[tuple[str, str]],
    refusal: Problem | None = None,
) -> HttpResponseBase:
    """Return the page that asks; it posts `fields` and the proof to `action`."""
    user = cast(User, request.user)
    types = set(Authenticator.objects.filter(user_id=user.pk).values_list("type", flat=True))
    page = render(
        request,
        "accounts/confirm_identity.html",
        {
            "action": action,
            "fields": list(fields),
            "refusal": refusal,
            "asks_password": not user.has_second_factor,
            "has_app": Authenticator.Type.TOTP in types,
            "has_passkey": Authenticator.Type.WEBAUTHN in types,
        },
        status=429 if refusal and refusal.status == 429 else 200,
    )
    add_never_cache_headers(page)
    return refusal.set_headers(page) if refusal else page


def read_credential(text: str) -> Any:
    """Return what a browser sent of a passkey; None for what is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _prove(request: HttpRequest) -> None:
    """Raises ``Problem``. Another session key from then on, as after signing in (ASVS 7.2.4)."""
    user = cast(User, request.user)
    if not user.has_second_factor:
        check_own_password(user, request.POST.get("proof_password", ""))
        reauthenticate_by_password(request)
    else:
        if request.POST.get("credential"):
            factor = check_passkey(user, read_credential(request.POST["credential"]))
        else:
            factor = check_code(user, request.POST.get("proof_code", ""))
        post_authentication(request, factor, reauthenticated=True)
    key = request.session.session_key
    request.session.cycle_key()
    move_session(key, request)


def _typed(request: HttpRequest) -> list[tuple[str, str]]:
    left_out = (*PROOFS, "csrfmiddlewaretoken")
    return [
        (name, value) for name, values in request.POST.lists() if name not in left_out for value in values
    ]
