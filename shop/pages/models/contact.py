"""What visitors write to the workshop: questions and quote requests."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from catalog.models import Product


class ContactKind(models.TextChoices):
    """What the visitor wants."""

    QUESTION = "question", _("Une question")
    QUOTE = "quote", _("Un devis")


class ContactState(models.TextChoices):
    """Whether the workshop has answered."""

    NEW = "new", _("Nouvelle")
    ANSWERED = "answered", _("Répondue")


class ContactRequest(models.Model):
    """One message. `fingerprint` is the same for the same words on the same day: a double click stores one."""

    reference = models.CharField(_("référence"), max_length=8, unique=True, editable=False)
    fingerprint = models.CharField(_("empreinte"), max_length=64, unique=True, editable=False)
    kind = models.CharField(_("type"), max_length=10, choices=ContactKind.choices)
    state = models.CharField(
        _("état"), max_length=10, choices=ContactState.choices, default=ContactState.NEW, db_index=True
    )
    first_name = models.CharField(_("prénom"), max_length=80)
    last_name = models.CharField(pgettext_lazy("person", "nom"), max_length=80)
    email = models.EmailField(_("e-mail"))
    subject = models.CharField(_("sujet"), max_length=150)
    message = models.TextField(_("message"))
    budget = models.CharField(_("budget"), max_length=60, blank=True)
    deadline = models.DateField(_("date souhaitée"), null=True, blank=True)
    product = models.ForeignKey(
        Product,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("pièce"),
    )
    language = models.CharField(_("langue"), max_length=5)
    created_at = models.DateTimeField(_("reçue le"), default=timezone.now, editable=False)
    answered_at = models.DateTimeField(_("répondue le"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("demande de contact")
        verbose_name_plural = _("demandes de contact")
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=ContactKind.values), name="contact_kind_known"),
            models.CheckConstraint(condition=Q(state__in=ContactState.values), name="contact_state_known"),
        )

    def __str__(self) -> str:
        return f"{self.reference} – {self.subject}"


class ContactReply(models.Model):
    """What the workshop answered by mail. `key` names its mail."""

    request = models.ForeignKey(
        ContactRequest, on_delete=models.CASCADE, related_name="replies", verbose_name=_("demande de contact")
    )
    key = models.UUIDField(_("clé de l'e-mail"), unique=True, editable=False)
    text = models.TextField(_("réponse"))
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("par"),
    )
    created_at = models.DateTimeField(_("envoyée le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("réponse à un message")
        verbose_name_plural = _("réponses aux messages")
        ordering = ("created_at", "pk")

    def __str__(self) -> str:
        return f"{self.request.reference} · {timezone.localtime(self.created_at):%d/%m/%Y %H:%M}"


class ContactImage(models.Model):
    """A reference picture of a quote request, in the private storage: only operators see it."""

    request = models.ForeignKey(
        ContactRequest, on_delete=models.CASCADE, related_name="images", verbose_name=_("demande de contact")
    )
    file = models.CharField(_("fichier"), max_length=120, editable=False)
    width = models.PositiveIntegerField(_("largeur"), editable=False)
    height = models.PositiveIntegerField(_("hauteur"), editable=False)

    class Meta:
        verbose_name = _("image d'une demande")
        verbose_name_plural = _("images des demandes")
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.file
