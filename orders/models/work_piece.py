"""The pieces of orders on the workshop's board: one row a unit, from the printer to the parcel."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import OrderItem
from orders.models.shipment import Shipment


class PieceStage(models.TextChoices):
    """The stages of the work, in their order. `shipped` is written by a parcel alone."""

    TO_PRINT = "to_print", _("À imprimer")
    TO_PREPARE = "to_prepare", _("À préparer")
    TO_PAINT = "to_paint", _("À peindre")
    TO_PHOTOGRAPH = "to_photograph", _("À photographier")
    TO_PACK = "to_pack", _("À emballer")
    SHIPPED = "shipped", _("Expédiée")


class WorkPiece(models.Model):
    """One unit of a line. `version` counts its changes: who moves it says which one they saw.

    `moved_at` is when its row last changed, for whatever reason; `moved_by` whoever moved it, if somebody did.
    """

    item = models.ForeignKey(
        OrderItem, verbose_name=_("ligne"), on_delete=models.CASCADE, related_name="pieces", db_index=False
    )
    number = models.PositiveIntegerField(_("numéro dans la ligne"))
    stage = models.CharField(_("étape"), max_length=14, choices=PieceStage.choices)
    version = models.PositiveIntegerField(_("version"), default=1)
    # Its order is closed, or this unit was refunded before it left.
    is_cancelled = models.BooleanField(_("annulée"), default=False)
    shipment = models.ForeignKey(
        Shipment,
        verbose_name=_("expédition"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="pieces",
    )
    moved_at = models.DateTimeField(_("changée le"), default=timezone.now)
    moved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("par"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )

    class Meta:
        verbose_name = _("pièce à l'atelier")
        verbose_name_plural = _("pièces à l'atelier")
        ordering = ("item", "number")
        indexes = (
            models.Index(fields=("moved_at",), name="piece_changed"),
            models.Index(
                fields=("stage",), name="piece_at_work", condition=Q(is_cancelled=False) & ~Q(stage="shipped")
            ),
        )
        constraints = (
            models.UniqueConstraint(fields=("item", "number"), name="piece_once"),
            models.CheckConstraint(condition=Q(stage__in=PieceStage.values), name="piece_stage_known"),
            models.CheckConstraint(condition=Q(number__gte=1), name="piece_number"),
        )

    def __str__(self) -> str:
        return f"{self.item} · {self.number}"
