"""Reviews of a piece that everybody bought: written, decided on, published."""

from __future__ import annotations

from datetime import date

import pytest

from catalog.models import Review, ReviewState
from catalog.selectors import purchases
from catalog.selectors.purchases import Purchase
from catalog.services.reviews import moderate_review, submit_review
from catalog.tests.factories import make_user

WORDS = {"rating": 4, "title": "Superbe", "text": "Très fine."}


@pytest.fixture
def bought(monkeypatch):
    """Everybody bought everything, on one day."""
    monkeypatch.setattr(
        purchases, "_finders", [lambda user, product: Purchase("ABCD1234", date(2026, 11, 2), None)]
    )


def write(product, user=None, **words):
    values = {**WORDS, **words}
    return submit_review(
        user_id=(user or make_user(f"m{Review.objects.count()}@example.com")).pk,
        author_name="Zoé Ó.",
        product_id=product.pk,
        language="fr",
        **values,
    )


def decide(review, state, reason=""):
    return moderate_review(
        review_id=review.pk,
        seen=ReviewState(Review.objects.get(pk=review.pk).state),
        state=state,
        reason=reason,
        moderator_id=None,
        moderator="alix",
    )


def publish(product, **words):
    return decide(write(product, **words), ReviewState.PUBLISHED)
