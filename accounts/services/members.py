"""Members: their rows, and the choice of a new password."""

from __future__ import annotations

import secrets

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils.http import base36_to_int
from django.utils.translation import gettext as _

from accounts import mails
from accounts.models import Role, User, UserRole
from accounts.passwords import ResetTokens, refuse_weak_password
from accounts.services.roles import grant_role
from shop.core import email_addresses, limits
from shop.core.email_addresses import normalise_email
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import queue_mail
from shop.core.problems import Problem


def clean_email(email: str) -> str:
    """Return the address in its stored form. Raises ``Problem`` when it is not one."""
    return email_addresses.clean_email(email, code="invalid_email")


def create_member(
    *,
    email: str,
    password: str | None,
    password_hash: str | None = None,
    language: str = SOURCE_LANGUAGE,
    first_name: str = "",
    last_name: str = "",
) -> User:
    """Write a member, their address and their role. The caller knows that the address is theirs.

    ``password_hash`` is taken instead of a password. Sends nothing; raises ``IntegrityError`` for a known address.
    """
    user = User(email=normalise_email(email), first_name=first_name, last_name=last_name, language=language)
    if password_hash is None:
        user.set_password(password)
    else:
        user.password = password_hash
    with transaction.atomic():
        user.save(force_insert=True)
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
        UserRole.objects.create(user=user, role=Role.USER)
    return user


def request_password_reset(*, email: str, language: str) -> None:
    """Queue a mail to an address that may have an account; at most once in 15 minutes.

    The caller can't tell, not even by a clock: the same is done for every address. Whether it has an account, and
    what it is told, is found out at delivery (``accounts.mails``).
    """
    address = clean_email(email)
    if limits.consume(limits.PASSWORD_RESET_MAIL, address):
        queue_mail(kind="account_password_reset", to=address, language=language, context={})


def user_of_reset_key(key: str) -> User | None:
    """Return whom a reset link belongs to, while it is good.

    Unused, under an hour old, same address and password.
    """
    uid, _separator, token = key.partition("-")
    try:
        user = User.objects.filter(pk=base36_to_int(uid), is_active=True).first()
    except (ValueError, OverflowError):
        return None
    if user is None or not ResetTokens().check_token(user, token):
        return None
    return user


def set_password_by_link(*, key: str, password: str, language: str) -> User:
    """Set the password of whom the reset link belongs to; every session and link of theirs ends.

    The link came by mail, so the address is confirmed as well. Raises ``Problem``: ``invalid_link``,
    ``weak_password``.
    """
    with transaction.atomic():
        owner = user_of_reset_key(key)
        user = None
        if owner is not None:
            # Two uses of one link at once: the second waits here and finds the password changed.
            User.objects.select_for_update(no_key=True).get(pk=owner.pk)
            user = user_of_reset_key(key)
        if user is None:
            raise Problem("invalid_link", _("Impossible de mettre à jour le mot de passe"), 400)
        refuse_weak_password(password, user)
        user.set_password(password)
        user.save(update_fields=["password"])
        EmailAddress.objects.filter(user=user, email=user.email).update(verified=True)
        mails.send_password_changed(user, language=language)
    limits.reset(limits.SIGN_IN_ACCOUNT, user.email)
    limits.reset(limits.PASSWORD_RESET_MAIL, user.email)
    return user


def close_account(*, user: User) -> None:
    """Take a person's role and let nobody sign in any more; every session ends. Runs in the caller's transaction, with
    the account's row locked. Raises ``Problem`` (409, ``last_admin``)."""
    grant_role(user=user, role=Role.USER)
    user.is_active = False
    user.set_unusable_password()
    user.save(update_fields=["is_active", "password"])


def is_last_admin(user: User) -> bool:
    """Return whether nobody else administers the shop. One query."""
    admins = UserRole.objects.filter(role=Role.ADMIN, user__is_active=True).values_list("user_id", flat=True)
    return list(admins[:2]) == [user.pk]


def random_password() -> str:
    """Return a password nobody needs to remember: about 120 bits."""
    return secrets.token_urlsafe(15)
