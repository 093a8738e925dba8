"""E-mail addresses as people type them and as rows hold them."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.problems import Problem

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def normalise_email(email: str) -> str:
    """Return the one form under which an address is stored and looked up.

    Trimmed, Unicode compatibility forms folded (NFKC), lower-cased, and written as mail servers are told it: its domain
    by IDNA, which leaves out what is invisible, its name without quotes. So ``Ａ@exemple.fr``, ``a@EXEMPLE.fr`` and
    ``"a"@exemple.fr``, or ``a@épi.fr`` and ``a@xn--pi-9ia.fr``, can't become several rows of one mailbox.
    """
    text = email.strip()
    if len(text) <= EMAIL_MAX_LENGTH:
        # Never of any length: a heap of accents takes the square of its length, minutes for one request.
        text = unicodedata.normalize("NFKC", text)
    text = text.lower()
    if len(text) > EMAIL_MAX_LENGTH:
        # No address, which whoever validates it says.
        return text
    name, at, domain = text.rpartition("@")
    while len(name) > 1 and name[0] == name[-1] == '"':
        name = _ESCAPED.sub(r"\1", name[1:-1])
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode("ascii")
    return f"{name}{at}{domain}"


class AddressValidator(EmailValidator):
    """Django's, whose pattern takes « ı » for an i. It accepts no other letter beyond ASCII in a name; mails do not
    arrive there, and PostgreSQL may compare ``vıctim@`` as ``victim@``.

    A machine named by its number and ``localhost`` are refused as well: a stranger's word would send mails into the
    network of the mail server."""

    user_regex = re.compile(EmailValidator.user_regex.pattern, re.IGNORECASE | re.ASCII)
    domain_allowlist = ()

    def validate_domain_part(self, domain_part: str) -> bool:
        return bool(self.domain_regex.match(domain_part))


_validate_address = AddressValidator()


def clean_email(email: str, *, code: str = "invalid") -> str:
    """Return a typed address in its stored form. Raises `Problem` (400) when it is none."""
    address = normalise_email(email)
    try:
        _validate_address(address)
    except ValidationError:
        address = ""
    if not address or len(address) > EMAIL_MAX_LENGTH:
        message = _("Veuillez entrer une adresse e-mail valide")
        raise Problem(code, message, errors={"email": [message]})
    return address


class EmailAddressField(forms.EmailField):
    """An address in its stored form, and judged in it: it may be longer than what was typed."""

    default_validators = [_validate_address]
    # Django's own says « du » in German.
    default_error_messages = {"invalid": gettext_lazy("Saisissez une adresse e-mail valide.")}

    def to_python(self, value: Any) -> str:
        return normalise_email(super().to_python(value) or "")
