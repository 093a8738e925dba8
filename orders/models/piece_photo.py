"""Photographs of finished pieces, taken at the workshop and sent to the customer when staff choose to."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.work_piece import WorkPiece


class PiecePhoto(models.Model):
    """A photograph of one piece, in the private storage. Its customer sees it once `sent_at` is set, with `message`."""

    piece = models.ForeignKey(
        WorkPiece, verbose_name=_("pièce à l'atelier"), on_delete=models.CASCADE, related_name="photos"
    )
    file = models.CharField(_("fichier"), max_length=120, editable=False)
    width = models.PositiveIntegerField(_("largeur"), editable=False)
    height = models.PositiveIntegerField(_("hauteur"), editable=False)
    taken_at = models.DateTimeField(_("prise le"), default=timezone.now, editable=False, db_index=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("par"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    message = models.TextField(_("message"), blank=True)
    sent_at = models.DateTimeField(_("envoyée le"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("photo d'une pièce finie")
        verbose_name_plural = _("photos des pièces finies")
        ordering = ("taken_at", "pk")

    def __str__(self) -> str:
        return f"{self.piece} · {timezone.localtime(self.taken_at):%d/%m/%Y %H:%M}"
