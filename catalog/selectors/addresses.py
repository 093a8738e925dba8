"""Addresses of the catalogue's pages in the active language."""

from __future__ import annotations

from django.urls import reverse

from catalog.models import Product


def product_url(product: Product) -> str:
    """The canonical address: number and name (`/produit/12-lame-d-automne`)."""
    return reverse("catalog:product", kwargs={"product_id": product.pk, "slug": product_slug(product)})


def product_slug(product: Product) -> str:
    """The name in the address, in the active language; a product saved without one is called by its number only."""
    return product.slug or "piece"
