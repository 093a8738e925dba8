"""Scheduled jobs, and how often something was tried."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class AttemptCounter(models.Model):
    """How often something was tried in one window of a limit. Written by ``shop.core.limits`` only.

    ``key`` is a hash, so that the table lists neither addresses nor people.
    """

    key = models.CharField(max_length=64, unique=True)
    count = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("compteur d'essais")
        verbose_name_plural = _("compteurs d'essais")

    def __str__(self) -> str:
        return f"{self.key[:12]}: {self.count}"


class ScheduledJob(models.Model):
    """When a scheduled job last ran; the row is the lock that makes it run once per period."""

    name = models.CharField(_("nom"), max_length=80, unique=True)
    last_started_at = models.DateTimeField(_("dernier démarrage"), null=True, blank=True)
    last_finished_at = models.DateTimeField(_("dernière fin"), null=True, blank=True)
    last_error = models.TextField(_("dernière erreur"), blank=True)
    locked_until = models.DateTimeField(_("réservé jusqu'à"), null=True, blank=True)

    class Meta:
        verbose_name = _("tâche planifiée")
        verbose_name_plural = _("tâches planifiées")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
