"""Products: texts, prices, and what their variants fall back to. The rules of prices are in `catalog.pricing`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_countries.fields import CountryField

from catalog.models.category import Category
from catalog.models.facets import DRAWN_PLACE, FACETS_EXPRESSION
from catalog.models.safety import SafetyClass, SafetyFields, toy_is_complete
from shop.core.languages import LANGUAGES, SOURCE_LANGUAGE

PRODUCT_TEXTS = ("name", "slug", "description", "full_description", "material", "paint_type", "warnings")
"""The texts of a product that exist in every language."""
AMOUNT_DIGITS = 10
ABOVE_ZERO = [MinValueValidator(Decimal("0.01"), _("Le prix doit être supérieur à 0,00 €."))]


class Finish(models.TextChoices):
    """How a product leaves the workshop. `""` (no choice to make) is not a member."""

    PAINTED = "painted", _("Peint")
    UNPAINTED = "unpainted", _("Non peint")


def not_negative(field: str) -> Q:
    """Return the condition that a column is empty or at least 0."""
    return Q(**{f"{field}__gte": 0}) | Q(**{f"{field}__isnull": True})


def positive(field: str) -> Q:
    """Return the condition that a column is empty or above 0."""
    return Q(**{f"{field}__gt": 0}) | Q(**{f"{field}__isnull": True})


# Both ends of the production time or none, the shorter one first.
PRODUCTION_DAYS_ORDERED = Q(production_days_min__isnull=True, production_days_max__isnull=True) | Q(
    production_days_min__isnull=False,
    production_days_max__isnull=False,
    production_days_min__lte=F("production_days_max"),
)


def wrong_production_days(low: int | None, high: int | None) -> dict[str, Any]:
    """Return a sentence by the field at fault for a production time that can't be, else nothing."""
    if low is None and high is None:
        return {}
    if low is None or high is None:
        missing = "production_days_min" if low is None else "production_days_max"
        return {missing: _("Indiquez les deux délais ou aucun.")}
    if low > high:
        return {"production_days_max": _("Le délai maximum est plus court que le minimum.")}
    if high > Product.MAX_PRODUCTION_DAYS:
        return {"production_days_max": _("Un délai de plus d'un an ne peut pas être promis.")}
    return {}


def _sort_name() -> models.CharField[str, str]:
    return models.CharField(max_length=160, blank=True, default="", db_default="", editable=False)


# Neither in the archive nor in the trash.
NOT_REMOVED = Q(archived_at__isnull=True, trashed_at__isnull=True)


class Product(SafetyFields):
    """A product on sale.

    Write it through `catalog.services.products`, and what staff do with it through `catalog.services.staff_products`,
    `product_removal` and `product_copies`. The first keeps the denormalised columns (`search_text`, `sort_name_*`,
    `price_from`, `price_to`, `crossed_out`, `reduced_price`, `running_promotion`, `is_available`, `is_ready`,
    `has_small`, `has_medium`, `has_large`), `published_at` and the price history right; `rating_count` and
    `rating_average` are those of `catalog.services.reviews`. Texts are translated.
    """

    name = models.CharField(_("nom"), max_length=160)
    # Products are found by their number: the slug is never looked up, so it has no index.
    slug = models.SlugField(
        _("identifiant d'adresse"),
        max_length=180,
        blank=True,
        db_index=False,
        help_text=_("Vide : tiré du nom."),
    )
    description = models.TextField(
        _("description courte"), blank=True, help_text=_("La première ligne sert d'accroche sur la carte.")
    )
    full_description = models.TextField(_("description détaillée"), blank=True)
    category = models.ForeignKey(
        Category, on_delete=models.PROTECT, related_name="products", verbose_name=_("catégorie")
    )

    price = models.DecimalField(
        _("prix de base (€)"), max_digits=AMOUNT_DIGITS, decimal_places=2, validators=ABOVE_ZERO
    )
    original_price = models.DecimalField(
        _("prix d'origine (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        blank=True,
        validators=ABOVE_ZERO,
        help_text=_("Affiché barré, plafonné au prix le plus bas des 30 jours avant la baisse (L112-1-1)."),
    )
    painted_price = models.DecimalField(
        _("prix peint (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        blank=True,
        validators=ABOVE_ZERO,
    )
    unpainted_price = models.DecimalField(
        _("prix non peint (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        blank=True,
        validators=ABOVE_ZERO,
    )

    featured = models.BooleanField(_("en vedette"), default=False)
    in_stock = models.BooleanField(_("disponible"), default=True)
    stock_quantity = models.PositiveIntegerField(
        _("quantité en stock"), null=True, blank=True, help_text=_("Vide : fabriqué à la commande.")
    )
    is_published = models.BooleanField(_("publié"), default=True)
    # Out of the shop, which reads `is_published` alone; `was_published` is what that goes back to.
    archived_at = models.DateTimeField(_("archivé le"), null=True, editable=False)
    trashed_at = models.DateTimeField(_("mis à la corbeille le"), null=True, editable=False)
    was_published = models.BooleanField(_("publié avant"), default=False, editable=False)
    # Names of translated columns (`name_en`) whose French text changed after them.
    stale_texts = models.JSONField(_("traductions à revoir"), default=list, blank=True, editable=False)

    dimensions = models.CharField(
        _("dimensions"), max_length=80, blank=True, help_text=_("Hauteur × largeur × profondeur.")
    )
    height_cm = models.DecimalField(
        _("hauteur (cm)"),
        max_digits=6,
        decimal_places=1,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.1"))],
    )
    weight = models.CharField(_("poids"), max_length=40, blank=True)
    hs_code = models.CharField(
        _("code douanier (SH)"),
        max_length=10,
        blank=True,
        validators=[RegexValidator(r"^\d{6}(\d{2}|\d{4})?$", _("6, 8 ou 10 chiffres, sans espace."))],
        help_text=_("Nomenclature du Système harmonisé, demandée hors de l'Union européenne."),
    )
    origin_country = CountryField(_("pays de fabrication"), blank=True, default="")
    weight_grams = models.PositiveIntegerField(
        _("poids emballé (g)"), null=True, blank=True, help_text=_("Pour la déclaration en douane.")
    )
    material = models.CharField(_("matière"), max_length=160, blank=True)
    paint_type = models.CharField(_("type de peinture"), max_length=160, blank=True)
    production_days_min = models.PositiveSmallIntegerField(
        _("fabrication, minimum (jours)"),
        null=True,
        blank=True,
        help_text=_("Vide : le délai de la boutique."),
    )
    production_days_max = models.PositiveSmallIntegerField(
        _("fabrication, maximum (jours)"), null=True, blank=True
    )
    safety_class = models.CharField(
        _("classe de sécurité"),
        max_length=10,
        choices=SafetyClass.choices,
        blank=True,
        help_text=_("Vide\u00a0: celle de la catégorie."),
    )
    picked_similar = models.ManyToManyField(
        "self",
        symmetrical=False,
        blank=True,
        related_name="+",
        verbose_name=_("produits similaires choisis"),
        help_text=_("Montrés avant ceux de la même catégorie."),
    )

    source = models.CharField(_("origine"), max_length=40, default="manual", blank=True)
    external_id = models.CharField(
        _("identifiant externe"), max_length=120, null=True, blank=True, unique=True
    )
    created_at = models.DateTimeField(_("créé le"), default=timezone.now)
    updated_at = models.DateTimeField(_("modifié le"), auto_now=True)
    # For the first time: the newest pieces of the shop go by it. None before. The database's default is for rows that
    # a version without this column adds.
    published_at = models.DateTimeField(
        _("publié le"), null=True, default=None, db_default=Now(), editable=False
    )

    # Of its variants, so that lists need not read them.
    is_available = models.BooleanField(_("achetable"), default=False, editable=False)
    is_ready = models.BooleanField(_("prêt à partir"), default=False, editable=False)
    has_small = models.BooleanField(_("existe en petit"), default=False, editable=False)
    has_medium = models.BooleanField(_("existe en moyen"), default=False, editable=False)
    has_large = models.BooleanField(_("existe en grand"), default=False, editable=False)
    search_text = models.TextField(_("texte de recherche"), blank=True, default="", editable=False)
    # The name that each language shows, as lists from A to Z compare it.
    sort_name_fr = _sort_name()
    sort_name_en = _sort_name()
    sort_name_es = _sort_name()
    sort_name_de = _sort_name()
    price_from = models.DecimalField(
        _("prix le plus bas (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        default=Decimal("0.00"),
        editable=False,
    )
    price_to = models.DecimalField(
        _("prix le plus haut (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        default=Decimal("0.00"),
        editable=False,
    )
    crossed_out = models.DecimalField(
        _("prix barré (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        editable=False,
    )
    # The one that runs, as far as `catalog.services.prices` has recorded it.
    running_promotion = models.ForeignKey(
        "catalog.Promotion",
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("promotion en cours"),
    )

    # The price that `crossed_out` belongs to: one of several where the choices differ in price.
    reduced_price = models.DecimalField(
        _("prix réduit (€)"), max_digits=AMOUNT_DIGITS, decimal_places=2, null=True, editable=False
    )

    facets = models.GeneratedField(
        expression=FACETS_EXPRESSION,
        output_field=models.PositiveSmallIntegerField(),
        db_persist=True,
    )

    rating_count = models.PositiveIntegerField(_("avis publiés"), default=0, editable=False)
    rating_average = models.DecimalField(
        _("note moyenne"), max_digits=3, decimal_places=2, null=True, editable=False
    )

    objects: ClassVar[models.Manager[Product]] = models.Manager()
    _default_manager: ClassVar[models.Manager[Product]]

    class Meta:
        verbose_name = _("produit")
        verbose_name_plural = _("produits")
        ordering = ("-created_at", "-pk")
        indexes = (
            # The staff's lists, counted and read without touching the table.
            models.Index(
                fields=("-created_at", "-id", "category"), name="product_staff_newest", condition=NOT_REMOVED
            ),
            models.Index(fields=("price_from", "id"), name="product_staff_price", condition=NOT_REMOVED),
            models.Index(fields=("-updated_at", "-id"), name="product_staff_updated", condition=NOT_REMOVED),
            models.Index(fields=("sort_name_fr", "id"), name="product_staff_sort", condition=NOT_REMOVED),
            # The newest page of the main catalogue and of one category, without touching the table.
            models.Index(
                fields=("-published_at", "-id", "category"),
                name="product_newest",
                condition=Q(is_published=True),
            ),
            models.Index(
                fields=("category", "-published_at", "-id"),
                name="product_category_newest",
                condition=Q(is_published=True),
            ),
            models.Index(
                fields=("-published_at", "-id"),
                name="product_featured",
                condition=Q(is_published=True, featured=True),
            ),
            # The other orders of a list, each read from either end.
            models.Index(
                fields=("price_from", "id", "category", "facets", "is_published"),
                name="product_price",
                condition=Q(is_published=True),
            ),
            models.Index(
                fields=("category", "price_from", "id"),
                name="product_category_price",
                condition=Q(is_published=True),
            ),
            # What counts of lists read, without touching the table. Without `is_published` SQLite would read the row
            # for the condition.
            models.Index(
                fields=("category", "facets", "is_published"),
                name="product_facets",
                condition=Q(is_published=True),
            ),
            # Similar products, and the gallery of a day.
            models.Index(
                fields=("category", "-is_available", "-published_at", "-id"),
                name="product_category_available",
                condition=Q(is_published=True),
            ),
            models.Index(
                "is_available", DRAWN_PLACE, "id", name="product_drawn", condition=Q(is_published=True)
            ),
            # What filters of searches read, without touching the table.
            models.Index(
                fields=(
                    *("category", "is_available", "is_ready", "has_small", "has_medium", "has_large"),
                    *(
                        "running_promotion",
                        "crossed_out",
                        "painted_price",
                        "unpainted_price",
                        "price_from",
                        "id",
                    ),
                    # SQLite would read the row for the condition.
                    "is_published",
                ),
                # For searches of PostgreSQL, which read the newest of those that filters leave.
                include=("published_at",),
                name="product_filters",
                condition=Q(is_published=True),
            ),
            *(
                models.Index(
                    fields=(f"sort_name_{language}", "id"),
                    name=f"product_sort_{language}",
                    condition=Q(is_published=True),
                )
                for language in LANGUAGES
            ),
        )
        constraints = (
            models.CheckConstraint(condition=Q(price__gt=0), name="product_price_positive"),
            models.CheckConstraint(condition=positive("original_price"), name="product_original_positive"),
            models.CheckConstraint(condition=positive("painted_price"), name="product_painted_positive"),
            models.CheckConstraint(condition=positive("unpainted_price"), name="product_unpainted_positive"),
            models.CheckConstraint(
                condition=not_negative("stock_quantity"), name="product_stock_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(height_cm__gt=0) | Q(height_cm__isnull=True), name="product_height_positive"
            ),
            models.CheckConstraint(condition=PRODUCTION_DAYS_ORDERED, name="product_production_ordered"),
            models.CheckConstraint(
                condition=Q(is_published=False) | NOT_REMOVED,
                name="product_removed_unpublished",
                violation_error_message=_("Un produit archivé ou à la corbeille ne peut pas être publié."),
            ),
            models.CheckConstraint(
                condition=Q(safety_class__in=["", *SafetyClass.values]), name="product_safety_class_known"
            ),
            models.CheckConstraint(
                condition=Q(is_published=False) | toy_is_complete(), name="product_toy_has_warnings"
            ),
            models.CheckConstraint(
                condition=Q(external_id__isnull=True) | ~Q(external_id=""),
                name="product_external_id_not_empty",
            ),
        )

    def __str__(self) -> str:
        return self.name

    # The longest production time that the shop may promise.
    MAX_PRODUCTION_DAYS: ClassVar[int] = 365

    def clean(self) -> None:
        """Refuses what the constraints refuse, with a sentence on the field at fault."""
        errors = wrong_production_days(self.production_days_min, self.production_days_max)
        if self.is_published and self.safety_class == SafetyClass.TOY:
            if self.minimum_age is None:
                errors["minimum_age"] = _("Un jouet n'est publié qu'avec son âge minimum.")
            if not getattr(self, f"warnings_{SOURCE_LANGUAGE}"):
                errors["warnings"] = _("Un jouet n'est publié qu'avec ses avertissements.")
        if errors:
            raise ValidationError(errors)
