"""Pictures that a program named by their addresses, until the shop has its copies."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models.media import ProductImage
from catalog.models.product import Product
from catalog.models.variant import ProductVariation


class ImportState(models.TextChoices):
    QUEUED = "queued", _("En attente")
    FAILED = "failed", _("Échec")


class PictureImport(models.Model):
    """One picture to be fetched for a product's gallery, or for one of its formats. The row goes when the photo is
    there; a failed one stays, with why (`failure`), until the gallery is written again. The photo that it `replaces` is
    shown until then."""

    product = models.ForeignKey(
        Product, on_delete=models.CASCADE, related_name="picture_imports", verbose_name=_("produit")
    )
    variation = models.ForeignKey(
        ProductVariation, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("format")
    )
    url = models.CharField(_("adresse de la photo"), max_length=2000)
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)
    replaces = models.ForeignKey(
        ProductImage,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("photo remplacée"),
    )
    state = models.CharField(
        _("état"), max_length=10, choices=ImportState.choices, default=ImportState.QUEUED
    )
    failure = models.CharField(_("erreur"), max_length=40, blank=True, default="")
    attempts = models.PositiveSmallIntegerField(_("essais"), default=0)
    next_attempt_at = models.DateTimeField(_("prochain essai"), default=timezone.now)
    lease_until: models.DateTimeField[datetime | None, datetime | None] = models.DateTimeField(
        _("réservée jusqu'à"), null=True
    )

    objects: ClassVar[models.Manager[PictureImport]] = models.Manager()
    _default_manager: ClassVar[models.Manager[PictureImport]]

    class Meta:
        verbose_name = _("photo à copier")
        verbose_name_plural = _("photos à copier")
        ordering = ("position", "pk")
        indexes = (models.Index(fields=("next_attempt_at",), name="import_due", condition=Q(state="queued")),)
        constraints = (
            models.CheckConstraint(condition=Q(state__in=ImportState.values), name="import_state_known"),
        )

    def __str__(self) -> str:
        return self.url
