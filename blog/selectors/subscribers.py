"""Who receives the newsletter."""

from __future__ import annotations

import re
from typing import Final

from django.db.models import Count, Q, QuerySet

from blog.models import Campaign, Subscriber, Topic
from shop.core.fragment_cache import cached_fragment
from shop.core.members import blocked_members

CLAIMED_FROM: Final = 500
"""Below it no page speaks of a number of subscribers."""
TOPIC_COLUMNS: Final = {
    Topic.ARTICLES: "wants_articles",
    Topic.PIECES: "wants_pieces",
    Topic.PROMOTIONS: "wants_promotions",
}
_TOKEN = re.compile(r"[-_A-Za-z0-9]{20,64}")


def receivers() -> QuerySet[Subscriber]:
    """Return who is written to."""
    found = Subscriber.objects.filter(subscribed_at__isnull=False, suspended_at=None)
    return found.exclude(email__in=blocked_members().values("email"))


def audience(campaign: Campaign) -> QuerySet[Subscriber]:
    """Return who is in a letter's segment, in any language."""
    found = receivers()
    if campaign.topic:
        found = found.filter(**{TOPIC_COLUMNS[Topic(campaign.topic)]: True})
    if campaign.category_id is not None:
        # The version before 0004_every_category leaves the column true beside a choice, for as long as it still runs.
        found = found.filter(Q(categories=campaign.category_id) | Q(every_category=True, categories=None))
    return found


def audience_counts(campaign: Campaign) -> dict[str, int]:
    """Return how many of a letter's segment read each language. One query."""
    counted = audience(campaign).order_by().values("language").annotate(count=Count("pk", distinct=True))
    return {row["language"]: row["count"] for row in counted}


def claimed_number() -> int:
    """Return the number of subscribers, 0 below the first that is worth a claim. One query a minute at most."""
    return cached_fragment(_claimed_number, "newsletter", "claim")


def _claimed_number() -> int:
    count = receivers().count()
    return count if count >= CLAIMED_FROM else 0


def find_by_token(token: str) -> Subscriber | None:
    """Return whom the link of a mail names. One query, none for what can't be a token."""
    if not _TOKEN.fullmatch(token):
        return None
    return Subscriber.objects.filter(token=token).first()


def find_subscriber(email: str) -> Subscriber | None:
    """Return the row of an address in its stored form. One query."""
    return Subscriber.objects.filter(email=email).first()


def gets_letters(email: str) -> bool:
    """Return whether letters are sent to an address in its stored form: they go on after an account that ends by
    inactivity. One query."""
    subscriber = find_subscriber(email)
    return subscriber is not None and subscriber.receives
