"""Reviews, as those who moderate them read them."""

from __future__ import annotations

from catalog.models import Review
from shop.core.keyset import KeysetPage, read_page
from shop.core.searching import rows_with_words

PAGE_SIZE = 20
_SEARCHED = ("title", "text", "author_name", "guest_email", "order_reference", "product__name_fr")


def find_reviews(*, state: str = "", search: str = "", cursor: str = "") -> KeysetPage[Review]:
    """Return a page of the reviews with their products, newest first. One query.

    `search` is a part of the words, the author's name or address, the order's reference or the product's name. Raises
    BadCursor.
    """
    rows = Review.objects.select_related("product")
    if state:
        rows = rows.filter(state=state)
    return read_page(rows_with_words(rows, search, _SEARCHED), cursor, moment="created_at", size=PAGE_SIZE)


def review_with_decisions(review_id: int) -> Review | None:
    """Return a review with its product, its variant, its author and the decisions about it. Two queries."""
    rows = Review.objects.select_related("product", "variant", "user").prefetch_related("decisions")
    return rows.filter(pk=review_id).first()
