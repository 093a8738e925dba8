"""What browsers were asked, and what they answered: rows that are added, and deleted once their period is over."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ConsentVersion(models.Model):
    """What one version of the question named: for each service its category, company and purpose, in French."""

    version = models.CharField(_("version"), max_length=12, primary_key=True)
    services = models.JSONField(_("services"))
    first_answered_at = models.DateTimeField(_("première réponse le"), default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[ConsentVersion]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ConsentVersion]]

    class Meta:
        verbose_name = _("version de la demande de consentement")
        verbose_name_plural = _("versions de la demande de consentement")

    def __str__(self) -> str:
        return self.version


class ConsentProof(models.Model):
    """One answer of one browser (GDPR art. 7(1)). The browser is named by a number that it drew at random and keeps
    itself; no address, account or device is stored, and the row is never changed."""

    browser_id = models.UUIDField(_("numéro du navigateur"), editable=False)
    number = models.PositiveIntegerField(_("rang de la réponse"), editable=False)
    version = models.ForeignKey(
        ConsentVersion, on_delete=models.PROTECT, related_name="+", verbose_name=_("version"), editable=False
    )
    choices = models.JSONField(_("choix"), editable=False)
    language = models.CharField(_("langue"), max_length=5, editable=False)
    recorded_at = models.DateTimeField(_("reçu le"), default=timezone.now, editable=False, db_index=True)

    objects: ClassVar[models.Manager[ConsentProof]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ConsentProof]]

    class Meta:
        verbose_name = _("preuve de consentement")
        verbose_name_plural = _("preuves de consentement")
        ordering = ("-recorded_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("browser_id", "number"), name="consent_answer_once"),)

    def __str__(self) -> str:
        return f"{self.browser_id} {self.number}"
