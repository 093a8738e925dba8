"""Articles, their tags, their pictures, and the versions that were saved of them."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models import PictureRow, Product
from shop.core.languages import SOURCE_LANGUAGE

AUTHOR_NAME_LENGTH: Final = 80
TAG_LENGTH: Final = 40
EXCERPT_LENGTH: Final = 400
CONTENT_LENGTH: Final = 60_000
ARTICLE_TEXTS: Final = ("title", "slug", "excerpt", "content", "cover_alt")
"""The texts of an article, each with a column a language (`title_fr`)."""
TEXT_COLUMNS: Final = tuple(
    f"{text}_{language}" for text in ARTICLE_TEXTS for language in settings.MODELTRANSLATION_LANGUAGES
)


def not_an_address(value: str) -> None:
    """Refuses an e-mail address: the name stands on public pages."""
    if "@" in value:
        raise ValidationError(_("Indiquez un nom, pas une adresse e-mail."))


class ArticleCategory(models.TextChoices):
    """What an article is about. The value is the word of its address."""

    PRESENTATION = "presentation", _("Présentation")
    TECHNIQUES = "techniques", _("Techniques")
    COLLECTION = "collection", _("Collection")
    NEWS = "actualites", _("Actualités")


class ArticleState(models.TextChoices):
    """Where an article stands now: see `Article.state_at`."""

    DRAFT = "draft", _("Brouillon")
    SCHEDULED = "scheduled", _("Programmé")
    PUBLISHED = "published", _("Publié")
    TRASHED = "trashed", _("À la corbeille")


class Tag(models.Model):
    """A word that articles are found by. The name is translated; the word of the address is the same everywhere."""

    slug = models.SlugField(_("adresse"), max_length=60, unique=True)
    name = models.CharField(_("nom"), max_length=TAG_LENGTH)

    objects: ClassVar[models.Manager[Tag]] = models.Manager()
    _default_manager: ClassVar[models.Manager[Tag]]

    class Meta:
        verbose_name = _("étiquette")
        verbose_name_plural = _("étiquettes")
        ordering = ("slug",)
        constraints = (models.CheckConstraint(condition=~Q(slug=""), name="blog_tag_slug_not_empty"),)

    def __str__(self) -> str:
        return self.name

    @property
    def french_name(self) -> str:
        """The name that staff write."""
        return getattr(self, f"name_{SOURCE_LANGUAGE}") or ""


class ArticlePicture(PictureRow):
    """A picture that was put up for articles: a cover, or one inside a text, which names its file
    (`![alt](/media/blog/….jpg)`). It is deleted when no article and no revision shows it."""

    created_at = models.DateTimeField(_("ajoutée le"), default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[ArticlePicture]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ArticlePicture]]

    class Meta:
        verbose_name = _("image d'article")
        verbose_name_plural = _("images d'articles")
        ordering = ("-pk",)
        constraints = (
            models.CheckConstraint(condition=Q(width__gt=0, height__gt=0), name="article_picture_has_size"),
            models.UniqueConstraint(fields=("file",), name="article_picture_file_once"),
        )


class Article(models.Model):
    """An article of the blog. Texts are translated; what a language lacks is shown in French.

    Write it through `blog.services.articles`. The public sees it once it `is_published` and `publish_at` has come.
    """

    title = models.CharField(_("titre"), max_length=160)
    # Articles are found by their number: the slug is never looked up, so it has no index.
    slug = models.SlugField(
        _("identifiant d'adresse"),
        max_length=180,
        blank=True,
        db_index=False,
        help_text=_("Vide\u00a0: tiré du titre."),
    )
    # Empty as long as nobody wrote it: `blog.services.publication` asks for both.
    excerpt = models.TextField(
        _("extrait"),
        blank=True,
        validators=[MaxLengthValidator(EXCERPT_LENGTH)],
        help_text=_("Deux phrases, sur la carte et pour les moteurs de recherche."),
    )
    content = models.TextField(
        _("contenu"), blank=True, validators=[MaxLengthValidator(CONTENT_LENGTH)], help_text=_("En Markdown.")
    )
    category = models.CharField(
        _("catégorie"), max_length=20, choices=ArticleCategory.choices, default=ArticleCategory.NEWS
    )
    tags = models.ManyToManyField(Tag, blank=True, related_name="articles", verbose_name=_("étiquettes"))
    products = models.ManyToManyField(
        Product, blank=True, related_name="+", verbose_name=_("produits présentés sous l'article")
    )
    cover = models.ForeignKey(
        ArticlePicture,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("image de couverture"),
    )
    cover_alt = models.CharField(
        _("texte alternatif de la couverture"),
        max_length=250,
        blank=True,
        help_text=_("Ce que montre l'image, pour qui ne la voit pas. Vide\u00a0: l'image est décorative."),
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("compte de l'auteur"),
    )
    author_name = models.CharField(
        _("nom public de l'auteur"), max_length=AUTHOR_NAME_LENGTH, validators=[not_an_address]
    )

    is_published = models.BooleanField(_("publié"), default=False)
    # The day that the page shows; in the future: the article is scheduled.
    publish_at = models.DateTimeField(_("date de publication"), null=True, blank=True)
    trashed_at = models.DateTimeField(_("mis à la corbeille le"), null=True, editable=False)
    # What `is_published` goes back to when it is taken out of the trash.
    was_published = models.BooleanField(_("publié avant"), default=False, editable=False)
    # Columns (`title_en`) whose French text changed after them.
    stale_texts = models.JSONField(_("traductions à revoir"), default=list, blank=True, editable=False)
    # By language, so that cards need not read the content.
    word_counts = models.JSONField(_("nombre de mots"), default=dict, blank=True, editable=False)
    # As `catalog.selectors.staff_search.index_text` writes it.
    search_text = models.TextField(_("texte de recherche"), blank=True, default="", editable=False)
    created_at = models.DateTimeField(_("créé le"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("modifié le"), auto_now=True)

    objects: ClassVar[models.Manager[Article]] = models.Manager()
    _default_manager: ClassVar[models.Manager[Article]]

    class Meta:
        verbose_name = _("article")
        verbose_name_plural = _("articles")
        ordering = ("-publish_at", "-pk")
        indexes = (
            models.Index(
                fields=("-publish_at", "-id"), name="article_newest", condition=Q(is_published=True)
            ),
            models.Index(fields=("-updated_at", "-id"), name="article_staff"),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(category__in=ArticleCategory.values), name="article_category_known"
            ),
            models.CheckConstraint(
                condition=Q(is_published=False) | Q(publish_at__isnull=False, trashed_at__isnull=True),
                name="article_published_has_date",
                violation_error_message=_("Un article publié a une date et n'est pas à la corbeille."),
            ),
            models.CheckConstraint(condition=~Q(author_name__contains="@"), name="article_author_no_address"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def french_title(self) -> str:
        """The title that staff know it by."""
        return getattr(self, f"title_{SOURCE_LANGUAGE}") or ""

    @property
    def changed_at(self) -> datetime:
        """When its readers got what it says now: one that was written ahead is new on its day."""
        return max(self.updated_at, self.publish_at or self.updated_at)

    def state_at(self, moment: datetime) -> ArticleState:
        """Where the article stands at a moment."""
        if self.trashed_at is not None:
            return ArticleState.TRASHED
        if not self.is_published or self.publish_at is None:
            return ArticleState.DRAFT
        return ArticleState.PUBLISHED if self.publish_at <= moment else ArticleState.SCHEDULED


class ArticleRevision(models.Model):
    """An article as it was saved once: the newest one is the article as it stands. Never changed.

    `values` holds what `blog.services.articles.values_of` returns.
    """

    article = models.ForeignKey(
        Article, on_delete=models.CASCADE, related_name="revisions", verbose_name=_("article"), db_index=False
    )
    number = models.PositiveIntegerField(_("numéro"))
    values = models.JSONField(_("contenu"))
    created_at = models.DateTimeField(_("enregistrée le"), default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("enregistrée par"),
    )

    objects: ClassVar[models.Manager[ArticleRevision]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ArticleRevision]]

    class Meta:
        verbose_name = _("version d'article")
        verbose_name_plural = _("versions d'articles")
        ordering = ("-number",)
        constraints = (
            models.UniqueConstraint(fields=("article", "number"), name="article_revision_number_once"),
        )

    def __str__(self) -> str:
        return f"{self.article_id} · {self.number}"


class ArticleAutosave(models.Model):
    """What somebody has typed into the editor and not saved yet, one row an article and person. The public and other
    people never see it; saving the article deletes it.

    `base_updated_at` is the version that they started from.
    """

    article = models.ForeignKey(
        Article, on_delete=models.CASCADE, related_name="autosaves", verbose_name=_("article"), db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("personne")
    )
    values = models.JSONField(_("contenu"))
    base_updated_at = models.DateTimeField(_("version de départ"))
    saved_at = models.DateTimeField(_("enregistré le"), auto_now=True)

    objects: ClassVar[models.Manager[ArticleAutosave]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ArticleAutosave]]

    class Meta:
        verbose_name = _("saisie en cours")
        verbose_name_plural = _("saisies en cours")
        constraints = (
            models.UniqueConstraint(fields=("article", "user"), name="article_autosave_once_a_person"),
        )

    def __str__(self) -> str:
        return f"{self.article_id} · {self.user_id}"
