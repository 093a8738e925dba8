"""The 3D model of a product: a file that the browser turns, and the picture shown until somebody asks for it."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalog.models.image import PictureRow
from catalog.models.product import Product


class ProductModel(PictureRow):
    """A GLB file and its poster (`file`, the stored picture). Both are written by `catalog.services.models3d`."""

    product = models.OneToOneField(Product, on_delete=models.CASCADE, related_name="model_3d")
    model_file = models.FileField(_("modèle 3D"), max_length=120, editable=False)
    model_bytes = models.PositiveIntegerField(
        _("taille du modèle (octets)"), editable=False, validators=[MinValueValidator(1)]
    )

    objects: ClassVar[models.Manager[ProductModel]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ProductModel]]

    class Meta:
        verbose_name = _("modèle 3D")
        verbose_name_plural = _("modèles 3D")
        constraints = (
            models.CheckConstraint(
                condition=Q(width__gt=0, height__gt=0, model_bytes__gt=0), name="product_model_has_size"
            ),
        )
