"""Categories: those of the main catalogue, and collections with a page of their own."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class CategoryKind(models.TextChoices):
    """Where the products of a category are listed."""

    MAIN = "main", _("Catalogue principal")
    COLLECTION = "collection", _("Collection (page à part)")


class Colour(models.TextChoices):
    """The paint pot of a category: a token of the style sheet."""

    MANGAS = "mangas", _("Mangas")
    JEUX_VIDEO = "jeux-video", _("Jeux vidéo")
    DESSINS_ANIMES = "dessins-animes", _("Dessins animés")
    BUST = "bust", _("Bust")
    CHIBI_POP = "chibi-pop", _("Chibi / Pop")
    POKEBALL = "pokeball", _("Pokeball")
    CROCHET = "crochet", _("Crochet")
    GOODIES = "goodies", _("Goodies")
    NOEL = "noel", _("Noël")
    FIGURINES = "figurines", _("Figurines")
    AUTRE = "autre", _("Autre")


class Category(models.Model):
    """A category. Texts are translated (see `catalog.translation`); the slug is the same in every language."""

    slug = models.SlugField(_("identifiant"), max_length=60, unique=True)
    kind = models.CharField(_("type"), max_length=10, choices=CategoryKind.choices, default=CategoryKind.MAIN)
    name = models.CharField(_("nom"), max_length=80)
    title = models.CharField(
        _("titre de la page"), max_length=120, blank=True, help_text=_("Vide : le nom de la catégorie.")
    )
    description = models.TextField(
        _("description"),
        blank=True,
        help_text=_("Une phrase, sur la carte et pour les moteurs de recherche."),
    )
    intro = models.TextField(_("introduction"), blank=True, help_text=_("Premier paragraphe de la page."))
    offers_finishes = models.BooleanField(
        _("propose le choix de la finition"),
        default=False,
        help_text=_("Peint ou non peint, quand le produit a les prix correspondants."),
    )
    offers_formats = models.BooleanField(
        _("propose le choix du format"), default=False, help_text=_("Les variations du produit.")
    )
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)
    colour = models.CharField(_("couleur"), max_length=20, choices=Colour.choices, default=Colour.AUTRE)

    objects: ClassVar[models.Manager[Category]] = models.Manager()
    _default_manager: ClassVar[models.Manager[Category]]

    class Meta:
        verbose_name = _("catégorie")
        verbose_name_plural = _("catégories")
        ordering = ("position", "pk")
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=CategoryKind.values), name="category_kind_known"),
            models.CheckConstraint(condition=~Q(slug=""), name="category_slug_not_empty"),
        )

    def __str__(self) -> str:
        return self.name


class CategoryFeature(models.Model):
    """One of the « Caractéristiques » shown on a collection's page."""

    category = models.ForeignKey(Category, on_delete=models.CASCADE, related_name="features")
    title = models.CharField(_("titre"), max_length=120)
    text = models.TextField(_("texte"), blank=True)
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)

    objects: ClassVar[models.Manager[CategoryFeature]] = models.Manager()
    _default_manager: ClassVar[models.Manager[CategoryFeature]]

    class Meta:
        verbose_name = _("caractéristique")
        verbose_name_plural = _("caractéristiques")
        ordering = ("position", "pk")

    def __str__(self) -> str:
        return self.title
