"""The signed links that confirm an address: good for three days and for one use."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing

from accounts.models import SignUp
from accounts.selectors import has_account

LINK_LIFETIME = timedelta(days=3)
_SALT = "accounts.sign-up"


def sign_up_key(sign_up: SignUp) -> str:
    """What the link in the mail ends with."""
    return signing.dumps(str(sign_up.pk), salt=_SALT)


def sign_up_of_key(key: str) -> SignUp | None:
    """Whose link it is; ``None`` when it is forged, used, older than three days, or the address has an account."""
    try:
        pk = signing.loads(key, salt=_SALT, max_age=LINK_LIFETIME)
    except signing.BadSignature:
        return None
    sign_up = SignUp.objects.filter(pk=pk).first()
    return None if sign_up is None or has_account(sign_up.email) else sign_up
