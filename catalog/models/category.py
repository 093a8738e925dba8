"""Categories: those of the main catalogue, and collections with a page of their own."""

from __future__ import annotations

from typing import ClassVar, Final

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from catalog.models.safety import SafetyClass, SafetyFields, toy_is_complete
from shop.core.models import Seasonal

SLUG_LENGTH = 60
SLUG_FIELDS: Final = {"fr": "slug", "en": "slug_en", "es": "slug_es", "de": "slug_de"}
"""The column of a category's address in each language."""


class CategoryKind(models.TextChoices):
    """Where the products of a category are listed."""

    MAIN = "main", _("Catalogue principal")
    COLLECTION = "collection", _("Collection (page à part)")


class Colour(models.TextChoices):
    """The paint pot of a category: a token of the style sheet."""

    MANGAS = "mangas", _("Mangas")
    JEUX_VIDEO = "jeux-video", _("Jeux vidéo")
    DESSINS_ANIMES = "dessins-animes", _("Dessins animés")
    BUST = "bust", _("Bustes")
    CHIBI_POP = "chibi-pop", _("Chibi / Pop")
    POKEBALL = "pokeball", _("Pokeball")
    CROCHET = "crochet", _("Crochet")
    GOODIES = "goodies", _("Goodies")
    NOEL = "noel", _("Noël")
    FIGURINES = "figurines", _("Figurines")
    AUTRE = "autre", _("Autre")


class MenuPlace(models.TextChoices):
    """Where the header's menu leads to a category."""

    PRODUCTS = "products", _("sous « Produits »")
    TOP = "top", _("au premier niveau")
    NONE = "", _("nulle part")


CATEGORY_TEXTS = ("name", "title", "description", "intro", "warnings")
"""The texts of a category that exist in every language; its addresses have columns of their own."""


class Category(SafetyFields, Seasonal):
    """A category. Texts are translated (see `catalog.translation`).

    `slug` is its key and its French address; where another language has none of its own, it serves there too. All of
    them are distinct from those of other categories, whatever the language, and from the words of the shop's pages:
    `catalog.services.categories` sees to it. In season it is in menus and on the home page; its page always answers.
    """

    slug = models.SlugField(_("adresse"), max_length=SLUG_LENGTH, unique=True)
    slug_en = models.SlugField(_("adresse (anglais)"), max_length=SLUG_LENGTH, blank=True, default="")
    slug_es = models.SlugField(_("adresse (espagnol)"), max_length=SLUG_LENGTH, blank=True, default="")
    slug_de = models.SlugField(_("adresse (allemand)"), max_length=SLUG_LENGTH, blank=True, default="")
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
    menu_place = models.CharField(
        _("dans le menu"), max_length=10, choices=MenuPlace.choices, blank=True, default=MenuPlace.PRODUCTS
    )
    in_footer = models.BooleanField(_("en pied de page"), default=False)
    safety_class = models.CharField(
        _("classe de sécurité"),
        max_length=10,
        choices=SafetyClass.choices,
        default=SafetyClass.COLLECTOR,
        help_text=_("Décide de l'âge et des avertissements que montrent ses pièces."),
    )

    objects: ClassVar[models.Manager[Category]] = models.Manager()
    _default_manager: ClassVar[models.Manager[Category]]

    class Meta:
        verbose_name = _("catégorie")
        verbose_name_plural = _("catégories")
        ordering = ("position", "pk")
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=CategoryKind.values), name="category_kind_known"),
            models.CheckConstraint(condition=~Q(slug=""), name="category_slug_not_empty"),
            models.CheckConstraint(
                condition=Q(menu_place__in=MenuPlace.values), name="category_menu_place_known"
            ),
            models.CheckConstraint(
                condition=Q(starts_on=None) | Q(ends_on=None) | Q(starts_on__lte=F("ends_on")),
                name="category_dates_ordered",
            ),
            models.CheckConstraint(
                condition=Q(safety_class__in=SafetyClass.values), name="category_safety_class_known"
            ),
            models.CheckConstraint(
                condition=toy_is_complete(),
                name="category_toy_has_warnings",
                violation_error_message=_("Des jouets demandent un âge minimum et des avertissements."),
            ),
            *(
                models.UniqueConstraint(
                    fields=(field,), condition=~Q(**{field: ""}), name=f"category_{field}_unique"
                )
                for field in SLUG_FIELDS.values()
                if field != "slug"
            ),
        )

    def __str__(self) -> str:
        return self.name

    def slug_in(self, language: str) -> str:
        """Return its address in a language: the French one where it has no other."""
        return getattr(self, SLUG_FIELDS[language]) or self.slug

    @property
    def slugs(self) -> set[str]:
        """Every word that is an address of it."""
        return {getattr(self, field) for field in SLUG_FIELDS.values()} - {""}


class FormerSlug(models.Model):
    """A word that was a category's address, in whatever language: who asks for it is sent to the category (301). When
    a category takes the word as its own, it is no former one any more."""

    slug = models.SlugField(_("ancienne adresse"), max_length=SLUG_LENGTH, unique=True)
    category = models.ForeignKey(
        Category, on_delete=models.CASCADE, related_name="former_slugs", verbose_name=_("catégorie")
    )

    objects: ClassVar[models.Manager[FormerSlug]] = models.Manager()
    _default_manager: ClassVar[models.Manager[FormerSlug]]

    class Meta:
        verbose_name = _("ancienne adresse de catégorie")
        verbose_name_plural = _("anciennes adresses de catégories")
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.slug


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
