"""Becoming a member: sign-up, confirmation of the address, choice of a new password."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.http import base36_to_int
from django.utils.translation import gettext as _

from accounts import mails
from accounts.models import EMAIL_MAX_LENGTH, Role, User, UserRole, normalise_email
from accounts.passwords import password_faults
from accounts.selectors import find_user
from shop.core import limits
from shop.core.problems import Problem


@dataclass(frozen=True, slots=True)
class SignUp:
    """What came of a sign-up: the new member, or ``None`` when the address had an account already."""

    user: User | None

    @property
    def existed(self) -> bool:
        return self.user is None


def clean_email(email: str) -> str:
    """The address in its stored form. Raises ``Problem`` when it is not one."""
    address = normalise_email(email)
    try:
        validate_email(address)
    except ValidationError:
        address = ""
    if not address or len(address) > EMAIL_MAX_LENGTH:
        message = _("Veuillez entrer une adresse email valide")
        raise Problem("invalid_email", message, errors={"email": [message]})
    return address


def sign_up(*, email: str, password: str, language: str, first_name: str = "", last_name: str = "") -> SignUp:
    """Makes a member and asks them to confirm the address.

    When the address has an account already its owner is told by mail and nobody on screen: the answer and the
    time it takes are the same. Raises ``Problem`` for an address or a password that can't be taken, before
    the address is looked up.
    """
    address = clean_email(email)
    candidate = User(email=address, first_name=first_name, last_name=last_name, language=language)
    if faults := password_faults(password, candidate):
        raise Problem("weak_password", faults[0], errors={"password": faults})
    with transaction.atomic():
        owner = User.objects.filter(email=address).first()
        if owner is None:
            try:
                with transaction.atomic():
                    user = create_member(
                        email=address,
                        password=password,
                        language=language,
                        first_name=first_name,
                        last_name=last_name,
                    )
            except IntegrityError:
                # The same address signed up in another request just now.
                owner = User.objects.get(email=address)
            else:
                mails.send_confirmation(EmailAddress.objects.get(user=user), language=language)
                return SignUp(user)
        else:
            # A new account costs one hash: so does a known one.
            make_password(password)
        if owner.is_active:
            mails.send_account_exists(owner, language=language)
    return SignUp(None)


def create_member(
    *,
    email: str,
    password: str | None,
    language: str = "fr",
    first_name: str = "",
    last_name: str = "",
    confirmed: bool = False,
) -> User:
    """Writes a member, their address and their role.

    Sends nothing; raises ``IntegrityError`` for a known address.
    """
    with transaction.atomic():
        user = User.objects.create_user(
            email, password, first_name=first_name, last_name=last_name, language=language
        )
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=confirmed)
        UserRole.objects.create(user=user, role=Role.USER)
    return user


def confirm_email(*, key: str) -> User | None:
    """Confirms the address of a signed link.

    ``None`` when the link is forged, used or older than three days.
    """
    confirmation = EmailConfirmationHMAC.from_key(key)
    if confirmation is None:
        return None
    with transaction.atomic():
        address = EmailAddress.objects.select_for_update().get(pk=confirmation.email_address.pk)
        if not address.set_verified():
            return None
    user: User = confirmation.email_address.user
    return user


def request_password_reset(*, email: str, language: str) -> None:
    """Mails the link to choose a new password, if the address has an account; at most once in 15 minutes.

    The caller can't tell: whether or not the address is known, the same is counted and nothing is said.
    """
    address = clean_email(email)
    if not limits.consume(limits.PASSWORD_RESET_MAIL, address):
        return
    user = find_user(address)
    if user is not None:
        mails.send_reset_link(user, language=language)


def user_of_reset_key(key: str) -> User | None:
    """Whom a reset link belongs to, while it is good.

    Unused, under an hour old, same address and password.
    """
    uid, _separator, token = key.partition("-")
    try:
        user = User.objects.filter(pk=base36_to_int(uid), is_active=True).first()
    except (ValueError, OverflowError):
        return None
    if user is None or not EmailAwarePasswordResetTokenGenerator().check_token(user, token):
        return None
    return user


def set_password_by_link(*, key: str, password: str, language: str) -> User:
    """Sets the password of whom the reset link belongs to; every session and link of theirs ends.

    The link came by mail, so the address is confirmed as well. Raises ``Problem``: ``invalid_link``,
    ``weak_password``.
    """
    with transaction.atomic():
        owner = user_of_reset_key(key)
        user = None
        if owner is not None:
            # Two uses of one link at once: the second waits here and finds the password changed.
            User.objects.select_for_update().get(pk=owner.pk)
            user = user_of_reset_key(key)
        if user is None:
            raise Problem("invalid_link", _("Impossible de mettre à jour le mot de passe"), 400)
        if faults := password_faults(password, user):
            raise Problem("weak_password", faults[0], errors={"password": faults})
        user.set_password(password)
        user.save(update_fields=["password"])
        EmailAddress.objects.filter(user=user, email=user.email).update(verified=True)
        mails.send_password_changed(user, language=language)
    limits.reset(limits.SIGN_IN_ACCOUNT, user.email)
    limits.reset(limits.PASSWORD_RESET_MAIL, user.email)
    return user


def random_password() -> str:
    """A password nobody needs to remember: about 120 bits."""
    return secrets.token_urlsafe(15)
