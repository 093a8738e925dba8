"""Messages of visitors, as the workshop reads them."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from shop.core.keyset import KeysetPage, read_page
from shop.core.searching import rows_with_words
from shop.pages.models import ContactRequest

PAGE_SIZE = 30
_SEARCHED = ("reference", "email", "first_name", "last_name", "subject", "message")


def find_contacts(*, state: str = "", search: str = "", cursor: str = "") -> KeysetPage[Any]:
    """Return a page of the messages, newest first, each with its `picture_count`. One query.

    `search` is a part of the reference, the address, the name, the subject or the words. Raises BadCursor.
    """
    rows = ContactRequest.objects.annotate(picture_count=Count("images"))
    if state:
        rows = rows.filter(state=state)
    return read_page(rows_with_words(rows, search, _SEARCHED), cursor, moment="created_at", size=PAGE_SIZE)


def contact_with_words(contact_id: int) -> ContactRequest | None:
    """Return a message with its product, pictures and answers. Three queries."""
    rows = ContactRequest.objects.select_related("product").prefetch_related("images", "replies__actor")
    return rows.filter(pk=contact_id).first()
