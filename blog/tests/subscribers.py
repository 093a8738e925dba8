"""Subscribers and letters for tests."""

from __future__ import annotations

from django.utils import timezone

from accounts.models import User
from accounts.tests.people import make_admin
from blog.models import Campaign, Subscriber
from blog.services.newsletter.campaigns import (
    LetterDraft,
    LetterText,
    create_campaign,
    save_campaign,
    start_campaign,
)


def make_subscriber(email="lea@example.com", language="fr", **columns):
    values = {
        "subscribed_at": timezone.now(),
        "token": f"{email}-".replace("@", "-").replace(".", "-").ljust(43, "t"),
    }
    return Subscriber.objects.create(email=email, language=language, **(values | columns))


def make_letter(topic="", category=None, actor=None, **texts) -> Campaign:
    """A draft; `texts` are its bodies by language, French "Bonjour." without any."""
    actor = actor or _somebody()
    campaign = create_campaign(title="Novembre", actor=actor)
    draft = LetterDraft(
        "Novembre",
        topic,
        category.pk if category else None,
        {code: LetterText(f"Objet {code}", "", body) for code, body in (texts or {"fr": "Bonjour."}).items()},
    )
    return save_campaign(
        campaign_id=campaign.pk, draft=draft, seen=campaign.updated_at.isoformat(), actor=actor
    )


def start_letter(**options) -> Campaign:
    actor = options.pop("actor", None) or _somebody()
    return start_campaign(campaign_id=make_letter(actor=actor, **options).pk, at=None, actor=actor)


def _somebody() -> User:
    return User.objects.filter(is_staff=True).first() or make_admin()


def receivers(server):
    return sorted(message.to[0] for message in server.sent)
