"""Parcels: which pieces of an order left the workshop, when, and by whom they are brought."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.carrier import Carrier, parcel_url
from orders.models.order import Order, OrderItem


class Shipment(models.Model):
    """One parcel. An order has as many as it takes; it is `shipped` once all its pieces have left.

    A shipment that was a mistake is undone, never deleted: its pieces are at the workshop again.
    """

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.CASCADE, related_name="shipments"
    )
    carrier = models.CharField(_("transporteur"), max_length=20, choices=Carrier.choices, blank=True)
    tracking_number = models.CharField(_("numéro de suivi"), max_length=100, blank=True)
    sent_at = models.DateTimeField(_("partie le"))
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("par"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField(_("enregistrée le"), default=timezone.now)
    undone_at = models.DateTimeField(_("annulée le"), null=True, blank=True)
    undo_reason = models.CharField(_("motif de l'annulation"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("expédition")
        verbose_name_plural = _("expéditions")
        ordering = ("sent_at", "pk")

    def __str__(self) -> str:
        return f"{self.order} · {timezone.localtime(self.sent_at):%d/%m/%Y}"

    @property
    def parcel_url(self) -> str:
        """The carrier's page about the parcel, or ""."""
        return parcel_url(self.carrier, self.tracking_number, self.order.postal_code)


class ShipmentLine(models.Model):
    """Units of one line of the order that a parcel holds."""

    shipment = models.ForeignKey(
        Shipment, on_delete=models.CASCADE, related_name="lines", db_index=False, verbose_name=_("expédition")
    )
    item = models.ForeignKey(
        OrderItem, verbose_name=_("pièce"), on_delete=models.CASCADE, related_name="shipment_lines"
    )
    quantity = models.PositiveIntegerField(_("quantité"))

    class Meta:
        verbose_name = _("pièce d'une expédition")
        verbose_name_plural = _("pièces d'une expédition")
        ordering = ("item__position", "pk")
        constraints = (
            models.UniqueConstraint(fields=("shipment", "item"), name="shipment_line_once"),
            models.CheckConstraint(condition=Q(quantity__gte=1), name="shipment_line_quantity"),
        )

    def __str__(self) -> str:
        return f"{self.quantity} × {self.item.staff_label}"
