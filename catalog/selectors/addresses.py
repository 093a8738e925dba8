"""Addresses of the catalogue's pages: one in the active language, and all of them for search engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import translation

from catalog.models import Category, CategoryKind, Product, ProductImage
from shop.core.languages import active_language
from shop.core.site import COLLECTION_VIEW, absolute_url

# What a name without any Latin letter is called in addresses.
SLUG_FALLBACK = "piece"
# Four addresses a product, and a sitemap may hold 50 000.
SITEMAP_SIZE = 5000
_BATCH = 1000


def product_url(product: Product) -> str:
    """The canonical address: number and name (`/produit/12-lame-d-automne`)."""
    return reverse("catalog:product", kwargs={"product_id": product.pk, "slug": product_slug(product)})


def product_slug(product: Product) -> str:
    """The name in the address, in the active language; a product saved without one is called by its number only."""
    return product.slug or SLUG_FALLBACK


def reviews_url(product: Product) -> str:
    """The page of all the product's reviews: `/produit/12-lame-d-automne/avis`."""
    return reverse("catalog:reviews", kwargs={"product_id": product.pk, "slug": product_slug(product)})


def in_each_language(path: Callable[[], str]) -> list[tuple[str, str, str]]:
    """(code, name, full address) of a page in every language; `path` is asked for its path in each of them."""
    paths = paths_in_each_language(path)
    return [(code, label, absolute_url(paths[code])) for code, label in settings.LANGUAGES]


def paths_in_each_language(path: Callable[[], str]) -> dict[str, str]:
    """The path of a page by language; `path` is asked for it in each of them."""
    paths = {}
    for code, _label in settings.LANGUAGES:
        with translation.override(code):
            paths[code] = path()
    return paths


def category_url(category: Category) -> str:
    """Where the products of a category are listed, in the active language."""
    slug = category.slug_in(active_language())
    if category.kind == CategoryKind.COLLECTION:
        return reverse(COLLECTION_VIEW, kwargs={"slug": slug})
    return f"{reverse('catalog:list')}?category={slug}"


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page: its path in each language, the addresses of its pictures, when it last changed (None: not known)."""

    paths: dict[str, str]
    pictures: tuple[str, ...] = ()
    changed_at: datetime | None = None


def sitemap_count() -> int:
    """How many files of `SITEMAP_SIZE` products there are. One query."""
    return -(-Product.objects.filter(is_published=True).count() // SITEMAP_SIZE)


def product_entries(number: int) -> Iterator[SitemapEntry]:
    """The products of file `number` (from 1). Two queries for each thousand of them: products, pictures."""
    codes = [code for code, _label in settings.LANGUAGES]
    shapes = {code: _shape(code) for code in codes}
    first = (number - 1) * SITEMAP_SIZE
    rows = (
        Product.objects.filter(is_published=True)
        .order_by("pk")
        .values_list("pk", "updated_at", *(f"slug_{code}" for code in codes))
    )
    for start in range(first, first + SITEMAP_SIZE, _BATCH):
        products = list(rows[start : min(start + _BATCH, first + SITEMAP_SIZE)])
        pictures = _pictures([row[0] for row in products])
        for pk, updated_at, *slugs in products:
            named = dict(zip(codes, slugs, strict=True))
            french = named[settings.LANGUAGE_CODE] or SLUG_FALLBACK
            paths = {code: shapes[code] % {"pk": pk, "slug": named[code] or french} for code in codes}
            yield SitemapEntry(paths, tuple(pictures[pk]), updated_at)
        if len(products) < _BATCH:
            return


def _pictures(products: Sequence[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    rows = ProductImage.objects.filter(product_id__in=products).order_by("product_id", "position", "pk")
    for product_id, name in rows.values_list("product_id", "file"):
        found[product_id].append(default_storage.url(name))
    return found


def _shape(code: str) -> str:
    """`/en/product/%(pk)s-%(slug)s`: the address is resolved once, not once a product."""
    with translation.override(code):
        path = reverse("catalog:product", kwargs={"product_id": 0, "slug": "slug"})
    return path.replace("0-slug", "%(pk)s-%(slug)s")


def choice_query(finish: str, variation_id: int | None) -> str:
    """Return the query of a product page's address with this choice made, "" where there is no choice."""
    named = (("finition", finish), ("format", variation_id))
    return urlencode({name: value for name, value in named if value})
