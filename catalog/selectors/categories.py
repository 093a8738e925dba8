"""Categories as pages and menus show them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, OuterRef, Subquery
from django.utils import timezone

from catalog.models import (
    SLUG_FIELDS,
    Category,
    CategoryFeature,
    CategoryKind,
    CategoryPicture,
    Facet,
    FormerSlug,
    Product,
    ProductImage,
)
from catalog.selectors.addresses import category_url
from catalog.selectors.availability import available_condition
from catalog.selectors.cards import NEWEST
from catalog.selectors.category_rows import all_categories
from catalog.selectors.filters import Filters, count_categories, product_groups
from catalog.selectors.pictures import image_info
from shop.core.fragment_cache import cached_fragment
from shop.core.images import ImageInfo
from shop.core.languages import active_language


@dataclass(frozen=True, slots=True)
class CategoryCard:
    """A category with the number of its products on sale (`listed`) and of those that can be bought now (`count`).

    `slug` is its key, `address` its word in the active language. Its image is its own, else that of its newest piece
    that can be bought. `title`, `intro` and `features` are for its own page.
    """

    slug: str
    name: str
    description: str
    colour: str
    count: int
    url: str
    image: ImageInfo | None
    listed: int = 0
    address: str = ""
    in_season: bool = True
    selected: bool = False
    pk: int = 0
    kind: str = CategoryKind.MAIN
    title: str = ""
    intro: str = ""

    def as_selected(self) -> CategoryCard:
        """The same card, marked as the chosen one."""
        return replace(self, selected=True)


def menu_categories() -> list[Category]:
    """Those that are in season today, in the shop's order. One query, none on a cached page."""
    today = timezone.localdate()
    return [row for row in all_categories() if row.is_in_season(today)]


def buyable_categories() -> list[Category]:
    """Those with some product that can be bought, collections last. One query."""
    buyable = Product.objects.filter(available_condition(), is_published=True, category=OuterRef("pk"))
    rows = Category.objects.filter(Exists(buyable)).order_by("position", "pk")
    return sorted(rows, key=lambda row: row.kind != CategoryKind.MAIN)


def find_category(word: str) -> Category | None:
    """The category that has or had this address, in whatever language; one that has it comes first. Two queries."""
    word = word.lower()
    row = next((row for row in all_categories() if word in row.slugs), None)
    if row is None:
        former = FormerSlug.objects.filter(slug=word).select_related("category").first()
        row = former.category if former else None
    return row


def find_named_category(text: str) -> Category | None:
    """The category with this address or, else, this name, in any language and any case; else the one that had this
    address: files and programs keep it. Two queries at most."""
    wanted = text.strip().casefold()
    rows = all_categories()
    for names in (SLUG_FIELDS.values(), [f"name_{language}" for language in SLUG_FIELDS]):
        for row in rows:
            if wanted and wanted in [(getattr(row, name) or "").casefold() for name in names]:
                return row
    former = FormerSlug.objects.select_related("category")
    return next((row.category for row in former if row.slug == wanted), None)


def category_cards() -> list[CategoryCard]:
    """Every category, in the shop's order. Four queries."""
    return cached_fragment(_cards, "category-cards")


def collection_categories() -> list[CategoryCard]:
    """The collections, in the shop's order. Four queries."""
    return [card for card in category_cards() if card.kind == CategoryKind.COLLECTION]


def listed_categories(*, with_collections: bool) -> list[CategoryCard]:
    """The categories of the main catalogue, and collections after them, in the shop's order. Four queries."""
    cards = sorted(category_cards(), key=lambda card: card.kind != CategoryKind.MAIN)
    return [card for card in cards if with_collections or card.kind == CategoryKind.MAIN]


def collection_features(category: CategoryCard) -> list[tuple[str, str]]:
    """The « Caractéristiques » of a collection as (title, text). One query."""
    return cached_fragment(lambda: _features(category.pk), "collection-features", category.pk)


def _features(category_id: int) -> list[tuple[str, str]]:
    return [(row.title, row.text) for row in CategoryFeature.objects.filter(category_id=category_id)]


def category_key(slug: str) -> int | None:
    """The key of the category that has or had this address, of whatever kind. Two queries at most."""
    row = find_category(slug)
    return None if row is None else row.pk


def _cards() -> list[CategoryCard]:
    buyable = Product.objects.filter(available_condition(), is_published=True, category=OuterRef("pk"))
    newest_photo = (
        ProductImage.objects.filter(product=OuterRef("newest")).order_by("position", "pk").values("pk")[:1]
    )
    photographed = buyable.filter(images__isnull=False).order_by(*NEWEST).values("pk")[:1]
    pictured = (
        Category.objects.select_related("picture")
        .only("picture")
        .annotate(newest=Subquery(photographed))
        .annotate(photo=Subquery(newest_photo))
        .order_by()
        .in_bulk()
    )
    groups = product_groups()
    listed = count_categories(groups, Filters())
    available = count_categories([group for group in groups if Facet.AVAILABLE in group.facets], Filters())
    photos = ProductImage.objects.in_bulk(
        [row.photo for row in pictured.values() if row.photo and not _own(row)]
    )
    language, today = active_language(), timezone.localdate()
    return [
        CategoryCard(
            slug=row.slug,
            name=row.name,
            description=row.description,
            colour=row.colour,
            count=available.get(row.pk, 0),
            listed=listed.get(row.pk, 0),
            url=category_url(row),
            address=row.slug_in(language),
            in_season=row.is_in_season(today),
            image=image_info(found, row.name) if (found := _image(pictured.get(row.pk), photos)) else None,
            pk=row.pk,
            kind=row.kind,
            title=row.title or row.name,
            intro=row.intro,
        )
        for row in all_categories()
    ]


def _image(row: Any, photos: dict[int, ProductImage]) -> CategoryPicture | ProductImage | None:
    """A category's own picture, else that of its newest piece; None for one that was made since the rows were read."""
    return None if row is None else _own(row) or photos.get(row.photo)


def _own(category: Category) -> CategoryPicture | None:
    return getattr(category, "picture", None)
