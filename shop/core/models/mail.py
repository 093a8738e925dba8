"""Mails to send."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail_families import mail_family

EMAIL_MAX_LENGTH = 254
"""Of an address (RFC 5321), as Django's e-mail fields have it."""


class MailState(models.TextChoices):
    """Where a mail stands between being written and being delivered."""

    QUEUED = "queued", _("En file d'attente")
    SENDING = "sending", _("En cours d'envoi")
    SENT = "sent", _("Envoyé")
    FAILED = "failed", _("Échec définitif")


class OutgoingMail(models.Model):
    """One mail to one person: written in the transaction that causes it, delivered later by a worker.

    The row is the truth and a message to Celery only starts its delivery sooner: where the message was lost, the
    sweep finds the row; a killed worker's row becomes due again when its lease ends. What was rendered is kept, but
    for bulk mails: their content is their campaign's, found out anew at each try, and who writes them has them sent
    (`shop.core.mail_delivery.deliver_bulk`). `to` says for good where it went; whose account has another address since
    is found by `moved_to`.
    """

    kind = models.CharField(_("type"), max_length=60)
    to = models.EmailField(_("destinataire"))
    moved_to = models.EmailField(
        _("adresse de son destinataire depuis"), blank=True, default="", db_default="", editable=False
    )
    language = models.CharField(_("langue"), max_length=5, default=SOURCE_LANGUAGE)
    context = models.JSONField(_("données"), default=dict)
    attachments = models.JSONField(_("pièces jointes"), default=list, blank=True)
    reference = models.CharField(_("référence"), max_length=80, blank=True, db_index=True)
    dedupe_key = models.CharField(_("clé d'unicité"), max_length=200, unique=True, null=True, blank=True)

    state = models.CharField(_("état"), max_length=10, choices=MailState.choices, default=MailState.QUEUED)
    attempts = models.PositiveSmallIntegerField(_("tentatives"), default=0)
    crashes = models.PositiveSmallIntegerField(_("ouvriers morts pendant l'envoi"), default=0)
    next_attempt_at = models.DateTimeField(_("prochaine tentative"), default=timezone.now)
    lease_until = models.DateTimeField(_("réservé jusqu'à"), null=True, blank=True)
    last_error = models.TextField(_("dernière erreur"), blank=True)
    is_bulk = models.BooleanField(
        _("envoi groupé"),
        default=False,
        help_text=_("Part après tous les autres e-mails\u00a0; son texte est celui de sa lettre."),
    )

    subject = models.CharField(_("objet"), max_length=998, blank=True)
    text = models.TextField(_("texte"), blank=True)
    html = models.TextField(_("HTML"), blank=True)
    message_id = models.CharField(_("identifiant du message"), max_length=255, blank=True)

    created_at = models.DateTimeField(_("créé le"), default=timezone.now, editable=False)
    sent_at = models.DateTimeField(_("envoyé le"), null=True, blank=True)

    class Meta:
        verbose_name = _("e-mail sortant")
        verbose_name_plural = _("e-mails sortants")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(
                fields=("next_attempt_at",),
                name="mail_due",
                condition=Q(state__in=("queued", "sending"), is_bulk=False),
            ),
            models.Index(
                fields=("next_attempt_at",),
                name="mail_bulk_due",
                condition=Q(state__in=("queued", "sending"), is_bulk=True),
            ),
            models.Index(fields=("state", "-created_at"), name="mail_state_newest"),
        )
        constraints = (
            models.CheckConstraint(condition=Q(state__in=MailState.values), name="mail_state_known"),
        )

    def __str__(self) -> str:
        return f"{self.kind} → {self.to}"

    @property
    def family(self) -> str:
        """What it is about, in French, for pages of the staff."""
        return mail_family(self.kind)
