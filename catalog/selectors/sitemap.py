"""Addresses of every product, for search engines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.utils import translation

from catalog.models import Product
from catalog.selectors.addresses import product_url

# Four languages with four links each stay far below the 50,000 addresses and 50 MB of one file.
SITEMAP_SIZE = 5000


def sitemap_count() -> int:
    """How many files the products fill. One query."""
    return -(-Product.objects.filter(is_published=True).count() // SITEMAP_SIZE)


def product_addresses(number: int) -> Iterator[tuple[dict[str, str], datetime]]:
    """The products of one file (from 1): their path in each language, and when they last changed. One query, read
    in portions."""
    columns = [f"slug_{code}" for code, _label in settings.LANGUAGES]
    start = (number - 1) * SITEMAP_SIZE
    rows = Product.objects.filter(is_published=True).only(*columns, "updated_at").order_by("pk")
    for product in rows[start : start + SITEMAP_SIZE].iterator():
        paths = {}
        for code, _label in settings.LANGUAGES:
            with translation.override(code):
                paths[code] = product_url(product)
        yield paths, product.updated_at
