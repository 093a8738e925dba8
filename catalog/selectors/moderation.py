"""Reviews, as those who moderate them read them."""

from __future__ import annotations

from django.contrib.auth import get_user_model

from catalog.models import Review, ReviewDecision


def review_with_decisions(review_id: int) -> Review | None:
    """Return a review with its product, its variant, its author and the decisions about it. Two queries."""
    rows = Review.objects.select_related("product", "variant", "user").prefetch_related("decisions")
    return rows.filter(pk=review_id).first()


def named_decisions(review: Review) -> list[tuple[ReviewDecision, str]]:
    """Return the decisions about a review with the address of who took them; their key, as it is kept, for an account
    that is no more. One query beside those of `review_with_decisions`."""
    decisions = list(review.decisions.all())
    keys = [decision.actor.removeprefix("#") for decision in decisions]
    people = get_user_model().objects.filter(pk__in=[key for key in keys if key.isdecimal()])
    names = {f"#{person.pk}": person.email for person in people}
    return [(decision, names.get(decision.actor, decision.actor)) for decision in decisions]
