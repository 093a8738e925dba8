"""Mails about an account.

Each carries links made from SITE_URL and no word that the receiver did not ask for.
"""

from __future__ import annotations

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import int_to_base36

from accounts.models import User
from shop.core import limits
from shop.core.mail import queue_mail
from shop.core.site import absolute_url


def send_confirmation(address: EmailAddress, *, language: str) -> None:
    """Asks the owner of an address to confirm it; at most once in three minutes.

    The link is good for three days.
    """
    if not limits.consume_mail(limits.CONFIRMATION_MAIL, address.email):
        return
    key = EmailConfirmationHMAC(address).key
    queue_mail(
        kind="account_confirm_email",
        to=address.email,
        language=language,
        context={"url": _url("accounts:confirm-email", language, key)},
    )


def send_account_exists(user: User, *, language: str) -> None:
    """Tells the owner that somebody tried to sign up with their address; at most once in 15 minutes."""
    if not limits.consume_mail(limits.ACCOUNT_EXISTS_MAIL, user.email):
        return
    queue_mail(
        kind="account_exists",
        to=user.email,
        language=language,
        context={
            "signin_url": _url("accounts:auth", language),
            "reset_url": _url("accounts:auth", language) + "?mode=forgot",
        },
    )


def send_reset_link(user: User, *, language: str) -> None:
    """Sends the link to choose a new password: single use, good for an hour."""
    token = EmailAwarePasswordResetTokenGenerator().make_token(user)
    key = f"{int_to_base36(user.pk)}-{token}"
    queue_mail(
        kind="account_password_reset",
        to=user.email,
        language=language,
        context={"url": _url("accounts:reset-link", language, key)},
    )


def send_password_changed(user: User, *, language: str) -> None:
    """Tells the owner that the password was changed, with a way back if it was not them."""
    queue_mail(
        kind="account_password_changed",
        to=user.email,
        language=language,
        context={
            "changed_at": timezone.now().isoformat(),
            "reset_url": _url("accounts:auth", language) + "?mode=forgot",
        },
    )


def _url(name: str, language: str, *args: str) -> str:
    with translation.override(language):
        return absolute_url(reverse(name, args=args))
