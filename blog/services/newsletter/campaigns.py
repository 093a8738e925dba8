"""Letters: written, planned, started, paused, ended. Sending itself is in `sending`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from blog.mails.letters import letter_context, sample_links
from blog.models import (
    BODY_LENGTH,
    PREHEADER_LENGTH,
    SUBJECT_LENGTH,
    Campaign,
    CampaignState,
    CampaignText,
    Topic,
)
from blog.selectors.letters import mail_states
from blog.selectors.subscribers import audience_counts
from blog.services.newsletter.contents import write_contents
from catalog.models import Category
from shop.core.audit import record_audit
from shop.core.content_version import content_changed
from shop.core.each_row import each_row
from shop.core.enqueue import enqueue_after_commit
from shop.core.mail import queue_mail
from shop.core.models import MailState, OutgoingMail
from shop.core.problems import Problem
from shop.core.site import absolute_url

SEND_TASK = "blog.tasks.send_letter"
LETTER_MAIL = "newsletter_letter"
SOON = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class LetterText:
    """A letter in one language, as it was typed."""

    subject: str
    preheader: str
    body: str

    @property
    def is_empty(self) -> bool:
        return not (self.subject.strip() or self.preheader.strip() or self.body.strip())


@dataclass(frozen=True, slots=True)
class LetterDraft:
    """A letter as it was typed: its texts by language, those that are empty included."""

    title: str
    topic: str
    category_id: int | None
    texts: Mapping[str, LetterText]


class LetterChanged(Problem):
    """Somebody else saved the letter meanwhile. Carries it as it is now."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__("conflict", _("Quelqu'un d'autre vient d'enregistrer cette lettre."), 409)
        self.campaign = campaign


def create_campaign(*, title: str, actor: User) -> Campaign:
    """Begin a letter. Raises `Problem` 400 for a title that is none."""
    with transaction.atomic():
        campaign = Campaign.objects.create(title=_title(title))
        record_audit("campaign.added", campaign, actor=actor, after={"title": campaign.title})
    return campaign


def save_campaign(*, campaign_id: int, draft: LetterDraft, seen: str, actor: User) -> Campaign:
    """Write what was typed; a language whose fields are all empty has no text.

    `seen` is the `updated_at` (ISO) of the letter that was changed. Raises LetterChanged, `Problem` 400 `invalid` by
    field (`subject_de`), 409 `not_a_draft`; nothing changes then.
    """
    with transaction.atomic():
        campaign = _locked(campaign_id)
        _require(campaign, CampaignState.DRAFT)
        if seen != campaign.updated_at.isoformat():
            raise LetterChanged(campaign)
        _check(draft)
        campaign.title, campaign.topic = _title(draft.title), draft.topic
        campaign.category_id, campaign.category_name = draft.category_id, ""
        campaign.updated_at, campaign.scheduled_at = timezone.now(), None
        campaign.save(
            update_fields=["title", "topic", "category", "category_name", "updated_at", "scheduled_at"]
        )
        kept = {language: text for language, text in draft.texts.items() if not text.is_empty}
        CampaignText.objects.filter(campaign=campaign).exclude(language__in=kept).delete()
        for language, text in kept.items():
            values = {"subject": _one_line(text.subject), "preheader": _one_line(text.preheader)}
            CampaignText.objects.update_or_create(
                campaign=campaign,
                language=language,
                defaults={**values, "body": text.body.replace("\r\n", "\n").strip()},
            )
        record_audit(
            "campaign.changed",
            campaign,
            actor=actor,
            after={"title": campaign.title, "languages": sorted(kept)},
        )
    return campaign


def copy_campaign(*, campaign_id: int, actor: User) -> Campaign:
    """Begin a letter from another one, in whatever state it is. Where its collection was deleted, one is to be chosen
    before it can leave."""
    with transaction.atomic():
        source = Campaign.objects.get(pk=campaign_id)
        title = _("%(title)s (copie)") % {"title": source.title}
        category = _kept_category(source.category_id)
        copy = Campaign.objects.create(
            title=title[:120],
            topic=source.topic,
            category=category,
            category_name="" if category else source.category_name,
        )
        CampaignText.objects.bulk_create(
            CampaignText(
                campaign=copy,
                language=text.language,
                subject=text.subject,
                preheader=text.preheader,
                body=text.body,
            )
            for text in source.texts.all()
        )
        record_audit("campaign.added", copy, actor=actor, after={"title": copy.title})
    return copy


def delete_campaign(*, campaign_id: int, actor: User) -> None:
    """Delete a draft. Raises `Problem` 409 `not_a_draft` for any other."""
    with transaction.atomic():
        campaign = _locked(campaign_id)
        _require(campaign, CampaignState.DRAFT)
        record_audit("campaign.deleted", campaign, actor=actor, before={"title": campaign.title})
        campaign.delete()


def send_test(*, campaign_id: int, language: str, actor: User) -> None:
    """Send the letter, as it stands, to the person who asks, who reads it online in its preview: its page is not there
    yet. Raises `Problem` 400 `no_text`."""
    text = (
        CampaignText.objects.select_related("campaign")
        .filter(campaign_id=campaign_id, language=language)
        .first()
    )
    if text is None:
        raise Problem("no_text", _("Cette langue n'a pas encore de texte."))
    preview = reverse("staff-newsletter-preview", args=[campaign_id], query={"langue": language})
    context = letter_context(text) | sample_links(language)
    context |= {"archive_url": absolute_url(preview), "is_test": True}
    queue_mail(kind=LETTER_MAIL, to=actor.email, language=language, context=context)


def start_campaign(
    *, campaign_id: int, at: datetime | None, actor: User, seen: str | None = None
) -> Campaign:
    """Send the letter now, or when the moment `at` comes. `seen` is as `save_campaign` takes it.

    Raises LetterChanged, `Problem`: 409 `not_a_draft`, 400 `no_text`, `no_category` (the one of the letter that it was
    copied from is gone), `no_recipient` (nobody of its segment reads one of its languages), `in_the_past`,
    `empty_letter`.
    """
    now = timezone.now()
    with transaction.atomic():
        campaign = _locked(campaign_id)
        _require(campaign, CampaignState.DRAFT)
        if seen is not None and seen != campaign.updated_at.isoformat():
            raise LetterChanged(campaign)
        languages = set(campaign.texts.values_list("language", flat=True))
        if not languages:
            raise Problem("no_text", _("Écrivez d'abord la lettre."))
        if campaign.category_name:
            refusal = _(
                "La collection «\u00a0%(name)s\u00a0» n'existe plus\u00a0: choisissez d'abord à qui va cette lettre."
            )
            raise Problem("no_category", refusal % {"name": campaign.category_name})
        if not languages & set(audience_counts(campaign)):
            raise Problem("no_recipient", _("Personne ne recevrait cette lettre."))
        if at is not None and at < now + SOON:
            message = _("Choisissez un moment à venir.")
            raise Problem("in_the_past", message, errors={"at": [message]})
        if at is None:
            _begin(campaign, now)
        else:
            campaign.state, campaign.scheduled_at = CampaignState.SCHEDULED, at
            campaign.save(update_fields=["state", "scheduled_at"])
        after = {"state": campaign.state, "at": (at or now).isoformat()}
        record_audit("campaign.started", campaign, actor=actor, after=after)
    return campaign


def start_due_campaigns(now: datetime) -> None:
    """Start the letters whose moment has come. One that has become empty is a draft again, which staff are told."""
    planned = Campaign.objects.filter(state=CampaignState.SCHEDULED, scheduled_at__lte=now)

    def start(key: int) -> None:
        with transaction.atomic():
            campaign = _locked(key)
            if campaign.state != CampaignState.SCHEDULED:
                return
            try:
                _begin(campaign, now)
            except Problem:
                campaign.state = CampaignState.DRAFT
                campaign.save(update_fields=["state"])
                record_audit("campaign.unscheduled", campaign, actor=None)

    each_row(planned.values_list("pk", flat=True), start)


def unschedule_campaign(*, campaign_id: int, actor: User) -> None:
    """Make a planned letter a draft again. Raises `Problem` 409 when it has left."""
    with transaction.atomic():
        campaign = _locked(campaign_id)
        _require(campaign, CampaignState.SCHEDULED)
        campaign.state, campaign.scheduled_at = CampaignState.DRAFT, None
        campaign.save(update_fields=["state", "scheduled_at"])
        record_audit("campaign.unscheduled", campaign, actor=actor)


def pause_campaign(*, campaign_id: int, actor: User) -> None:
    """Stop sending until somebody resumes; what is being sent at this moment leaves."""
    _move(campaign_id, (CampaignState.SENDING,), CampaignState.PAUSED, "campaign.paused", actor)


def resume_campaign(*, campaign_id: int, actor: User) -> None:
    """Go on sending where it stopped, with the pieces and prices of now. Raises `Problem` 400 `empty_letter`."""
    with transaction.atomic():
        write_contents(
            _move(campaign_id, (CampaignState.PAUSED,), CampaignState.SENDING, "campaign.resumed", actor)
        )


def refresh_campaign(campaign_id: int) -> None:
    """Let the mails of a letter under way show the pieces and prices of now. One that has become empty is paused."""
    with transaction.atomic():
        campaign = _locked(campaign_id)
        if campaign.state != CampaignState.SENDING:
            return
        try:
            write_contents(campaign)
        except Problem:
            _move(campaign_id, (CampaignState.SENDING,), CampaignState.PAUSED, "campaign.paused", None)


def end_overdue_campaigns(before: datetime) -> None:
    """End the letters that began before and have not come to their end, as one that stays paused: from then on their
    mails are deleted, those that wait among them."""
    unfinished = (CampaignState.SENDING, CampaignState.PAUSED)
    overdue = Campaign.objects.filter(state__in=unfinished, started_at__lt=before).order_by("pk")
    each_row(overdue.values_list("pk", flat=True), lambda key: cancel_campaign(campaign_id=key, actor=None))


def cancel_campaign(*, campaign_id: int, actor: User | None) -> None:
    """End a letter that is being sent: nobody else gets it but who is being sent it at this moment."""
    with transaction.atomic():
        campaign = _move(
            campaign_id,
            (CampaignState.SENDING, CampaignState.PAUSED),
            CampaignState.CANCELLED,
            "campaign.cancelled",
            actor,
        )
        _drop_waiting(campaign, timezone.now())


def settle_cancelled(campaign_id: int) -> None:
    """Count the mail that was leaving while its letter was cancelled, and drop it if it did not leave, or if its worker
    was killed, which nobody can tell. Any other letter is left alone. One query."""
    cancelled = Campaign.objects.filter(pk=campaign_id, state=CampaignState.CANCELLED)
    if not cancelled.exists():
        return
    with transaction.atomic():
        campaign = _locked(campaign_id)
        _drop_waiting(campaign, campaign.finished_at or timezone.now())


def _drop_waiting(campaign: Campaign, ended_at: datetime) -> None:
    waits = Q(state=MailState.QUEUED) | Q(state=MailState.SENDING, lease_until__lte=timezone.now())
    OutgoingMail.objects.filter(waits, reference=campaign.mail_reference).delete()
    finish(campaign, ended_at)


def finish(campaign: Campaign, now: datetime) -> None:
    """Write the figures of the end on a letter that its caller has locked; its state is the caller's."""
    states = mail_states(campaign)
    campaign.finished_at = now
    campaign.sent_count = states.get(MailState.SENT, 0)
    campaign.failed_count = states.get(MailState.FAILED, 0)
    campaign.save(update_fields=["state", "finished_at", "sent_count", "failed_count"])
    content_changed()


def _begin(campaign: Campaign, now: datetime) -> None:
    """Start the sending. Raises `Problem` 400 `empty_letter`."""
    write_contents(campaign)
    campaign.category_name = campaign.category.name if campaign.category else ""
    campaign.state, campaign.started_at = CampaignState.SENDING, now
    campaign.save(update_fields=["category_name", "state", "started_at"])
    enqueue_after_commit(SEND_TASK, campaign.pk)


def _move(
    campaign_id: int, before: Collection[CampaignState], after: CampaignState, action: str, actor: User | None
) -> Campaign:
    with transaction.atomic():
        campaign = _locked(campaign_id)
        _require(campaign, *before)
        record_audit(
            action, campaign, actor=actor, before={"state": campaign.state}, after={"state": after.value}
        )
        campaign.state = after
        campaign.save(update_fields=["state"])
        if after == CampaignState.SENDING:
            enqueue_after_commit(SEND_TASK, campaign.pk)
    return campaign


def _locked(campaign_id: int) -> Campaign:
    return Campaign.objects.select_for_update(of=("self",)).get(pk=campaign_id)


def _require(campaign: Campaign, *states: CampaignState) -> None:
    if campaign.state not in states:
        code = "not_a_draft" if CampaignState.DRAFT in states else "wrong_state"
        raise Problem(code, _("Cette lettre n'en est plus là\u00a0: rechargez la page."), 409)


def _kept_category(category_id: int | None) -> Category | None:
    """Return the category, which nobody deletes until the caller's transaction ends (`delete_category` locks it
    before it asks what keeps it)."""
    if category_id is None:
        return None
    return Category.objects.select_for_update(no_key=True).filter(pk=category_id).first()


def _title(title: str) -> str:
    found = _one_line(title)
    if not found or len(found) > 120:
        message = _("Donnez un nom à la lettre, de 120 caractères au plus.")
        raise Problem("invalid", message, errors={"title": [message]})
    return found


def _check(draft: LetterDraft) -> None:
    errors: dict[str, list[str]] = {}
    if draft.topic and draft.topic not in Topic.values:
        errors["topic"] = [_("Ce choix n'existe pas.")]
    if draft.category_id is not None and _kept_category(draft.category_id) is None:
        errors["category"] = [_("Cette catégorie n'existe pas.")]
    for language, text in draft.texts.items():
        if language not in dict(settings.LANGUAGES) or text.is_empty:
            continue
        for name, most, needed in (
            ("subject", SUBJECT_LENGTH, True),
            ("preheader", PREHEADER_LENGTH, False),
            ("body", BODY_LENGTH, True),
        ):
            value = getattr(text, name).strip()
            if needed and not value:
                errors[f"{name}_{language}"] = [_("Ce champ manque dans cette langue.")]
            elif len(value) > most:
                errors[f"{name}_{language}"] = [_("%(count)d caractères au plus.") % {"count": most}]
    if errors:
        raise Problem(
            "invalid", _("La lettre n'est pas enregistrée\u00a0: corrigez ce qui est marqué."), errors=errors
        )


def _one_line(text: str) -> str:
    return " ".join(text.split())
