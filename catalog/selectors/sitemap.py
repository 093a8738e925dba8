"""Addresses of all published products, for search engines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils import translation

from catalog.models import Product

# Four addresses a product, and a sitemap may hold 50 000.
SITEMAP_SIZE = 5000


def sitemap_count() -> int:
    """How many files of `SITEMAP_SIZE` products there are. One query."""
    return -(-Product.objects.filter(is_published=True).count() // SITEMAP_SIZE)


def product_addresses(number: int) -> Iterator[tuple[dict[str, str], datetime]]:
    """The products of file `number` (from 1): their path in each language and when they last changed. One query."""
    codes = [code for code, _label in settings.LANGUAGES]
    shapes = {code: _shape(code) for code in codes}
    start = (number - 1) * SITEMAP_SIZE
    rows = (
        Product.objects.filter(is_published=True)
        .order_by("pk")
        .values_list("pk", "updated_at", *(f"slug_{code}" for code in codes))[start : start + SITEMAP_SIZE]
    )
    for pk, updated_at, *slugs in rows.iterator(chunk_size=1000):
        named = dict(zip(codes, slugs, strict=True))
        french = named[settings.LANGUAGE_CODE] or "piece"
        yield {code: shapes[code] % {"pk": pk, "slug": named[code] or french} for code in codes}, updated_at


def _shape(code: str) -> str:
    """`/en/produit/%(pk)s-%(slug)s`: the address is resolved once, not once a product."""
    with translation.override(code):
        path = reverse("catalog:product", kwargs={"product_id": 0, "slug": "slug"})
    return path.replace("0-slug", "%(pk)s-%(slug)s")
