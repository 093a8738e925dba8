"""Sending a letter: once to each of its segment, after every other mail, through any number of killed workers.

Who is written to is one row a letter and subscriber, written in the transaction of the mail: a part that is done again
writes nobody twice. A part stops when the letter is paused, and as soon as another mail is due. Whether somebody still
wants it is asked again when the mail leaves.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from blog.mails.letters import letter_context, letter_links
from blog.models import Campaign, CampaignRecipient, CampaignState, CampaignText
from blog.selectors.letters import mail_states
from blog.selectors.subscribers import audience
from blog.services.newsletter.campaigns import (
    LETTER_MAIL,
    SEND_TASK,
    finish,
    refresh_campaign,
    settle_cancelled,
    start_due_campaigns,
)
from shop.core.clocks import is_free
from shop.core.content_version import content_changed
from shop.core.each_row import each_row, each_step
from shop.core.enqueue import enqueue
from shop.core.mail import BulkMail, queue_bulk_mails
from shop.core.mail_content import MailContent
from shop.core.mail_delivery import deliver_bulk
from shop.core.models import MailState, OutgoingMail

BATCH: Final = 100
PART_SECONDS: Final = 10.0
# Longer than one mail takes: whoever is killed gives the letter back when it ends.
LEASE = timedelta(seconds=30)
BULK_KIND: Final = "newsletter"
"""Of the rows in the outbox, before their content is known."""


def send_part(campaign_id: int, *, seconds: float = PART_SECONDS) -> bool:
    """Send a letter for about `seconds`, unless another worker does; return whether there is more to do at once."""
    now, end = timezone.now(), time.monotonic() + seconds
    sending = Campaign.objects.filter(pk=campaign_id, state=CampaignState.SENDING)
    lease = timedelta(seconds=seconds) + LEASE
    if not sending.filter(is_free("lease_until", now, within=lease)).update(lease_until=now + lease):
        return False
    campaign = Campaign.objects.get(pk=campaign_id)
    try:
        refresh_campaign(campaign_id)
        while time.monotonic() < end:
            if not deliver_bulk(campaign.mail_reference, end=end, goes_on=sending.exists):
                break
            if not write_batch(campaign_id):
                return False
        return time.monotonic() >= end
    finally:
        Campaign.objects.filter(pk=campaign_id).update(lease_until=None)
        settle_cancelled(campaign_id)


def send_and_go_on(campaign_id: int) -> None:
    """Send a part, and ask for the next one: other tasks come in between."""
    if send_part(campaign_id):
        enqueue(SEND_TASK, campaign_id)


def send_due(now: datetime) -> None:
    """Start what was planned, go on where a worker was lost, another mail went first or one has to be tried again, and
    drop what a worker left that was killed as its letter was cancelled."""
    sending = Campaign.objects.filter(state=CampaignState.SENDING).order_by("pk")
    left = OutgoingMail.objects.filter(is_bulk=True, state=MailState.SENDING, lease_until__lte=now)
    each_step(
        lambda: start_due_campaigns(now),
        lambda: each_row(sending.values_list("pk", flat=True), send_and_go_on),
        lambda: each_row(left.values_list("context__campaign", flat=True), settle_cancelled),
    )


def write_batch(campaign_id: int) -> bool:
    """Write the mails of the next subscribers; False when nobody is left, and then the letter ends as soon as none of
    its mails waits."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(of=("self",)).get(pk=campaign_id)
        if campaign.state != CampaignState.SENDING:
            return False
        languages = list(campaign.texts.values_list("language", flat=True))
        # Who takes another address at this moment is waited for, and written to there.
        readers = audience(campaign).select_for_update(of=("self",), no_key=True)
        found = list(readers.filter(pk__gt=campaign.cursor, language__in=languages).order_by("pk")[:BATCH])
        if not found:
            _end(campaign)
            return False
        CampaignRecipient.objects.bulk_create(
            [CampaignRecipient(campaign=campaign, subscriber=subscriber) for subscriber in found],
            ignore_conflicts=True,
        )
        queue_bulk_mails(
            kind=BULK_KIND,
            reference=campaign.mail_reference,
            mails=[
                BulkMail(
                    subscriber.email,
                    subscriber.language,
                    {"campaign": campaign.pk, "subscriber": subscriber.pk},
                    f"newsletter-{campaign.pk}-{subscriber.pk}",
                )
                for subscriber in found
            ],
        )
        if not campaign.cursor:
            # From here on it is among the letters that everybody may read.
            content_changed()
        campaign.cursor = found[-1].pk
        campaign.save(update_fields=["cursor"])
    return True


def letter_content(mail: OutgoingMail) -> MailContent | None:
    """What a mail of a letter says, for `shop.core.mail_content`; None for who does not want it any more, and where
    staff send one of a cancelled letter again.

    Two queries. A letter that was paused meanwhile waits in its row.
    """
    text = (
        CampaignText.objects.select_related("campaign")
        .filter(campaign_id=mail.context["campaign"], language=mail.language)
        .first()
    )
    if text is None or text.blocks is None or text.campaign.state == CampaignState.CANCELLED:
        return None
    subscriber = audience(text.campaign).filter(pk=mail.context["subscriber"]).first()
    if subscriber is None:
        return None
    # One that staff send again leaves days later, maybe.
    context: dict[str, Any] = letter_context(text, anew=not mail.is_bulk)
    context |= letter_links(subscriber, text.campaign)
    return MailContent(LETTER_MAIL, context)


def _end(campaign: Campaign) -> None:
    states = mail_states(campaign)
    if not states.get(MailState.QUEUED) and not states.get(MailState.SENDING):
        campaign.state = CampaignState.SENT
        finish(campaign, timezone.now())
