"""Links of the newsletter's mails. Whoever has a subscriber's token may do what its owner may do with these pages."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse
from django.utils import translation

from blog.models import Campaign, Purpose, Subscriber
from shop.core.site import absolute_url


def confirm_url(subscriber: Subscriber) -> str:
    """The page whose button confirms the subscription."""
    return _link("blog:newsletter-confirm", subscriber)


def preferences_url(subscriber: Subscriber) -> str:
    """The page of what its owner wants to receive."""
    return _link("blog:newsletter-preferences", subscriber)


def unsubscribe_url(
    subscriber: Subscriber, *, campaign_id: int | None = None, purpose: Purpose = Purpose.NEWSLETTER
) -> str:
    """The page that ends it; it takes a POST of mail programs (RFC 8058). `campaign_id`: the letter it stands in."""
    more = {} if campaign_id is None else {"lettre": str(campaign_id)}
    if purpose == Purpose.CART_REMINDERS:
        more["objet"] = "panier"
    return _link("blog:newsletter-stop", subscriber, **more)


def archive_url(campaign: Campaign, language: str) -> str:
    """The page of a letter that was sent."""
    with translation.override(language):
        return absolute_url(reverse("blog:newsletter-letter", args=[campaign.pk]))


def _link(name: str, subscriber: Subscriber, **more: str) -> str:
    with translation.override(subscriber.language):
        return f"{absolute_url(reverse(name))}?{urlencode({'cle': subscriber.token, **more})}"
