"""Messages of visitors, as the workshop reads them."""

from __future__ import annotations

from shop.pages.models import ContactRequest


def contact_with_words(contact_id: int) -> ContactRequest | None:
    """Return a message with its product, pictures and answers. Three queries."""
    rows = ContactRequest.objects.select_related("product").prefetch_related("images", "replies__actor")
    return rows.filter(pk=contact_id).first()
