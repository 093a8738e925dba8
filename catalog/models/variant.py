"""What is sold of a product: its formats, and one row a format and finish."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalog.models.product import (
    ABOVE_ZERO,
    AMOUNT_DIGITS,
    PRODUCTION_DAYS_ORDERED,
    Finish,
    Product,
    positive,
)


class ProductVariation(models.Model):
    """A format of a product (size, colour …). At most one is the default; without one, the first is."""

    product = models.ForeignKey(Product, on_delete=models.CASCADE, related_name="variations")
    name = models.CharField(_("nom"), max_length=120)
    price_adjustment = models.DecimalField(
        _("écart de prix (€)"), max_digits=AMOUNT_DIGITS, decimal_places=2, default=Decimal("0.00")
    )
    price_override = models.DecimalField(
        _("prix fixe (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        blank=True,
        validators=ABOVE_ZERO,
        help_text=_("Remplace le prix du produit et l'écart."),
    )
    is_default = models.BooleanField(_("par défaut"), default=False)
    sort_order = models.PositiveSmallIntegerField(_("ordre"), default=0)

    objects: ClassVar[models.Manager[ProductVariation]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ProductVariation]]

    class Meta:
        verbose_name = _("variation")
        verbose_name_plural = _("variations")
        ordering = ("sort_order", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("product",), condition=Q(is_default=True), name="variation_one_default"
            ),
            models.CheckConstraint(condition=positive("price_override"), name="variation_override_positive"),
        )

    def __str__(self) -> str:
        return self.name


class Variant(models.Model):
    """One format in one finish of a product: what a cart line, a stock hold and an order line are about.

    An empty column falls back to the product's; `variation` is null and `finish` `""` where there is no choice to make.
    Rows are made by `catalog.services.products.refresh_product` for every combination on sale; the first format or
    finish takes the row that was sold without one, and the last one leaves it. Others whose finish is not on sale any
    more stay, with their reference and stock, and are not offered.
    """

    product = models.ForeignKey(
        Product, on_delete=models.CASCADE, related_name="variants", db_index=False, verbose_name=_("produit")
    )
    variation = models.ForeignKey(
        ProductVariation,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="variants",
        verbose_name=_("format"),
    )
    finish = models.CharField(_("finition"), max_length=10, choices=Finish.choices, blank=True, default="")
    sku = models.CharField(_("référence"), max_length=80, blank=True, default="")
    price = models.DecimalField(
        _("prix propre (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        blank=True,
        validators=ABOVE_ZERO,
        help_text=_("Vide\u00a0: celui de la finition et du format."),
    )
    in_stock = models.BooleanField(_("disponible"), default=True)
    stock_quantity = models.PositiveIntegerField(
        _("quantité en stock"), null=True, blank=True, help_text=_("Vide\u00a0: celle du produit.")
    )
    weight_grams = models.PositiveIntegerField(
        _("poids emballé (g)"), null=True, blank=True, help_text=_("Vide\u00a0: celui du produit.")
    )
    production_days_min = models.PositiveSmallIntegerField(
        _("fabrication, minimum (jours)"),
        null=True,
        blank=True,
        help_text=_("Vide\u00a0: le délai du produit."),
    )
    production_days_max = models.PositiveSmallIntegerField(
        _("fabrication, maximum (jours)"), null=True, blank=True
    )
    dimensions = models.CharField(
        _("dimensions"), max_length=80, blank=True, default="", help_text=_("Vide\u00a0: celles du produit.")
    )
    height_cm = models.DecimalField(
        _("hauteur (cm)"),
        max_digits=6,
        decimal_places=1,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.1"))],
    )
    weight = models.CharField(_("poids"), max_length=40, blank=True, default="")

    class Meta:
        verbose_name = _("déclinaison")
        verbose_name_plural = _("déclinaisons")
        ordering = ("variation__sort_order", "variation", "finish")
        constraints = (
            models.UniqueConstraint(fields=("product", "variation", "finish"), name="variant_once"),
            # To SQL two nulls differ.
            models.UniqueConstraint(
                fields=("product", "finish"), condition=Q(variation__isnull=True), name="variant_plain_once"
            ),
            models.UniqueConstraint(
                fields=("sku",),
                condition=~Q(sku=""),
                name="variant_sku_unique",
                violation_error_message=_("Cette référence est déjà celle d'une autre déclinaison."),
            ),
            models.CheckConstraint(condition=Q(finish__in=["", *Finish.values]), name="variant_finish_known"),
            # Without formats the price of a finish is the product's own: one place for one price.
            models.CheckConstraint(
                condition=Q(price__isnull=True) | Q(price__gt=0, variation__isnull=False),
                name="variant_price_of_a_format",
                violation_error_message=_("Sans format, le prix est celui du produit."),
            ),
            models.CheckConstraint(
                condition=Q(height_cm__gt=0) | Q(height_cm__isnull=True), name="variant_height_positive"
            ),
            models.CheckConstraint(
                condition=PRODUCTION_DAYS_ORDERED,
                name="variant_production_ordered",
                violation_error_message=_("Indiquez les deux délais, le plus court d'abord, ou aucun."),
            ),
        )

    def __str__(self) -> str:
        return self.label or str(_("Modèle unique"))

    @property
    def label(self) -> str:
        """Format and finish in the active language: `18 cm · Peint`; "" without a choice."""
        finish = str(Finish(self.finish).label) if self.finish in Finish.values else ""
        return " · ".join(part for part in (self.variation.name if self.variation else "", finish) if part)
