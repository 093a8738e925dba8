"""Addresses of the catalogue's pages in the active language."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.urls import reverse
from django.utils import translation

from catalog.models import Product
from shop.core.site import absolute_url


def product_url(product: Product) -> str:
    """The canonical address: number and name (`/produit/12-lame-d-automne`)."""
    return reverse("catalog:product", kwargs={"product_id": product.pk, "slug": product_slug(product)})


def product_slug(product: Product) -> str:
    """The name in the address, in the active language; a product saved without one is called by its number only."""
    return product.slug or "piece"


def reviews_url(product: Product) -> str:
    """The page of all the product's reviews: `/produit/12-lame-d-automne/avis`."""
    return reverse("catalog:reviews", kwargs={"product_id": product.pk, "slug": product_slug(product)})


def in_each_language(path: Callable[[], str]) -> list[tuple[str, str, str]]:
    """(code, name, full address) of a page in every language; `path` is asked for its path in each of them."""
    addresses = []
    for code, label in settings.LANGUAGES:
        with translation.override(code):
            addresses.append((code, label, absolute_url(path())))
    return addresses
