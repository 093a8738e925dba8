"""The fields of the newsletter's preferences: on the page of a mail's link, and in the member area."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from blog.models import ConsentSource, Purpose, Subscriber, Topic
from blog.selectors.consents import consent_text
from blog.selectors.subscribers import TOPIC_COLUMNS
from blog.services.newsletter.consents import Origin
from blog.services.newsletter.subscriptions import Choices
from catalog.selectors.category_rows import all_categories
from shop.core.client_address import client_address, network_fingerprint
from shop.core.languages import active_language
from shop.core.row_keys import read_keys


def origin_of(request: HttpRequest, source: ConsentSource) -> Origin:
    """Return where something is being said."""
    return Origin(source, active_language(), network_fingerprint(client_address(request)))


def read_choices(request: HttpRequest, *, is_member: bool) -> Choices:
    """Return what the form of preferences says."""
    return Choices(
        newsletter="newsletter" in request.POST,
        topics=frozenset(topic for topic in Topic if topic.value in request.POST.getlist("topics")),
        category_ids=(
            None if "every_category" in request.POST else read_keys(request.POST.getlist("categories"))
        ),
        cart_reminders="cart_reminders" in request.POST if is_member else None,
        language=request.POST.get("language") or None,
    )


def choices_context(subscriber: Subscriber | None) -> dict[str, Any]:
    """Return what the fields of the preferences show; without a subscriber, what somebody new would begin with. Two
    queries at most."""
    chosen = set(subscriber.categories.values_list("pk", flat=True)) if subscriber is not None else set()
    return {
        "subscriber": subscriber,
        "topics": [
            (topic.value, topic.label, subscriber is None or getattr(subscriber, column))
            for topic, column in TOPIC_COLUMNS.items()
        ],
        "every_category": subscriber is None or (subscriber.every_category and not chosen),
        "categories": [(category.pk, category.name, category.pk in chosen) for category in all_categories()],
        "newsletter_consent": consent_text(Purpose.NEWSLETTER),
        "reminder_consent": consent_text(Purpose.CART_REMINDERS),
    }
