"""Where the shop delivers, and for how much; which addresses differ from the rest of their country."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django_countries.fields import CountryField


class ShippingZone(models.Model):
    """Countries that share one rate. Exactly one zone is the fallback for every country that no zone lists."""

    code = models.SlugField(_("code"), max_length=40, unique=True)
    name = models.CharField(_("nom"), max_length=80)
    countries = CountryField(multiple=True, blank=True, verbose_name=pgettext_lazy("several", "pays"))
    rate = models.DecimalField(
        _("tarif (€)"),
        max_digits=8,
        decimal_places=2,
        help_text=_("Pour tout colis plus lourd que les paliers de poids ; pour tous s'il n'y en a pas."),
    )
    free_from = models.DecimalField(
        _("offerte à partir de (€, après promotions)"), max_digits=8, decimal_places=2, null=True, blank=True
    )
    delivery_days_min = models.PositiveSmallIntegerField(_("jours de livraison, au moins"), default=2)
    delivery_days_max = models.PositiveSmallIntegerField(_("jours de livraison, au plus"), default=5)
    is_fallback = models.BooleanField(_("zone de tous les autres pays"), default=False)
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)

    objects: ClassVar[models.Manager[ShippingZone]] = models.Manager()

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


class ShippingRateStep(models.Model):
    """What a parcel to a zone costs up to a weight, packing included."""

    zone = models.ForeignKey(
        ShippingZone, on_delete=models.CASCADE, related_name="rate_steps", db_index=False
    )
    up_to_grams = models.PositiveIntegerField(
        _("jusqu'à (g)"), validators=[MinValueValidator(1)], help_text=_("Poids emballé du panier.")
    )
    rate = models.DecimalField(_("tarif (€)"), max_digits=8, decimal_places=2)

    class Meta:
        verbose_name = _("palier de poids")
        verbose_name_plural = _("paliers de poids")
        ordering = ("zone", "up_to_grams")
        constraints = (
            models.UniqueConstraint(fields=("zone", "up_to_grams"), name="rate_step_one_per_weight"),
            models.CheckConstraint(
                condition=Q(rate__gte=0) & Q(up_to_grams__gt=0), name="rate_step_positive"
            ),
        )

    def __str__(self) -> str:
        return f"≤ {self.up_to_grams} g"


class TerritoryVat(models.TextChoices):
    """Where a territory is for VAT; the values of `VatPosition`."""

    HOME = "home", _("Comme la France métropolitaine")
    UNION = "union", _("Autre pays de l'Union européenne")
    OUTSIDE = "outside", _("Hors du territoire de TVA de l'Union")


class Territory(models.Model):
    """Addresses that differ from the rest of their country: `orders.pricing.territories.Territory`."""

    code = models.CharField(_("code"), max_length=20, unique=True)
    name = models.CharField(_("nom"), max_length=80)
    within = CountryField(_("pays écrit dans l'adresse"))
    postcodes = models.CharField(
        _("codes postaux"),
        max_length=200,
        blank=True,
        help_text=_("Débuts de codes postaux, par exemple « 971-978, 984 ». Vide : tout le pays."),
    )
    country = CountryField(
        _("compte comme"),
        help_text=_("Le pays, ou le code que le territoire a pour lui seul : La Réunion est RE."),
    )
    vat = models.CharField(_("TVA"), max_length=8, choices=TerritoryVat.choices)
    vat_percent = models.DecimalField(
        _("taux de TVA propre (%)"),
        max_digits=4,
        decimal_places=2,
        null=True,
        blank=True,
        help_text=_("Vide : celui du pays."),
    )
    in_customs_area = models.BooleanField(_("dans le territoire douanier de l'Union"), default=True)
    zone = models.ForeignKey(
        ShippingZone,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("zone de livraison propre"),
        help_text=_("Vide : celle du pays."),
    )

    objects: ClassVar[models.Manager[Territory]] = models.Manager()

    class Meta:
        verbose_name = _("territoire")
        verbose_name_plural = _("territoires")
        ordering = ("code",)
        constraints = (
            models.CheckConstraint(
                condition=Q(vat_percent__isnull=True)
                | Q(vat="union", vat_percent__gte=0, vat_percent__lt=100),
                name="territory_percent_in_union",
            ),
            models.CheckConstraint(
                condition=Q(vat="outside") | Q(in_customs_area=True), name="territory_vat_inside_customs"
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
