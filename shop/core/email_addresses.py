"""E-mail addresses as people type them and as rows hold them."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.problems import Problem


def normalise_email(email: str) -> str:
    """Return the one form under which an address is stored and looked up.

    Trimmed, Unicode compatibility forms folded (NFKC), lower-cased, and its domain as mail servers are told it (IDNA,
    which leaves out what is invisible), so that ``Ａ@exemple.fr`` and ``a@EXEMPLE.fr``, or ``a@épi.fr`` and
    ``a@xn--pi-9ia.fr``, can't become two rows of one mailbox.
    """
    text = unicodedata.normalize("NFKC", email.strip()).lower()
    name, at, domain = text.rpartition("@")
    if domain.isascii() or len(text) > EMAIL_MAX_LENGTH:
        return text
    try:
        return f"{name}{at}{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        # No domain at all, which whoever validates the address says.
        return text


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


class EmailAddressField(forms.EmailField):
    """An address in its stored form, and judged in it: it may be longer than what was typed."""

    def to_python(self, value: Any) -> str:
        return normalise_email(super().to_python(value) or "")
