"""Prices over time: what the shop asked for each product, and since when. Rows are added, never changed."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models.product import AMOUNT_DIGITS, Finish, Product
from catalog.models.variant import ProductVariation
from shop.core.append_only import AppendOnlyModel


class PricePoint(AppendOnlyModel):
    """From `starts_at` on, this was the price of one published product in one finish and one variation.

    The proof of what was asked (L112-1-1) outlives the product: its keys are kept without a database constraint,
    so that deleting a product leaves them. The database itself refuses changes too (trigger of the first migration).
    `lowest_prior` is the lowest price of the 30 days before `starts_at`; null while the history is too short.
    """

    product = models.ForeignKey(
        Product,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="price_points",
        verbose_name=_("produit"),
        db_index=False,
    )
    variation = models.ForeignKey(
        ProductVariation,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        blank=True,
        related_name="price_points",
        verbose_name=_("variation"),
    )
    finish = models.CharField(_("finition"), max_length=10, choices=Finish.choices, blank=True, default="")
    amount = models.DecimalField(_("prix (€)"), max_digits=AMOUNT_DIGITS, decimal_places=2)
    starts_at = models.DateTimeField(_("depuis le"))
    lowest_prior = models.DecimalField(
        _("prix le plus bas des 30 jours précédents (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        blank=True,
    )

    class Meta:
        verbose_name = _("prix pratiqué")
        verbose_name_plural = _("prix pratiqués")
        ordering = ("product_id", "variation_id", "finish", "starts_at", "pk")
        indexes = (
            models.Index(fields=("product", "variation", "finish", "starts_at"), name="price_point_history"),
        )
        constraints = (
            models.CheckConstraint(condition=Q(amount__gte=0), name="price_point_not_negative"),
            models.CheckConstraint(
                condition=Q(finish__in=["", *Finish.values]), name="price_point_finish_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.amount} € ({timezone.localtime(self.starts_at):%Y-%m-%d})"
