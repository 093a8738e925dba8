"""Wishes for a mail when a piece is back or a collection opens, as their owner reads them."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import QuerySet

from catalog.models import Notice

SUBJECT = ("product__category", "category", "variant__variation")


def notices_of(emails: Collection[str]) -> QuerySet[Notice]:
    """Return the wishes of proven addresses that no mail has answered yet, the latest first. One query."""
    return Notice.objects.filter(email__in=emails, sent_at=None).select_related(*SUBJECT)
