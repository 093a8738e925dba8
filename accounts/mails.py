"""Mails about an account.

Each carries links made from SITE_URL and no word that the receiver did not ask for.
"""

from __future__ import annotations

from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import int_to_base36

from accounts.email_changes import Mailbox, email_change_key
from accounts.models import EmailChange, SignUp, User
from accounts.passwords import ResetTokens
from accounts.selectors import find_user, newest_sign_up, pending_email_change
from accounts.sign_ups import sign_up_key
from shop.core import limits
from shop.core.mail import queue_mail
from shop.core.mail_content import MailContent
from shop.core.models import OutgoingMail
from shop.core.site import absolute_url


def sign_up_content(mail: OutgoingMail) -> MailContent | None:
    """Return the mail for a sign-up's address: a link to confirm it, or that it has an account already.

    The owner of an account gets it at most once in 15 minutes, anybody else at most once in three.
    """
    owner = User.objects.filter(email=mail.to).first()
    if owner is not None:
        return _account_exists(owner, mail)
    sign_up = SignUp.objects.filter(pk=mail.context["sign_up"]).first()
    return _confirmation(sign_up, mail) if sign_up is not None else None


def password_reset_content(mail: OutgoingMail) -> MailContent | None:
    """Return the mail for an address whose password is forgotten: the link to choose a new one, single use, good
    for an hour; the link to confirm it while it has only signed up; nothing when it has no account.
    """
    user = find_user(mail.to)
    if user is None:
        sign_up = newest_sign_up(mail.to, without_account=True)
        return _confirmation(sign_up, mail) if sign_up is not None else None
    token = ResetTokens().make_token(user)
    key = f"{int_to_base36(user.pk)}-{token}"
    return MailContent("account_password_reset", {"url": _url("accounts:reset-link", mail.language, key)})


def email_change_content(mail: OutgoingMail) -> MailContent | None:
    """Return the mail by which a mailbox agrees to a change of address; nothing once the change is void.

    The owner of an account who is asked for their own address as somebody's new one reads that they have an account.
    """
    change = EmailChange.objects.select_related("user").filter(pk=mail.context["change"]).first()
    if change is None or pending_email_change(change.user) is None:
        return None
    mailbox = Mailbox(mail.context["mailbox"])
    if mailbox is Mailbox.NEW:
        owner = User.objects.filter(email=mail.to).first()
        if owner is not None:
            return _account_exists(owner, mail)
        # Not counted with confirmations: neither has the link of the other, and a new wish voids the link of the last.
        if not _may(limits.EMAIL_CHANGE_MAIL, mail):
            return None
    url = _url("accounts:email-change-link", mail.language, email_change_key(change, mailbox))
    # It may have agreed meanwhile, or an operator for it.
    context = {"url": url, "new_email": change.new_email, "needs_both": change.old_confirmed_at is None}
    return MailContent(f"account_email_change_{mailbox.value}", context)


def send_email_changed(*, to: str, old: str, new: str, language: str) -> None:
    """Tell one of the two mailboxes that the account's address was changed."""
    queue_mail(
        kind="account_email_changed",
        to=to,
        language=language,
        context={
            "changed_at": timezone.now().isoformat(),
            "old_email": old,
            "new_email": new,
            "contact_url": _url("contact", language),
        },
    )


def send_password_changed(user: User, *, language: str) -> None:
    """Tell the owner that the password was changed, with a way back if it was not them."""
    queue_mail(
        kind="account_password_changed",
        to=user.email,
        language=language,
        context={
            "changed_at": timezone.now().isoformat(),
            "reset_url": _url("accounts:auth", language) + "?mode=forgot",
        },
    )


def send_welcome(user: User) -> None:
    """Greet who proved their address, in the transaction that makes the account."""
    queue_mail(
        kind="account_welcome",
        to=user.email,
        language=user.language,
        context={
            "first_name": user.first_name,
            "signin_url": _url("accounts:auth", user.language),
            "security_url": _url("accounts:security", user.language),
        },
    )


def send_new_device(user: User, *, device: str) -> None:
    """Tell the owner that a browser signed in which never did before; `device` is in their language."""
    _send_notice(user, "account_new_device", {"device": device})


def send_role_changed(user: User, *, role: str) -> None:
    """Tell a person which role they have now."""
    _send_notice(
        user, "account_role_changed", {"role": role, "admin_url": absolute_url(reverse("staff-home"))}
    )


def send_second_factor_changed(user: User, *, change: str) -> None:
    """Tell the owner that a second factor was added or removed; `change` is one of those that the mail's text knows."""
    _send_notice(user, "account_second_factor", {"change": change})


def _send_notice(user: User, kind: str, context: dict[str, str]) -> None:
    """A mail about the account's safety: what happened, when, and where to undo it."""
    queue_mail(
        kind=kind,
        to=user.email,
        language=user.language,
        context={
            **context,
            "happened_at": timezone.now().isoformat(),
            "security_url": _url("accounts:security", user.language),
            "reset_url": _url("accounts:auth", user.language) + "?mode=forgot",
        },
    )


def _account_exists(owner: User, mail: OutgoingMail) -> MailContent | None:
    if not owner.is_active or not _may(limits.ACCOUNT_EXISTS_MAIL, mail):
        return None
    page = _url("accounts:auth", owner.language)
    context = {"signin_url": page, "reset_url": page + "?mode=forgot"}
    return MailContent("account_exists", context, owner.language)


def _confirmation(sign_up: SignUp, mail: OutgoingMail) -> MailContent | None:
    if not _may(limits.CONFIRMATION_MAIL, mail):
        return None
    url = _url("accounts:confirm-email", mail.language, sign_up_key(sign_up))
    return MailContent("account_confirm_email", {"url": url})


def _may(limit: limits.Limit, mail: OutgoingMail) -> bool:
    return limits.consume_mail(limit, mail.to)


def _url(name: str, language: str, *args: str) -> str:
    with translation.override(language):
        return absolute_url(reverse(name, args=args))
