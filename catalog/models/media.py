"""Pictures and 3D models: rows that describe files written by `shop.core.images` and `shop.core.models3d`."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models.category import Category
from catalog.models.product import Finish, Product
from catalog.models.variant import ProductVariation


class PictureRow(models.Model):
    """A stored picture. `derivatives` has no `widths` until the smaller files were made in the background."""

    file = models.FileField(_("fichier"), max_length=120, editable=False)
    alt = models.CharField(
        _("texte alternatif"),
        max_length=250,
        blank=True,
        help_text=_("Ce que montre l'image, pour qui ne la voit pas. Vide : le nom."),
    )
    width = models.PositiveIntegerField(_("largeur"), editable=False, validators=[MinValueValidator(1)])
    height = models.PositiveIntegerField(_("hauteur"), editable=False, validators=[MinValueValidator(1)])
    colour = models.CharField(_("couleur moyenne"), max_length=7, blank=True, default="", editable=False)
    derivatives = models.JSONField(_("fichiers dérivés"), default=dict, blank=True, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.file.name or ""


class ProductImage(PictureRow):
    """A photo of a product, possibly of one finish or one variation of it."""

    product = models.ForeignKey(
        Product, on_delete=models.CASCADE, related_name="images", verbose_name=_("produit")
    )
    finish = models.CharField(
        _("finition"),
        max_length=10,
        choices=Finish.choices,
        blank=True,
        default="",
        help_text=_("Vide : toutes les finitions."),
    )
    variation = models.ForeignKey(
        ProductVariation,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="images",
        verbose_name=_("variation"),
    )
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)
    # In percent of the picture as it is shown.
    focus_x = models.PositiveSmallIntegerField(
        _("point important, de gauche (%)"), null=True, blank=True, validators=[MaxValueValidator(100)]
    )
    focus_y = models.PositiveSmallIntegerField(
        _("point important, du haut (%)"), null=True, blank=True, validators=[MaxValueValidator(100)]
    )
    # Left, top, width and height of what is shown, in percent of the whole picture; empty: all of it.
    crop = models.JSONField(_("recadrage"), default=dict, blank=True, editable=False)
    # The columns of the whole picture (`file`, `width`, `height`, `colour`, `derivatives`) while a part is shown.
    whole = models.JSONField(_("image entière"), default=dict, blank=True, editable=False)
    # Of a copy, the address that a program named it by.
    source_url = models.CharField(
        _("adresse d'origine"), max_length=2000, blank=True, default="", db_default="", editable=False
    )

    objects: ClassVar[models.Manager[ProductImage]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ProductImage]]

    class Meta:
        verbose_name = _("photo")
        verbose_name_plural = _("photos")
        ordering = ("position", "pk")
        indexes = (
            # Which products are photographed in both finishes.
            models.Index(fields=("finish", "product"), name="product_image_finish", condition=~Q(finish="")),
        )
        constraints = (
            models.CheckConstraint(condition=Q(width__gt=0, height__gt=0), name="product_image_has_size"),
            models.CheckConstraint(
                condition=Q(finish__in=["", *Finish.values]), name="product_image_finish_known"
            ),
            models.CheckConstraint(
                condition=Q(focus_x__isnull=True, focus_y__isnull=True)
                | Q(focus_x__range=(0, 100), focus_y__range=(0, 100)),
                name="product_image_focus_in_picture",
            ),
        )


class CategoryPicture(PictureRow):
    """The picture on a category's card."""

    category = models.OneToOneField(
        Category, on_delete=models.CASCADE, related_name="picture", verbose_name=_("catégorie")
    )

    objects: ClassVar[models.Manager[CategoryPicture]] = models.Manager()
    _default_manager: ClassVar[models.Manager[CategoryPicture]]

    class Meta:
        verbose_name = _("image de la catégorie")
        verbose_name_plural = _("images des catégories")
        constraints = (
            models.CheckConstraint(condition=Q(width__gt=0, height__gt=0), name="category_picture_has_size"),
        )


class RetiredPicture(models.Model):
    """The files of a picture that the catalogue shows no more: they stay while somebody else shows one of them."""

    file = models.FileField(_("fichier"), max_length=120)
    derivatives = models.JSONField(_("fichiers dérivés"), default=dict)
    retired_at = models.DateTimeField(_("retirée le"), default=timezone.now)

    objects: ClassVar[models.Manager[RetiredPicture]] = models.Manager()
    _default_manager: ClassVar[models.Manager[RetiredPicture]]

    class Meta:
        verbose_name = _("image retirée")
        verbose_name_plural = _("images retirées")

    def __str__(self) -> str:
        return self.file.name or ""


class ProductModel(PictureRow):
    """The 3D model of a product: a GLB file that the browser turns, and its poster (`file`, the stored picture)."""

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
