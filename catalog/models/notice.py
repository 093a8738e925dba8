"""Mails asked for by visitors: a product is back, or a collection has its first one."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models.category import Category
from catalog.models.product import Product
from catalog.models.variant import Variant


class Notice(models.Model):
    """One mail that somebody asked for: when a product is back, or when a collection has its first product.

    Nothing but the confirmation is sent before `confirmed_at`: anybody can type anybody's address. `token` is the
    secret in the links of the mails. `asked_at` is when the last confirmation was sent.
    """

    email = models.EmailField(_("adresse e-mail"))
    product = models.ForeignKey(
        Product,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="notices",
        verbose_name=_("produit"),
    )
    variant = models.ForeignKey(
        Variant,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="notices",
        verbose_name=_("déclinaison"),
        help_text=_("Vide\u00a0: le produit, quelle que soit la déclinaison."),
    )
    category = models.ForeignKey(
        Category,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="notices",
        verbose_name=_("catégorie"),
    )
    language = models.CharField(_("langue"), max_length=5, default=settings.LANGUAGE_CODE)
    token = models.CharField(max_length=64, unique=True, editable=False)
    asked_at = models.DateTimeField(_("demandé le"), default=timezone.now, editable=False)
    confirmed_at = models.DateTimeField(_("confirmé le"), null=True, blank=True, editable=False)
    sent_at = models.DateTimeField(_("envoyé le"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("créé le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("avis de disponibilité")
        verbose_name_plural = _("avis de disponibilité")
        ordering = ("-asked_at", "-pk")
        indexes = (models.Index(fields=("email", "asked_at"), name="notice_by_address"),)
        constraints = (
            models.UniqueConstraint(
                fields=("email", "product"),
                condition=Q(product__isnull=False, variant__isnull=True),
                name="notice_once_a_product",
            ),
            models.UniqueConstraint(
                fields=("email", "variant"), condition=Q(variant__isnull=False), name="notice_once_a_variant"
            ),
            models.UniqueConstraint(
                fields=("email", "category"),
                condition=Q(category__isnull=False),
                name="notice_once_a_category",
            ),
            models.CheckConstraint(
                condition=Q(product__isnull=False, category__isnull=True)
                | Q(product__isnull=True, variant__isnull=True, category__isnull=False),
                name="notice_of_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(confirmed_at__isnull=False),
                name="notice_sent_only_if_confirmed",
            ),
        )

    def __str__(self) -> str:
        return f"{self.email} · {self.product or self.category}"
