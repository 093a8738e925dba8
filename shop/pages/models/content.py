"""What operators write: page texts, questions with answers, the band of a season, redirects."""

from __future__ import annotations

import re
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from shop.core.models import Seasonal

_OWN_PATH = re.compile(r"/(?![/\\])[^\s\\]*\Z")


def own_path(value: str) -> None:
    """Refuses whatever is no path of this site: `//elsewhere` and `/\\elsewhere` are other sites to a browser."""
    if not _OWN_PATH.match(value) or not value.isprintable():
        raise ValidationError(_("Indiquez une adresse de ce site, qui commence par « / »."))


class FaqCategory(models.TextChoices):
    """The four chapters of the FAQ, in their order."""

    CREATION = "creation", _("Figurines et création")
    QUALITY = "quality", _("Qualité et techniques")
    DELIVERY = "delivery", _("Commande et livraison")
    PRICES = "prices", _("Tarifs et garanties")


class FaqEntry(models.Model):
    """A question with its answer. The answer is Markdown with places (`{{ production_delay }}`) for figures."""

    key = models.SlugField(
        _("identifiant"), max_length=60, unique=True, null=True, blank=True, editable=False
    )
    category = models.CharField(_("chapitre"), max_length=12, choices=FaqCategory.choices)
    question = models.CharField(_("question"), max_length=200)
    answer = models.TextField(_("réponse"))
    on_home = models.BooleanField(_("sur l'accueil"), default=False)
    on_contact = models.BooleanField(_("sur la page de contact"), default=False)
    on_faq = models.BooleanField(_("dans la FAQ"), default=True)
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)
    is_published = models.BooleanField(_("publiée"), default=True)

    objects: ClassVar[models.Manager[FaqEntry]] = models.Manager()
    _default_manager: ClassVar[models.Manager[FaqEntry]]

    class Meta:
        verbose_name = _("question de la FAQ")
        verbose_name_plural = _("questions de la FAQ")
        ordering = ("position", "pk")
        constraints = (
            models.CheckConstraint(condition=Q(category__in=FaqCategory.values), name="faq_category_known"),
        )

    def __str__(self) -> str:
        return self.question


class Dated(models.Model):
    """Something shown from a moment on, until another; empty means always."""

    starts_at = models.DateTimeField(_("à partir de"), null=True, blank=True)
    ends_at = models.DateTimeField(_("jusqu'à"), null=True, blank=True)

    class Meta:
        abstract = True

    def clean(self) -> None:
        super().clean()
        if self.starts_at and self.ends_at and self.starts_at >= self.ends_at:
            raise ValidationError({"ends_at": _("La fin doit venir après le début.")})


class PageText(Dated):
    """A passage of a page, found by its key. Of several in force the one that began last is shown."""

    key = models.CharField(_("passage"), max_length=40, db_index=True)
    title = models.CharField(_("titre"), max_length=200, blank=True)
    body = models.TextField(_("texte"), blank=True)

    objects: ClassVar[models.Manager[PageText]] = models.Manager()
    _default_manager: ClassVar[models.Manager[PageText]]

    class Meta:
        verbose_name = _("texte de page")
        verbose_name_plural = _("textes de page")
        ordering = ("key", "starts_at", "pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(starts_at=None) | Q(ends_at=None) | Q(starts_at__lt=F("ends_at")),
                name="page_text_dates_ordered",
            ),
        )

    def __str__(self) -> str:
        return f"{self.key} – {self.title}"


class SeasonalBanner(Dated):
    """The band of a season on the home page, and its entry in the menu if wanted."""

    key = models.SlugField(
        _("identifiant"), max_length=60, unique=True, null=True, blank=True, editable=False
    )
    title = models.CharField(_("titre"), max_length=120)
    text = models.TextField(_("texte"), blank=True)
    link_label = models.CharField(_("texte du bouton"), max_length=60)
    link = models.CharField(
        _("lien"),
        max_length=200,
        validators=[own_path],
        help_text=_("Une adresse de ce site, en français : /noel. Chaque langue reçoit la sienne."),
    )
    in_menu = models.BooleanField(_("aussi dans le menu"), default=False)
    file = models.FileField(_("image"), max_length=120, blank=True, editable=False)
    alt = models.CharField(
        _("texte alternatif"),
        max_length=250,
        blank=True,
        help_text=_("Ce que montre l'image, pour qui ne la voit pas."),
    )
    width = models.PositiveIntegerField(_("largeur"), default=0, editable=False)
    height = models.PositiveIntegerField(_("hauteur"), default=0, editable=False)
    colour = models.CharField(_("couleur moyenne"), max_length=7, blank=True, default="", editable=False)
    derivatives = models.JSONField(_("fichiers dérivés"), default=dict, blank=True, editable=False)

    objects: ClassVar[models.Manager[SeasonalBanner]] = models.Manager()
    _default_manager: ClassVar[models.Manager[SeasonalBanner]]

    class Meta:
        verbose_name = _("bandeau de saison")
        verbose_name_plural = _("bandeaux de saison")
        ordering = ("-starts_at", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(starts_at=None) | Q(ends_at=None) | Q(starts_at__lt=F("ends_at")),
                name="banner_dates_ordered",
            ),
        )

    def __str__(self) -> str:
        return self.title


class Redirect(models.Model):
    """Where an address that no longer exists has gone. A page that exists always wins over its redirect."""

    old_path = models.CharField(
        _("ancienne adresse"),
        max_length=400,
        unique=True,
        validators=[own_path],
        help_text=_("/ancienne-page"),
    )
    new_path = models.CharField(
        _("nouvelle adresse"), max_length=400, validators=[own_path], help_text=_("/produits")
    )
    created_at = models.DateTimeField(_("créée le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("redirection")
        verbose_name_plural = _("redirections")
        ordering = ("old_path",)
        constraints = (
            models.CheckConstraint(condition=~Q(old_path=F("new_path")), name="redirect_goes_elsewhere"),
        )

    def __str__(self) -> str:
        return f"{self.old_path} → {self.new_path}"


class SectionKind(models.TextChoices):
    """The sections that the home page can show, in the order that the shop comes with."""

    HERO = "hero", _("Présentation et coups de cœur")
    GALLERY = "gallery", _("Pièces du jour")
    FINISHES = "finishes", _("Peint ou non peint")
    PROCESS = "process", _("Étapes de fabrication")
    SEASON = "season", _("Bandeau de saison")
    CATEGORIES = "categories", _("Catégories et collections")
    STORY = "story", _("Notre histoire")
    FAQ = "faq", _("Questions fréquentes")
    REVIEWS = "reviews", _("Derniers avis")
    CONTACT = "contact", _("Nous écrire")


class HomeSection(Seasonal):
    """A section of the home page in its place. A kind that the shop does not know any more is not shown."""

    kind = models.CharField(_("section"), max_length=20, choices=SectionKind.choices)
    position = models.PositiveSmallIntegerField(_("ordre"), default=0)
    is_visible = models.BooleanField(_("visible"), default=True)

    objects: ClassVar[models.Manager[HomeSection]] = models.Manager()
    _default_manager: ClassVar[models.Manager[HomeSection]]

    class Meta:
        verbose_name = _("section de l'accueil")
        verbose_name_plural = _("sections de l'accueil")
        ordering = ("position", "pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(starts_on=None) | Q(ends_on=None) | Q(starts_on__lte=F("ends_on")),
                name="home_section_dates_ordered",
            ),
        )

    def __str__(self) -> str:
        return self.get_kind_display()

    def clean(self) -> None:
        """Refuses a second row of a section for the same days: the page shows each section once."""
        super().clean()
        rows = HomeSection.objects.filter(kind=self.kind).exclude(pk=self.pk)
        if self.starts_on:
            rows = rows.exclude(ends_on__lt=self.starts_on)
        if self.ends_on:
            rows = rows.exclude(starts_on__gt=self.ends_on)
        if rows.exists():
            raise ValidationError({"kind": _("Cette section est déjà sur l'accueil à ces dates.")})
