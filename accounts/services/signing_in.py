"""Proving who one is, and the session that follows."""

from __future__ import annotations

import logging
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_password_login, record_authentication
from allauth.account.internal.stagekit import clear_login
from allauth.account.models import Login
from allauth.account.stages import LoginStage, LoginStageController
from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.flows import perform_passwordless_login
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotAuthenticated

from accounts.devices import known_device
from accounts.mails import send_password_changed
from accounts.models import User
from accounts.passwords import MAXIMUM, minimum_length, refuse_weak_password
from accounts.selectors import find_user, is_email_confirmed, newest_sign_up
from accounts.services.members import clean_email, request_password_reset
from accounts.services.second_factor import check_unnamed_passkey
from accounts.services.signing_up import send_sign_up_mail
from accounts.stages import SecondFactorStage
from shop.core import limits
from shop.core.client_address import client_address, network_fingerprint
from shop.core.members import lock_member
from shop.core.problems import Problem

logger = logging.getLogger("shop.security")

_HASH = "session_hash"


def check_credentials(request: HttpRequest, *, email: str, password: str) -> User:
    """Return the member with this address and password, who may now be signed in.

    Unknown address and wrong password get the same answer in the same time. Attempts are counted by account and
    by network address, those of a device that the member signed in on before by that device alone; so call this
    outside any transaction. Raises ``Problem``:
    ``invalid_credentials`` (400), ``too_many_attempts`` (429), ``email_unconfirmed`` (400, the password of a sign-up;
    the mail about it is on its way once more), ``weak_password``
    (400, too short for a role that was given since; the link to another one is on its way).
    """
    try:
        address = clean_email(email)
    except Problem:
        raise _invalid_credentials() from None
    if not password or len(password) > MAXIMUM:
        raise _invalid_credentials()
    caller = client_address(request)
    device = known_device(request, find_user(address))
    counted = (
        [(limits.SIGN_IN_NETWORK, caller), (limits.SIGN_IN_ACCOUNT, address)]
        if device is None
        else [(limits.SIGN_IN_DEVICE, device)]
    )
    try:
        for limit, subject in counted:
            limits.enforce(limit, subject)
    except Problem:
        logger.warning("sign-in limited from network %s", network_fingerprint(caller)[:12])
        raise
    user = authenticate(request, email=address, password=password)
    if not isinstance(user, User):
        # With an account or without: else whoever signs up with somebody's address and then signs in learns whether it
        # has one. Two passwords are hashed in any case.
        sign_up = newest_sign_up(address)
        if check_password(password, "" if sign_up is None else sign_up.password) and sign_up is not None:
            send_sign_up_mail(sign_up)
            raise _unconfirmed()
        logger.warning("sign-in refused from network %s", network_fingerprint(caller)[:12])
        raise _invalid_credentials()
    for limit, subject in counted:
        # This attempt alone: a member who signs in gives a guesser no further ones.
        limits.restore(limit, subject)
    if not is_email_confirmed(user):
        # Made by a command that asks for no proof. The link to a new password is one.
        request_password_reset(email=address, language=get_language() or user.language)
        raise _unconfirmed()
    if len(password) < minimum_length(user):
        # Chosen as a member, before a role asked for more.
        request_password_reset(email=address, language=get_language() or user.language)
        raise Problem(
            "weak_password",
            _(
                "Votre rôle demande un mot de passe d'au moins %(minimum)d caractères\u00a0: choisissez-en un par le "
                "lien que vous recevez par e-mail."
            )
            % {"minimum": minimum_length(user)},
        )
    return user


def check_own_password(user: User, password: str) -> None:
    """Ask who is signed in for their password once more.

    Wrong ones are counted, apart from those of sign-ins: a stranger can't use them up. Call this outside any
    transaction. Raises ``Problem``: ``invalid_credentials`` (400), ``too_many_attempts`` (429).
    """
    if not password:
        raise Problem("invalid_credentials", _("Indiquez votre mot de passe."), 400)
    if len(password) > MAXIMUM:
        raise _invalid_password()
    limits.enforce(limits.OWN_PASSWORD_ACCOUNT, user.email)
    if not user.check_password(password):
        raise _invalid_password()
    limits.restore(limits.OWN_PASSWORD_ACCOUNT, user.email)


def change_password(user: User, password: str) -> None:
    """Set the password of who proved fully who they are; sessions with the old one end.

    Raises ``Problem`` 400 ``weak_password`` with ``errors["password"]``; and ``NotAuthenticated`` (see
    ``lock_member``), also where another password took the place of the proved one meanwhile.
    """
    refuse_weak_password(password, user)
    with transaction.atomic():
        if lock_member(user.pk).password != user.password:
            raise NotAuthenticated
        user.set_password(password)
        user.save(update_fields=["password"])
        send_password_changed(user, language=user.language)


def sign_in(request: HttpRequest, user: User, *, redirect_url: str) -> HttpResponse:
    """Start the session of a member whose password was checked (new session key) and return the redirect.

    An account with a second factor is asked for it first: nobody is signed in before `finish_sign_in`.
    """
    login = _login(user, redirect_url)
    response: HttpResponse = perform_password_login(request, {}, login)
    return response


def sign_in_now(request: HttpRequest, user: User) -> None:
    """Start the session of a member at checkout, whose credentials were checked (new session key)."""
    record_authentication(request, user, "password")
    get_adapter(request).login(request, user)


def sign_in_by_passkey(request: HttpRequest, credential: Any, *, redirect_url: str) -> HttpResponse:
    """Start the session of whom a passkey belongs to and return the redirect; it is both factors at once.

    Raises ``Problem`` (400).
    """
    user, passkey = check_unnamed_passkey(credential)
    response: HttpResponse = perform_passwordless_login(request, passkey, _login(user, redirect_url))
    return response


def pending_sign_in(request: HttpRequest) -> LoginStage | None:
    """Return the sign-in of this browser that waits for its second factor; None when there is none, when it waited
    for fifteen minutes, and when the password or the role changed meanwhile or the account was blocked.
    """
    stage = LoginStageController.enter(request, SecondFactorStage.key)
    if stage is None:
        return None
    login: Login = stage.login
    is_same = constant_time_compare(login.state.get(_HASH, ""), login.user.get_session_auth_hash())
    if not (is_same and login.user.is_active):
        clear_login(request)
        return None
    return stage


def finish_sign_in(request: HttpRequest, stage: LoginStage, factor: Authenticator) -> HttpResponse:
    """Start the session of who proved their second factor, and return the redirect."""
    post_authentication(request, factor)
    response: HttpResponse = stage.exit()
    return response


def landing_page(user: User, redirect_url: str) -> str:
    """Return where a sign-in leads: who must have a second factor and has none sets it up first."""
    if user.second_factor_missing:
        return reverse("accounts:security", query={"next": redirect_url})
    return redirect_url


def _login(user: User, redirect_url: str) -> Login:
    state = {_HASH: user.get_session_auth_hash()}
    return Login(user=user, email=user.email, redirect_url=landing_page(user, redirect_url), state=state)


def _unconfirmed() -> Problem:
    return Problem(
        "email_unconfirmed",
        _("Votre e-mail n'est pas encore confirmé. Vérifiez votre boîte de réception."),
        400,
    )


def _invalid_credentials() -> Problem:
    return Problem("invalid_credentials", _("E-mail ou mot de passe incorrect"), 400)


def _invalid_password() -> Problem:
    return Problem("invalid_credentials", _("Mot de passe incorrect"), 400)
