"""Files that wait for their end."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class DiscardedFile(models.Model):
    """A file of one of the STORAGES that no row names, to be deleted from `discarded_at` on. Written with the change
    that gives it up, so that a change that is taken back keeps its file, and a storage that is away only delays its
    end; and before a file is stored, so that it has an end where the change that will name it never comes.
    """

    storage = models.CharField(_("stockage"), max_length=20)
    name = models.CharField(_("fichier"), max_length=200)
    discarded_at = models.DateTimeField(_("abandonné le"), default=timezone.now)

    class Meta:
        verbose_name = _("fichier à effacer")
        verbose_name_plural = _("fichiers à effacer")
        constraints = (models.UniqueConstraint(fields=("storage", "name"), name="discarded_file_once"),)

    def __str__(self) -> str:
        return self.name
