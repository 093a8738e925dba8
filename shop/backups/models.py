"""Backups that were finished."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Backup(models.Model):
    """One backup that is whole where it is stored. Written once it is, deleted with it by the rotation."""

    name = models.CharField(_("nom"), max_length=40, unique=True)
    made_at = models.DateTimeField(_("état du"), db_index=True)
    finished_at = models.DateTimeField(_("terminée le"))
    rows = models.PositiveBigIntegerField(_("lignes"))
    files = models.PositiveIntegerField(_("fichiers"))
    size = models.PositiveBigIntegerField(_("taille de l'archive (octets)"))

    class Meta:
        verbose_name = _("sauvegarde")
        verbose_name_plural = _("sauvegardes")
        ordering = ("-made_at",)

    def __str__(self) -> str:
        return self.name
