"""The links by which a change of address is confirmed: one for each of its two mailboxes."""

from __future__ import annotations

from enum import StrEnum

from django.core import signing

from accounts.models import EmailChange
from accounts.selectors import EMAIL_CHANGE_LIFETIME

_SALT = "accounts.email-change"


class Mailbox(StrEnum):
    """Where a link was sent."""

    OLD = "old"
    NEW = "new"


def email_change_key(change: EmailChange, mailbox: Mailbox) -> str:
    """Return what the link ends with that is sent to one of the two addresses."""
    return signing.dumps([str(change.pk), mailbox.value], salt=_SALT)


def read_email_change_key(key: str) -> tuple[str, Mailbox] | None:
    """Return the key of the change and the mailbox of a link; None when it is forged or too old."""
    try:
        change_id, mailbox = signing.loads(key, salt=_SALT, max_age=EMAIL_CHANGE_LIFETIME)
        return str(change_id), Mailbox(mailbox)
    except (signing.BadSignature, ValueError, TypeError):
        return None
