"""How a sign-up is found again: by the signed link of its mail, or by the session of the browser that asked for it.

A link is good for three days and for one use. The session lets its browser confirm with the password typed there.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.core import signing
from django.http import HttpRequest

from accounts.models import SignUp
from accounts.selectors import has_account

LINK_LIFETIME = timedelta(days=3)
SESSION_KEY = "sign_up"
_SALT = "accounts.sign-up"


def sign_up_key(sign_up: SignUp) -> str:
    """Return what the link in the mail ends with."""
    return signing.dumps(str(sign_up.pk), salt=_SALT)


def sign_up_of_key(key: str) -> SignUp | None:
    """Return whose link it is; ``None`` when it is forged, used, older than three days, or the address has an
    account.
    """
    try:
        pk = signing.loads(key, salt=_SALT, max_age=LINK_LIFETIME)
    except signing.BadSignature:
        return None
    sign_up = SignUp.objects.filter(pk=pk).first()
    return None if sign_up is None or has_account(sign_up.email) else sign_up


def remember_sign_up(request: HttpRequest, sign_up_id: uuid.UUID) -> None:
    """Keep the newest one."""
    request.session[SESSION_KEY] = str(sign_up_id)


def remembered_sign_up(request: HttpRequest) -> str | None:
    """Return the key of the sign-up that this browser asked for last."""
    known: str | None = request.session.get(SESSION_KEY)
    return known


def awaits_confirmation(request: HttpRequest, email: str) -> bool:
    """Return whether this browser asked for an account of the address, whether or not it has one already. One query
    at most.
    """
    known = remembered_sign_up(request)
    return known is not None and SignUp.objects.filter(pk=known, email=email).exists()


def forget_sign_up(request: HttpRequest) -> None:
    """After its confirmation."""
    request.session.pop(SESSION_KEY, None)
