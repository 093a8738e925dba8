"""Mails that were written, as operators look for them."""

from __future__ import annotations

from shop.core.keyset import KeysetPage, read_page
from shop.core.models import OutgoingMail
from shop.core.searching import rows_with_words

PAGE_SIZE = 30
_LISTED = ("created_at", "to", "kind", "reference", "language", "state", "subject", "last_error", "sent_at")
_SEARCHED = ("to", "reference", "subject", "kind", "message_id")


def find_mails(*, state: str = "", search: str = "", cursor: str = "") -> KeysetPage[OutgoingMail]:
    """Return a page of the mails, newest first, without their words. One query. Raises BadCursor."""
    rows = OutgoingMail.objects.only(*_LISTED)
    if state:
        rows = rows.filter(state=state)
    return read_page(rows_with_words(rows, search, _SEARCHED), cursor, moment="created_at", size=PAGE_SIZE)
