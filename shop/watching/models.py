"""What was over its limit, and what the operator was told of it."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Incident(models.Model):
    """Something that is watched was over its limit; one row a name is open, without `ended_at`.

    `started_at` is when it last had gone well, or since when the oldest had waited. `well_at` is the first look that
    found it well again, `ended_at` the one that believed it. `alerted_at` and `cleared_at` are when the mails about its
    beginning and its end were handed to the mail server.
    """

    name = models.CharField(_("nom"), max_length=80)
    label = models.CharField(_("quoi"), max_length=200)
    started_at = models.DateTimeField(_("début"))
    last_seen_at = models.DateTimeField(_("constaté pour la dernière fois"))
    well_at = models.DateTimeField(_("de nouveau normal"), null=True, blank=True)
    ended_at = models.DateTimeField(_("fin"), null=True, blank=True)
    alerted_at = models.DateTimeField(_("alerte envoyée"), null=True, blank=True)
    cleared_at = models.DateTimeField(_("fin d'alerte envoyée"), null=True, blank=True)

    class Meta:
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")
        ordering = ("-started_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("name",), condition=Q(ended_at__isnull=True), name="incident_open_once"
            ),
        )

    def __str__(self) -> str:
        return self.label

    @property
    def lasted(self) -> timedelta:
        return (self.well_at or self.last_seen_at) - self.started_at
