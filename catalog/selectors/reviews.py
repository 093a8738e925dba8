"""Published reviews."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import cast

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Case, Count, DecimalField, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext as _

from catalog.models import Review, ReviewState
from catalog.selectors.addresses import product_url
from catalog.selectors.listing import PageOutOfRangeError
from shop.core.fragment_cache import cached_fragment
from shop.core.languages import active_language

SHOWN = 10
LATEST = 3
BEST = 5


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """A review as pages show it. `variant` names what was bought, "" where there was no choice."""

    id: int
    rating: int
    title: str
    text: str
    author: str
    language: str
    experience_date: date
    published_at: datetime
    demonstration: bool
    variant: str

    @property
    def stars(self) -> tuple[bool, ...]:
        """Whether each of the five is earned."""
        return tuple(number <= self.rating for number in range(1, BEST + 1))


@dataclass(frozen=True, slots=True)
class LatestReview:
    """A review outside its product's page."""

    review: ReviewCard
    product_name: str
    url: str


@dataclass(frozen=True, slots=True)
class Rating:
    """The mean of so many reviews."""

    average: Decimal
    count: int


def product_reviews(product_id: int, *, limit: int, start: int = 0) -> list[ReviewCard]:
    """Published reviews of a product, those in the active language first, then the latest. One query."""
    return cached_fragment(lambda: _of_product(product_id, limit, start), "reviews", product_id, limit, start)


def _of_product(product_id: int, limit: int, start: int) -> list[ReviewCard]:
    rows = _published().filter(product_id=product_id)[start : start + limit]
    return [review_card(row) for row in rows]


def review_page(product_id: int, *, number: int) -> Page[ReviewCard]:
    """`SHOWN` published reviews of a product in that same order, from page 1. Two queries, one without any review.

    Raises `PageOutOfRangeError`; the first page of nothing exists.
    """
    rows = _published().filter(product_id=product_id)
    paginator = Paginator(rows, SHOWN)
    if number > paginator.num_pages:
        raise PageOutOfRangeError(number)
    cards = [review_card(row) for row in paginator.page(number).object_list]
    return Page(cards, number, cast("Paginator[ReviewCard]", paginator))


def latest_reviews() -> list[LatestReview]:
    """The `LATEST` latest published reviews of products on sale, at most one a product. One query."""
    return cached_fragment(_latest, "latest-reviews")


def _latest() -> list[LatestReview]:
    published = _published().filter(product__is_published=True)
    place = Window(RowNumber(), partition_by="product", order_by=_order())
    return [
        LatestReview(review_card(row), row.product.name, f"{product_url(row.product)}#avis")
        for row in published.annotate(place=place).filter(place=1).select_related("product")[:LATEST]
    ]


def overall_rating() -> Rating | None:
    """The rating of the whole shop, from the reviews that its pages show but those of the demonstration; None without
    any. One query."""
    return cached_fragment(_overall, "overall-rating")


def _overall() -> Rating | None:
    found = Review.objects.filter(
        state=ReviewState.PUBLISHED, demonstration=False, product__is_published=True
    ).aggregate(average=Avg("rating", output_field=DecimalField()), count=Count("pk"))
    return Rating(Decimal(found["average"]), found["count"]) if found["count"] else None


def review_of_address(*, email: str, product_id: int) -> Review | None:
    """What was written about a product with this address, by its member or without an account. One query."""
    by = Q(user__email=email) | Q(guest_email=email)
    return Review.objects.filter(by, product_id=product_id).first()


def review_states(*, user_id: int, product_ids: Collection[int]) -> dict[int, str]:
    """The states of what a member wrote about these products, by the product's key. One query."""
    written = Review.objects.filter(user_id=user_id, product_id__in=product_ids)
    return dict(written.values_list("product_id", "state"))


def review_card(row: Review) -> ReviewCard:
    """A published row as pages show it."""
    assert row.published_at is not None
    return ReviewCard(
        id=row.pk,
        rating=row.rating,
        title=row.title,
        text=row.text,
        author=row.author_name or _("Client de la boutique"),
        language=row.language,
        experience_date=row.experience_date,
        published_at=row.published_at,
        demonstration=row.demonstration,
        variant=row.variant.label if row.variant else "",
    )


def _published() -> QuerySet[Review]:
    published = Review.objects.filter(state=ReviewState.PUBLISHED).select_related("variant__variation")
    return published.order_by(*_order())


def _order() -> tuple[Case, str, str]:
    """Those in the active language come first, the latest first among them and among the others."""
    return (Case(When(language=active_language(), then=0), default=1), "-published_at", "-pk")
