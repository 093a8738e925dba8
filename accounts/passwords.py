"""What a new password must be."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.models import User

MEMBER_MINIMUM = 8
ADMIN_MINIMUM = 12
# Beyond this nothing is hashed: a megabyte of password must cost the sender more than the shop.
MAXIMUM = 256


def minimum_length(user: User | None) -> int:
    """Return how many characters a password of this person needs."""
    return ADMIN_MINIMUM if user is not None and user.is_staff else MEMBER_MINIMUM


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
