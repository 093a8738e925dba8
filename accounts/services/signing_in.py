"""Proving who one is, and the session that follows."""

from __future__ import annotations

import logging

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import check_password
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.devices import known_device, remember_device
from accounts.models import User
from accounts.passwords import MAXIMUM
from accounts.selectors import find_user, is_email_confirmed, unconfirmed_sign_up
from accounts.services.members import clean_email, request_password_reset
from accounts.services.signing_up import send_sign_up_mail
from accounts.staff_sessions import start_clock
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.problems import Problem

logger = logging.getLogger("shop.security")


def check_credentials(request: HttpRequest, *, email: str, password: str) -> User:
    """Return the member with this address and password, who may now be signed in.

    Unknown address and wrong password get the same answer in the same time. Attempts are counted by account and
    by network address, those of a device that the member signed in on before by that device alone; so call this
    outside any transaction. Raises ``Problem``:
    ``invalid_credentials`` (400), ``too_many_attempts`` (429), ``email_unconfirmed`` (400, signed up only; a new
    confirmation mail is on its way).
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
        logger.warning("sign-in limited from %s", caller)
        raise
    sign_up = unconfirmed_sign_up(address)
    if sign_up is not None and check_password(password, sign_up.password):
        # Nobody knows yet whether the address is theirs: no account, no session.
        send_sign_up_mail(sign_up)
        raise _unconfirmed()
    # One password is hashed whatever the address is.
    user = None if sign_up is not None else authenticate(request, email=address, password=password)
    if not isinstance(user, User):
        logger.warning("sign-in refused from %s", caller)
        raise _invalid_credentials()
    for limit, subject in counted:
        # This attempt alone: a member who signs in gives a guesser no further ones.
        limits.restore(limit, subject)
    if not is_email_confirmed(user):
        # Made by a command that asks for no proof. The link to a new password is one.
        request_password_reset(email=address, language=get_language() or user.language)
        raise _unconfirmed()
    return user


def check_own_password(user: User, password: str) -> None:
    """Ask who is signed in for their password once more.

    Wrong ones are counted, apart from those of sign-ins: a stranger can't use them up. Call this outside any
    transaction. Raises ``Problem``: ``invalid_credentials`` (400), ``too_many_attempts`` (429).
    """
    if not password or len(password) > MAXIMUM:
        raise _invalid_password()
    limits.enforce(limits.OWN_PASSWORD_ACCOUNT, user.email)
    if not user.check_password(password):
        raise _invalid_password()
    limits.restore(limits.OWN_PASSWORD_ACCOUNT, user.email)


def sign_in(request: HttpRequest, user: User, *, redirect_url: str) -> HttpResponse:
    """Start the session of a member whose credentials were checked (new session key) and return the redirect.

    Further steps that an account asks for, such as a second factor, come before the session and redirect
    instead.
    """
    login = Login(user=user, email=user.email, redirect_url=redirect_url)
    response: HttpResponse = perform_password_login(request, {"email": user.email}, login)
    if request.user.pk == user.pk:
        start_clock(request, user)
        remember_device(request, user)
    return response


def sign_in_now(request: HttpRequest, user: User) -> None:
    """Start the session of a member at checkout, whose credentials were checked (new session key)."""
    get_adapter(request).login(request, user)
    start_clock(request, user)
    remember_device(request, user)


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
