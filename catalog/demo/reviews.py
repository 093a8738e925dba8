"""Reviews of the demonstration, by invented people: marked as such, in no average, in no structured data."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from catalog.demo.loader import read_entries
from catalog.models import Product, Review, ReviewState

_PRODUCTS = 6


def load_reviews() -> None:
    """Spread the reviews over the featured products; with one of them there, nothing is added."""
    if Review.objects.filter(demonstration=True).exists():
        return
    products = list(Product.objects.filter(is_published=True).order_by("-featured", "pk")[:_PRODUCTS])
    if not products:
        return
    now = timezone.now()
    for number, review in enumerate(read_entries("reviews.json")):
        published = now - timedelta(days=3 + 9 * number)
        Review.objects.create(
            product=products[number % len(products)],
            author_name=review["author"],
            rating=review["rating"],
            language=review["language"],
            title=review["title"],
            text=review["text"],
            experience_date=timezone.localdate(published) - timedelta(days=6),
            state=ReviewState.PUBLISHED,
            published_at=published,
            created_at=published - timedelta(days=1),
            demonstration=True,
        )
