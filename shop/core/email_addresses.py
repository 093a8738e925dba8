"""E-mail addresses as people type them and as rows hold them."""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.problems import Problem


def normalise_email(email: str) -> str:
    """Return the one form under which an address is stored and looked up.

    Trimmed, Unicode compatibility forms folded (NFKC) and lower-cased, so that ``Ａ@exemple.fr`` and
    ``a@EXEMPLE.fr`` can't become two rows of one mailbox.
    """
    return unicodedata.normalize("NFKC", email.strip()).lower()


def clean_email(email: str, *, code: str = "invalid") -> str:
    """Return a typed address in its stored form. Raises `Problem` (400) when it is none."""
    address = normalise_email(email)
    try:
        validate_email(address)
    except ValidationError:
        address = ""
    if not address or len(address) > EMAIL_MAX_LENGTH:
        message = _("Veuillez entrer une adresse e-mail valide")
        raise Problem(code, message, errors={"email": [message]})
    return address
