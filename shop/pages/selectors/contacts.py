"""Messages of visitors, as the workshop reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from shop.core.keyset import rows_after, write_cursor
from shop.pages.models import ContactRequest

PAGE_SIZE = 30


@dataclass(frozen=True, slots=True)
class ContactPage:
    """A part of the messages, newest first, each with its `picture_count`. `next_cursor` is empty on the last page."""

    requests: Sequence[ContactRequest]
    next_cursor: str


def find_contacts(*, state: str = "", search: str = "", cursor: str = "") -> ContactPage:
    """Return a page of the messages. One query.

    `search` is a part of the reference, the address, the name, the subject or the words. Raises BadCursor.
    """
    rows = ContactRequest.objects.annotate(picture_count=Count("images"))
    if state:
        rows = rows.filter(state=state)
    for word in search.split():
        wanted = Q()
        for field in ("reference", "email", "first_name", "last_name", "subject", "message"):
            wanted |= Q(**{f"{field}__icontains": word})
        rows = rows.filter(wanted)
    found: Sequence[ContactRequest] = list(rows_after(rows, cursor, moment="created_at")[: PAGE_SIZE + 1])
    page = found[:PAGE_SIZE]
    more = len(found) > PAGE_SIZE
    return ContactPage(page, write_cursor(page[-1].created_at, page[-1].pk) if more else "")


def contact_with_words(contact_id: int) -> ContactRequest | None:
    """Return a message with its product, pictures and answers. Three queries."""
    rows = ContactRequest.objects.select_related("product").prefetch_related("images", "replies__actor")
    return rows.filter(pk=contact_id).first()
