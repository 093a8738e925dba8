"""Devices on which a member signed in before: guesses of strangers never lock the member out there.

A cookie names the device and is signed for one account and its present password, so that another account's cookie and
one from before a change of the password are nobody's. It signs nobody in: whoever steals it may try five passwords in
five minutes, as every known device may (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import User

MAX_ACCOUNTS = 5
"""Accounts that one browser is remembered for; the latest ones stay."""
_TOKEN = re.compile(r"([-_0-9A-Za-z]{16})\.([-_0-9A-Za-z]{43})")
_PENDING = "_device_cookie"


def known_device(request: HttpRequest, user: User | None) -> str | None:
    """Return what counts the attempts of a device that `user` signed in on before; None for any other device.

    It does the same work for an address without an account.
    """
    for name, signature in _tokens(request):
        try:
            _signer().unsign(f"{_signed(name, user)}:{signature}")
        except BadSignature:
            continue
        return None if user is None else f"{user.pk}:{name}"
    return None


def remember_device(request: HttpRequest, user: User) -> None:
    """Make this browser one of the member's devices; the cookie leaves with the answer. Call it once signed in."""
    known = known_device(request, user)
    name = secrets.token_urlsafe(12) if known is None else known.partition(":")[2]
    token = _signer().sign(_signed(name, user)).rpartition(":")[2]
    others = [f"{other}.{signature}" for other, signature in _tokens(request) if other != name]
    setattr(request, _PENDING, "~".join([f"{name}.{token}", *others][:MAX_ACCOUNTS]))


def set_device_cookie(request: HttpRequest, response: HttpResponseBase) -> None:
    """Put what `remember_device` made on the answer."""
    value = getattr(request, _PENDING, None)
    if value is not None:
        response.set_cookie(
            settings.DEVICE_COOKIE_NAME,
            value,
            max_age=settings.DEVICE_COOKIE_AGE,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def _tokens(request: HttpRequest) -> Iterator[tuple[str, str]]:
    for token in request.COOKIES.get(settings.DEVICE_COOKIE_NAME, "").split("~")[:MAX_ACCOUNTS]:
        if match := _TOKEN.fullmatch(token):
            yield match[1], match[2]


def _signer() -> Signer:
    return Signer(salt="accounts.devices")


def _signed(name: str, user: User | None) -> str:
    return f"{name}:{user.pk}:{user.password}" if user is not None else f"{name}::"
