"""Letters of the newsletter, as staff and visitors read them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from blog.models import Campaign, CampaignRecipient, CampaignState, CampaignText
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.models import MailState, OutgoingMail

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Figures:
    """How far a letter is. `written`: to whom it goes or went; `waiting`: not sent yet, or to be tried again;
    `unsubscribed`: by its own link. No opening and no click is counted (CNIL 2026-042)."""

    audience: int
    written: int
    sent: int
    failed: int
    waiting: int
    unsubscribed: int

    @property
    def percent(self) -> int:
        """How much is done, of those in the segment when it was asked."""
        return 100 if not self.audience else min(100, (self.written - self.waiting) * 100 // self.audience)


def all_campaigns() -> QuerySet[Campaign]:
    """Return the letters, the newest first, with their texts. Two queries."""
    return Campaign.objects.select_related("category").prefetch_related("texts")


def find_campaign(campaign_id: int) -> Campaign | None:
    """Return a letter with its texts. Two queries."""
    return all_campaigns().filter(pk=campaign_id).first()


def held_letters() -> int:
    """Return how many letters wait for staff: paused ones, and planned ones that did not leave, as they had become
    empty, and are as they were. One query."""
    held = Q(state=CampaignState.DRAFT, scheduled_at__isnull=False) | Q(state=CampaignState.PAUSED)
    return Campaign.objects.filter(held).count()


def what_keeps_category(category_id: int) -> str:
    """Return the sentence that says which letter is for a category and still to be sent, "" for none: without its
    category it would go to everybody. One query."""
    over = (CampaignState.SENT, CampaignState.CANCELLED)
    letter = Campaign.objects.filter(category=category_id).exclude(state__in=over).order_by("pk").first()
    if letter is None:
        return ""
    return _(
        "La lettre «\u00a0%(title)s\u00a0» de la newsletter est pour cette catégorie. Changez-la d'abord."
    ) % {"title": letter.title}


def figures_of(campaign: Campaign, audience: int) -> Figures:
    """Return the figures of a letter that was started. Three queries, two for one that has ended."""
    recipients = CampaignRecipient.objects.filter(campaign=campaign).aggregate(
        written=Count("pk"), unsubscribed=Count("pk", filter=Q(unsubscribed_at__isnull=False))
    )
    if campaign.finished_at is not None:
        sent, failed, waiting = campaign.sent_count, campaign.failed_count, 0
    else:
        states = mail_states(campaign)
        sent, failed = states.get(MailState.SENT, 0), states.get(MailState.FAILED, 0)
        waiting = states.get(MailState.QUEUED, 0) + states.get(MailState.SENDING, 0)
    return Figures(
        max(audience, recipients["written"]),
        recipients["written"],
        sent,
        failed,
        waiting,
        recipients["unsubscribed"],
    )


def mail_states(campaign: Campaign) -> dict[str, int]:
    """Return how many of a letter's mails are in each state. One query."""
    rows = OutgoingMail.objects.filter(reference=campaign.mail_reference).order_by()
    return {row["state"]: row["count"] for row in rows.values("state").annotate(count=Count("pk"))}


def archived_letters() -> QuerySet[Campaign]:
    """Return the letters that everybody may read, the newest first, with their texts. Two queries.

    From the first mails on, each of which has a link to its page; one that was cancelled is taken back.
    """
    texts = Prefetch("texts", CampaignText.objects.filter(blocks__isnull=False))
    leaving = Q(state__in=(CampaignState.SENDING, CampaignState.PAUSED), cursor__gt=0)
    return (
        Campaign.objects.filter(Q(state=CampaignState.SENT) | leaving)
        .order_by("-started_at", "-pk")
        .prefetch_related(texts)
    )


def shown_pictures(names: Collection[str]) -> set[str]:
    """Return those of these files that letters show which began to leave: in mailboxes, they are as they were sent.
    One query."""
    sent = CampaignText.objects.filter(blocks__isnull=False).values_list("blocks", flat=True)
    addresses = "\n".join(block.get("image", "") for blocks in sent for block in blocks or ())
    return {name for name in names if name in addresses}


def text_to_read(campaign: Campaign, language: str) -> CampaignText | None:
    """Return a letter's text in a language, else in French, else in the first that it has. No query when they were
    prefetched."""
    texts = {text.language: text for text in campaign.texts.all()}
    return texts.get(language) or texts.get(SOURCE_LANGUAGE) or next(iter(texts.values()), None)
