"""Where the shop delivers, and for how much."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_countries.fields import CountryField


class ShippingZone(models.Model):
    """Countries that share one rate. Exactly one zone is the fallback for every country that no zone lists."""

    code = models.SlugField(_("code"), max_length=40, unique=True)
    name = models.CharField(_("nom"), max_length=80)
    countries = CountryField(multiple=True, blank=True, verbose_name=_("pays"))
    rate = models.DecimalField(_("tarif (€)"), max_digits=8, decimal_places=2)
    free_from = models.DecimalField(
        _("offerte à partir de (€, après promotions)"), max_digits=8, decimal_places=2, null=True, blank=True
    )
    delivery_days_min = models.PositiveSmallIntegerField(_("jours de livraison, au moins"), default=2)
    delivery_days_max = models.PositiveSmallIntegerField(_("jours de livraison, au plus"), default=5)
    duties_notice = models.BooleanField(
        _("droits et taxes à la charge du client"),
        default=False,
        help_text=_(
            "Affiché avant la commande et dans sa confirmation, pour les pays de cette zone hors de l'Union européenne."
        ),
    )
    is_fallback = models.BooleanField(_("zone de tous les autres pays"), default=False)
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)

    class Meta:
        verbose_name = _("zone de livraison")
        verbose_name_plural = _("zones de livraison")
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("is_fallback",), condition=Q(is_fallback=True), name="zone_one_fallback"
            ),
            models.CheckConstraint(
                condition=Q(rate__gte=0) & (Q(free_from__isnull=True) | Q(free_from__gte=0)),
                name="zone_amounts_positive",
            ),
            models.CheckConstraint(
                condition=Q(delivery_days_max__gte=models.F("delivery_days_min")), name="zone_days_ordered"
            ),
        )

    def __str__(self) -> str:
        return self.name


class DeliveryStop(models.Model):
    """A country outside the Union to which nothing is sent for now, whatever zone it belongs to."""

    country = CountryField(_("pays"), unique=True)
    reason = models.CharField(
        _("pourquoi"), max_length=200, blank=True, help_text=_("Pour vous : les clients ne le voient pas.")
    )
    stopped_at = models.DateTimeField(_("arrêtée le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("arrêt de livraison")
        verbose_name_plural = _("arrêts de livraison")
        ordering = ("country",)

    def __str__(self) -> str:
        return str(self.country.name)
