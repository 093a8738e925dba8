"""Categories as pages and menus show them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from catalog.models import Category, CategoryFeature, CategoryKind, Product
from catalog.selectors.addresses import category_url
from catalog.selectors.availability import available_condition
from catalog.selectors.pictures import image_info
from shop.core.fragment_cache import cached_fragment
from shop.core.images import ImageInfo


@dataclass(frozen=True, slots=True)
class CategoryCard:
    """A category with the number of its products that can be bought. `title`, `intro` and `features` are for its own
    page."""

    slug: str
    name: str
    description: str
    colour: str
    count: int
    url: str
    image: ImageInfo | None
    selected: bool = False
    pk: int = 0
    kind: str = CategoryKind.MAIN
    title: str = ""
    intro: str = ""
    offers_formats: bool = False

    def as_selected(self) -> CategoryCard:
        """The same card, marked as the chosen one."""
        return replace(self, selected=True)


def main_categories() -> list[CategoryCard]:
    """The categories of the main catalogue, in the shop's order. One query."""
    return cached_fragment(lambda: _cards(CategoryKind.MAIN), "main-categories")


def collection_categories() -> list[CategoryCard]:
    """The collections, in the shop's order. One query."""
    return cached_fragment(lambda: _cards(CategoryKind.COLLECTION), "collections")


def collection_card(slug: str) -> CategoryCard | None:
    """One collection, or None. One query."""
    return cached_fragment(
        lambda: next(iter(_cards(CategoryKind.COLLECTION, slug=slug)), None), "collection", slug
    )


def collection_features(category: CategoryCard) -> list[tuple[str, str]]:
    """The « Caractéristiques » of a collection as (title, text). One query."""
    return cached_fragment(lambda: _features(category.pk), "collection-features", category.pk)


def _features(category_id: int) -> list[tuple[str, str]]:
    return [(row.title, row.text) for row in CategoryFeature.objects.filter(category_id=category_id)]


def category_exists(slug: str) -> bool:
    """Whether some category, of whatever kind, has this slug. One query."""
    return Category.objects.filter(slug=slug).exists()


def _cards(kind: str, **only: str) -> list[CategoryCard]:
    published = (
        Product.objects.filter(available_condition(), is_published=True, category=OuterRef("pk"))
        .order_by()
        .values("category")
        .annotate(found=Count("pk"))
        .values("found")
    )
    rows = (
        Category.objects.filter(kind=kind, **only)
        .select_related("picture")
        .annotate(product_count=Coalesce(Subquery(published), 0))
        .order_by("position", "pk")
    )
    return [
        CategoryCard(
            slug=row.slug,
            name=row.name,
            description=row.description,
            colour=row.colour,
            count=row.product_count,
            url=category_url(row.kind, row.slug),
            image=image_info(row.picture, row.name) if hasattr(row, "picture") else None,
            pk=row.pk,
            kind=row.kind,
            title=row.title or row.name,
            intro=row.intro,
            offers_formats=row.offers_formats,
        )
        for row in rows
    ]
