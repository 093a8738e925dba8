"""Another e-mail address for an account, proved from both mailboxes: the old one agrees, the new one is theirs. An
operator agrees for a mailbox that is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import mails
from accounts.email_changes import Mailbox, read_email_change_key
from accounts.models import EmailChange, User
from accounts.selectors import has_account, pending_email_change
from accounts.services.members import clean_email
from shop.core import limits
from shop.core.audit import record_audit
from shop.core.clocks import moment_is_due
from shop.core.mail import move_mails, queue_mail
from shop.core.members import lock_member
from shop.core.problems import Problem

PRESSED_TWICE = timedelta(minutes=1)
"""Who asks for the same address again within this time pressed twice: the mails are on their way, their links good."""

MoveAddress = Callable[[str, str], object]
_listeners: list[MoveAddress] = []


def register_moved_address(listen: MoveAddress) -> None:
    """From now on `listen(old, new)` is called in the transaction in which an account's address changes. Call it in an
    `AppConfig.ready()`; again changes nothing."""
    if listen not in _listeners:
        _listeners.append(listen)


class Outcome(StrEnum):
    """What a confirmation led to. `TAKEN`: somebody else has the address by now, so that nothing was changed."""

    WAITING = "waiting"
    DONE = "done"
    TAKEN = "taken"


def request_email_change(*, user: User, email: str, language: str, by_operator: bool = False) -> EmailChange:
    """Write down the wish for another address of who proved fully who they are, and to both mailboxes; an earlier wish
    is void, or is this one (`PRESSED_TWICE`). `by_operator`: they made sure of it otherwise, as the old mailbox is
    lost; it can still refuse until the new one agrees.

    The same is done for an address that has an account: its owner is told so by mail, nobody else. Call this outside
    any transaction. Raises Problem: 400 `invalid_email`, `same_email`; 429 `throttled`; and
    `NotAuthenticated` (see `lock_member`).
    """
    address = check_new_email(user, email)
    limits.enforce(limits.EMAIL_CHANGE_ACCOUNT, str(user.pk))
    with transaction.atomic():
        lock_member(user.pk)
        before = pending_email_change(user)
        if (
            before is not None
            and not by_operator
            and before.new_email == address
            and not moment_is_due(before.requested_at, timezone.now(), after=PRESSED_TWICE)
        ):
            return before
        EmailChange.objects.filter(user=user).delete()
        change = EmailChange.objects.create(
            user=user,
            new_email=address,
            language=language,
            session_hash=user.get_session_auth_hash(),
            old_confirmed_at=timezone.now() if by_operator else None,
        )
        for mailbox, to in ((Mailbox.OLD, user.email), (Mailbox.NEW, address)):
            queue_mail(
                kind="account_email_change",
                to=to,
                language=language,
                context={"change": str(change.pk), "mailbox": mailbox.value},
            )
        record_audit("email.change_requested", user, actor=None if by_operator else user)
    return change


def check_new_email(user: User, email: str) -> str:
    """Return another address for the account, in its stored form. Raises Problem 400 `invalid_email`, `same_email`."""
    address = clean_email(email)
    if address == user.email:
        message = _("C'est déjà l'adresse de votre compte.")
        raise Problem("same_email", message, errors={"email": [message]})
    return address


def cancel_email_change(*, user: User) -> bool:
    """Void the member's wish for another address; False where there is none, as after it came true."""
    with transaction.atomic():
        _lock(user.pk)
        return bool(EmailChange.objects.filter(user=user).delete()[0])


def email_change_of_key(key: str) -> tuple[EmailChange, Mailbox] | None:
    """Return the change that a link is about and the mailbox it was sent to; None when the link is no longer good.

    Two queries.
    """
    read = read_email_change_key(key)
    change = EmailChange.objects.select_related("user").filter(pk=read[0]).first() if read else None
    if read is None or change is None or not change.user.is_active:
        return None
    return (change, read[1]) if pending_email_change(change.user) else None


def confirm_email_change(*, key: str) -> Outcome:
    """Take the agreement of one mailbox; with that of the other the account's address changes and both are told.

    Raises Problem 400 `invalid_link`.
    """
    with transaction.atomic():
        change, mailbox = _locked_change(key)
        column = f"{mailbox.value}_confirmed_at"
        if getattr(change, column) is None:
            setattr(change, column, timezone.now())
            change.save(update_fields=[column])
        if change.old_confirmed_at is None or change.new_confirmed_at is None:
            return Outcome.WAITING
        change.delete()
        return _change_email(change.user, change.new_email, change.language)


def refuse_email_change(*, key: str) -> None:
    """Void a change by the link of either mailbox. Raises Problem 400 `invalid_link`."""
    with transaction.atomic():
        change, _mailbox = _locked_change(key)
        change.delete()
        record_audit("email.change_refused", change.user, actor=None)


def purge_email_changes(before: datetime, limit: int) -> int:
    """Delete changes that nobody confirmed since, at most `limit`; return how many."""
    old = EmailChange.objects.filter(requested_at__lt=before).values_list("pk", flat=True)[:limit]
    return EmailChange.objects.filter(pk__in=list(old)).delete()[0]


def _locked_change(key: str) -> tuple[EmailChange, Mailbox]:
    """Return what a link is about, held until the transaction ends. Raises Problem 400 `invalid_link`."""
    found = email_change_of_key(key)
    if found is not None:
        _lock(found[0].user_id)
        found = email_change_of_key(key)
    if found is None:
        raise _invalid_link()
    return found


def _lock(user_id: int) -> None:
    """Two answers to one wish wait for each other: the second finds what the first left."""
    User.objects.select_for_update(no_key=True).get(pk=user_id)


def _change_email(user: User, email: str, language: str) -> Outcome:
    old = user.email
    if has_account(email):
        return Outcome.TAKEN
    user.email = email
    try:
        with transaction.atomic():
            user.save(update_fields=["email"])
            EmailAddress.objects.filter(user=user).delete()
            EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)
    except IntegrityError:
        # Somebody signed up with it at this very moment.
        return Outcome.TAKEN
    for to in (old, email):
        mails.send_email_changed(to=to, old=old, new=email, language=language)
    move_mails(old, email)
    for listen in _listeners:
        listen(old, email)
    record_audit("email.changed", user, actor=user)
    return Outcome.DONE


def _invalid_link() -> Problem:
    return Problem("invalid_link", _("Ce lien n'est plus valable."), 400)
