"""What the seller declares to the State, and when they said that it was done."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ReturnKind(models.TextChoices):
    """Which return it is."""

    OSS = "oss", _("Déclaration de TVA au guichet unique (OSS)")
    URSSAF = "urssaf", _("Déclaration de chiffre d'affaires à l'URSSAF")


class FiledReturn(models.Model):
    """A return that somebody noted as filed; `period` is `2026-T4` or `2026-11`.

    What the shop knew at `filed_at` counts as declared.
    """

    kind = models.CharField(_("nature"), max_length=10, choices=ReturnKind.choices)
    period = models.CharField(_("période"), max_length=8)
    filed_at = models.DateTimeField(_("notée le"), default=timezone.now)

    class Meta:
        verbose_name = _("déclaration déposée")
        verbose_name_plural = _("déclarations déposées")
        ordering = ("-period",)
        constraints = (
            models.UniqueConstraint(fields=("kind", "period"), name="return_filed_once"),
            models.CheckConstraint(condition=Q(kind__in=ReturnKind.values), name="return_kind_known"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.period}"
