"""Letters of the newsletter, and who was written to."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from blog.models.newsletter import Subscriber, Topic
from catalog.models import Category

SUBJECT_LENGTH: Final = 120
PREHEADER_LENGTH: Final = 150
BODY_LENGTH: Final = 20_000


class CampaignState(models.TextChoices):
    """Where a letter stands."""

    DRAFT = "draft", _("Brouillon")
    SCHEDULED = "scheduled", _("Programmée")
    SENDING = "sending", _("En cours d'envoi")
    PAUSED = "paused", _("En pause")
    SENT = "sent", _("Envoyée")
    CANCELLED = "cancelled", _("Annulée")


class Campaign(models.Model):
    """A letter of the newsletter to a segment of its subscribers. Written by `blog.services.newsletter.campaigns`.

    `topic` "" and no category: everybody. `category_name`: what its collection was called when the sending began; of
    a draft, the deleted collection of the letter that it was copied from, in whose place one is to be chosen. A draft
    with `scheduled_at` was planned and is held back. `cursor` is the key of the last subscriber who was looked at,
    `lease_until` until when a worker sends it. The figures are those of the end; while it is sent, the outbox has
    them.
    """

    title = models.CharField(_("nom (pour vous)"), max_length=120)
    topic = models.CharField(
        pgettext_lazy("topic", "sujet"), max_length=12, choices=Topic.choices, blank=True
    )
    category = models.ForeignKey(
        Category,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("collection"),
    )
    category_name = models.CharField(
        _("nom de la collection"), max_length=100, blank=True, default="", db_default="", editable=False
    )
    state = models.CharField(
        _("état"), max_length=10, choices=CampaignState.choices, default=CampaignState.DRAFT
    )
    scheduled_at = models.DateTimeField(_("envoi prévu le"), null=True, blank=True)
    started_at = models.DateTimeField(_("envoi commencé le"), null=True, blank=True)
    finished_at = models.DateTimeField(_("envoi terminé le"), null=True, blank=True)
    cursor = models.BigIntegerField(_("dernier abonné servi"), default=0, editable=False)
    lease_until = models.DateTimeField(_("réservée jusqu'à"), null=True, editable=False)
    sent_count = models.PositiveIntegerField(_("envoyés"), default=0)
    failed_count = models.PositiveIntegerField(_("échecs"), default=0)
    created_at = models.DateTimeField(_("créée le"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("modifiée le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("lettre de la newsletter")
        verbose_name_plural = _("lettres de la newsletter")
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=Q(state__in=CampaignState.values), name="campaign_state_known"),
            models.CheckConstraint(
                condition=~Q(state="scheduled") | Q(scheduled_at__isnull=False),
                name="campaign_schedule_has_day",
            ),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def is_editable(self) -> bool:
        return self.state == CampaignState.DRAFT

    @property
    def is_held(self) -> bool:
        """Whether it was planned and did not leave, as it had become empty, and is as it was."""
        return self.is_editable and self.scheduled_at is not None

    @property
    def ends_at(self) -> datetime | None:
        """When it ends by itself, its mails being deleted from then on; None before it was started."""
        days = settings.RETENTION["newsletter_days"]
        return None if self.started_at is None else self.started_at + timedelta(days=days)

    @property
    def has_ended_by_itself(self) -> bool:
        return (
            self.state == CampaignState.CANCELLED
            and self.finished_at is not None
            and self.ends_at is not None
            and self.finished_at >= self.ends_at
        )

    @property
    def mail_reference(self) -> str:
        """What its mails in the outbox are found by."""
        return f"newsletter-{self.pk}"


class CampaignText(models.Model):
    """A letter in one language; who reads a language without one gets none.

    `body` is Markdown; a paragraph that is only the address of a piece or an article shows that one. `blocks` is what
    its mails show while it is sent, and showed at last: `{"kind": "text", "markdown", "text"}`, `{"kind": "piece" |
    "article", "name", "price", "image", "url", "detail"}`, links absolute; `{"kind": "former", "image"}` is a picture
    that earlier mails of it show.
    """

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="texts", verbose_name=_("lettre"), db_index=False
    )
    language = models.CharField(_("langue"), max_length=5, choices=settings.LANGUAGES)
    subject = models.CharField(_("objet"), max_length=SUBJECT_LENGTH)
    preheader = models.CharField(_("aperçu à côté de l'objet"), max_length=PREHEADER_LENGTH, blank=True)
    body = models.TextField(_("texte"), validators=[MaxLengthValidator(BODY_LENGTH)])
    blocks = models.JSONField(_("contenu envoyé"), null=True, editable=False)

    class Meta:
        verbose_name = _("texte d'une lettre")
        verbose_name_plural = _("textes des lettres")
        ordering = ("campaign", "language")
        constraints = (models.UniqueConstraint(fields=("campaign", "language"), name="campaign_text_once"),)

    def __str__(self) -> str:
        return f"{self.language}: {self.subject}"

    @property
    def shown_blocks(self) -> list[dict[str, str]] | None:
        """What a reader sees of `blocks`."""
        return self.blocks and [block for block in self.blocks if block["kind"] != "former"]


class CampaignRecipient(models.Model):
    """Whom a letter was written to: once, which the database itself holds."""

    campaign = models.ForeignKey(
        Campaign,
        on_delete=models.CASCADE,
        related_name="recipients",
        verbose_name=_("lettre"),
        db_index=False,
    )
    subscriber = models.ForeignKey(
        Subscriber, on_delete=models.CASCADE, related_name="letters", verbose_name=_("abonné")
    )
    unsubscribed_at = models.DateTimeField(_("désinscrit par cette lettre le"), null=True, blank=True)

    class Meta:
        verbose_name = _("destinataire d'une lettre")
        verbose_name_plural = _("destinataires des lettres")
        constraints = (
            models.UniqueConstraint(fields=("campaign", "subscriber"), name="campaign_recipient_once"),
        )

    def __str__(self) -> str:
        return f"{self.campaign_id} → {self.subscriber_id}"
