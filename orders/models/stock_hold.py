"""Counted stock that orders hold."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order


class StockHoldState(models.TextChoices):
    """`taken` units are sold; `released` ones are back in stock."""

    HELD = "held", _("Réservé")
    TAKEN = "taken", _("Vendu")
    RELEASED = "released", _("Rendu")


class StockHold(models.Model):
    """Units of counted stock that an order holds. `held` becomes `taken` when paid, or `released` exactly once.

    `network` and `mailbox` are keyed digests of where the order came from and of its e-mail address, by which unpaid
    holds are counted. They are set only while counted units are held.
    """

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.CASCADE, related_name="stock_holds"
    )
    product = models.ForeignKey(
        "catalog.Product", verbose_name=_("produit"), on_delete=models.SET_NULL, null=True
    )
    variant = models.ForeignKey(
        "catalog.Variant", verbose_name=_("déclinaison"), on_delete=models.SET_NULL, null=True, blank=True
    )
    quantity = models.PositiveIntegerField(_("quantité"))
    state = models.CharField(
        _("état"), max_length=10, choices=StockHoldState.choices, default=StockHoldState.HELD
    )
    # Which number of units it was taken from: "product", "variant", or "" for made to order.
    level = models.CharField(max_length=10, blank=True, default="", editable=False)
    network = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    mailbox = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("réservation de stock")
        verbose_name_plural = _("réservations de stock")
        ordering = ("pk",)
        indexes = (
            models.Index(fields=("network",), name="hold_by_network", condition=~Q(network="")),
            models.Index(fields=("mailbox",), name="hold_by_mailbox", condition=~Q(mailbox="")),
        )
        constraints = (
            models.CheckConstraint(condition=Q(quantity__gte=1), name="hold_quantity_positive"),
            models.CheckConstraint(condition=Q(state__in=StockHoldState.values), name="hold_state_known"),
        )

    def __str__(self) -> str:
        return f"{self.quantity} · {self.get_state_display()}"
