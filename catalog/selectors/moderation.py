"""Reviews, as those who moderate them read them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from catalog.models import Review
from shop.core.keyset import rows_after, write_cursor

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """A part of the reviews, newest first. `next_cursor` is empty on the last page."""

    reviews: list[Review]
    next_cursor: str


def find_reviews(*, state: str = "", search: str = "", cursor: str = "") -> ReviewPage:
    """Return a page of the reviews with their products. One query.

    `search` is a part of the words, the author's name or address, the order's reference or the product's name. Raises
    BadCursor.
    """
    rows = Review.objects.select_related("product")
    if state:
        rows = rows.filter(state=state)
    for word in search.split():
        wanted = Q()
        for field in ("title", "text", "author_name", "guest_email", "order_reference", "product__name_fr"):
            wanted |= Q(**{f"{field}__icontains": word})
        rows = rows.filter(wanted)
    found = list(rows_after(rows, cursor, moment="created_at")[: PAGE_SIZE + 1])
    page = found[:PAGE_SIZE]
    more = len(found) > PAGE_SIZE
    return ReviewPage(page, write_cursor(page[-1].created_at, page[-1].pk) if more else "")


def review_with_decisions(review_id: int) -> Review | None:
    """Return a review with its product, its variant, its author and the decisions about it. Two queries."""
    rows = Review.objects.select_related("product", "variant", "user").prefetch_related("decisions")
    return rows.filter(pk=review_id).first()
