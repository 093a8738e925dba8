"""Mails that were written, as operators look for them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from shop.core.keyset import rows_after, write_cursor
from shop.core.models import OutgoingMail

PAGE_SIZE = 30
_LISTED = ("created_at", "to", "kind", "reference", "language", "state", "subject", "last_error", "sent_at")


@dataclass(frozen=True, slots=True)
class MailPage:
    """A part of the mails, newest first. `next_cursor` is empty on the last page."""

    mails: list[OutgoingMail]
    next_cursor: str


def find_mails(*, state: str = "", search: str = "", cursor: str = "") -> MailPage:
    """Return a page of the mails, without their words. One query. Raises BadCursor."""
    rows = OutgoingMail.objects.only(*_LISTED)
    if state:
        rows = rows.filter(state=state)
    for word in search.split():
        rows = rows.filter(
            Q(to__icontains=word)
            | Q(reference__icontains=word)
            | Q(subject__icontains=word)
            | Q(kind__icontains=word)
            | Q(message_id__icontains=word)
        )
    found = list(rows_after(rows, cursor, moment="created_at")[: PAGE_SIZE + 1])
    page = found[:PAGE_SIZE]
    more = len(found) > PAGE_SIZE
    return MailPage(page, write_cursor(page[-1].created_at, page[-1].pk) if more else "")
