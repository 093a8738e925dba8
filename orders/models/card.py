"""The card that a customer left with the payment provider for the later parts of an order."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order
from orders.models.payment import PROVIDER_ID


class StoredCard(models.Model):
    """Which card the later instalments of an order are charged to. The number itself never reaches the shop."""

    order = models.OneToOneField(Order, on_delete=models.PROTECT, related_name="card")
    customer_id = models.CharField(max_length=PROVIDER_ID)
    payment_method_id = models.CharField(max_length=PROVIDER_ID)
    brand = models.CharField(_("réseau"), max_length=30, blank=True)
    last4 = models.CharField(_("quatre derniers chiffres"), max_length=4, blank=True)
    expiry_month = models.PositiveSmallIntegerField(_("mois d'expiration"), null=True, blank=True)
    expiry_year = models.PositiveSmallIntegerField(_("année d'expiration"), null=True, blank=True)
    refused_code = models.CharField(
        _("refusée pour toujours"),
        max_length=60,
        blank=True,
        help_text=_("Le code de la banque qui interdit tout nouvel essai sur cette carte."),
    )
    forgotten_at = models.DateTimeField(_("effacée le"), null=True, blank=True)
    kept_at = models.DateTimeField(_("enregistrée le"), default=timezone.now)

    class Meta:
        verbose_name = _("carte enregistrée")
        verbose_name_plural = _("cartes enregistrées")

    def __str__(self) -> str:
        return f"{self.brand} •••• {self.last4}"
