"""What a new password must be."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.models import User
from shop.core.models import ShopSettings
from shop.core.problems import Problem
from shop.core.searching import folded
from shop.core.shop_settings import link_salt

MEMBER_MINIMUM = 8
ADMIN_MINIMUM = 12
# Beyond this nothing is hashed: a megabyte of password must cost the sender more than the shop.
MAXIMUM = 256
# What is sold here. With the shop's name and address, what people try first (ASVS 5.0, 6.1.2).
_WORDS = "figurines figurine atelier boutique pokeball resine crochet noel"


def minimum_length(user: User | None) -> int:
    """Return how many characters a password of this person needs."""
    return ADMIN_MINIMUM if user is not None and user.is_staff else MEMBER_MINIMUM


class ResetTokens(EmailAwarePasswordResetTokenGenerator):  # type: ignore[misc]
    """Of links to choose a new password. Those from before a backup was brought back are dead: that one was used since
    is forgotten."""

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return link_salt(str(super()._make_hash_value(user, timestamp)))


class LengthValidator:
    """At least 8 characters for members and 12 for staff (CNIL 2022-100).

    At most 256, no control characters.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        minimum = minimum_length(user)
        if len(password) < minimum:
            raise ValidationError(
                _("Mot de passe trop court. Minimum %(minimum)d caractères"),
                code="password_too_short",
                params={"minimum": minimum},
            )
        if len(password) > MAXIMUM:
            raise ValidationError(
                _("Mot de passe trop long. Maximum %(maximum)d caractères"),
                code="password_too_long",
                params={"maximum": MAXIMUM},
            )
        if not password.isprintable():
            raise ValidationError(
                _("Le mot de passe contient un caractère qui n'est pas permis"), code="password_unprintable"
            )

    def get_help_text(self) -> str:
        return _("Minimum %(minimum)d caractères") % {"minimum": MEMBER_MINIMUM}


class ShopWordsValidator:
    """More than words of the shop with figures and signs around them (ASVS 5.0, 6.2.11)."""

    def validate(self, password: str, user: User | None = None) -> None:
        ours = " ".join((_WORDS, ShopSettings.load().shop_name, urlsplit(settings.SITE_URL).hostname or ""))
        words = {word for word in re.findall(r"[^\W\d_]+", folded(ours)) if len(word) > 2}
        typed = left = folded(password)
        for word in sorted(words, key=len, reverse=True):
            left = left.replace(word, " ")
        if left != typed and not any(letter.isalpha() for letter in left):
            raise ValidationError(
                _("Ce mot de passe ne contient que des mots de la boutique\u00a0: ajoutez-en d'autres."),
                code="password_of_the_shop",
            )

    def get_help_text(self) -> str:
        return _("Pas seulement des mots de la boutique")


def password_faults(password: str, user: User) -> list[str]:
    """Return what is wrong with ``password`` for ``user`` (who may be unsaved), in the visitor's language.

    A password out of bounds is not looked at further, so that its size costs nothing.
    """
    try:
        LengthValidator().validate(password, user)
        validate_password(password, user)
    except ValidationError as error:
        return list(error.messages)
    return []


def refuse_weak_password(password: str, user: User) -> None:
    """Raise Problem 400 `weak_password` if anything is wrong with ``password`` for ``user``."""
    if faults := password_faults(password, user):
        raise Problem("weak_password", faults[0], errors={"password": faults})
