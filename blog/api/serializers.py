"""Articles as staff write and read them: texts by language (`title` is the French one, `title_en` its translation)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from rest_framework import serializers

from blog.models import (
    ARTICLE_TEXTS,
    AUTHOR_NAME_LENGTH,
    CONTENT_LENGTH,
    EXCERPT_LENGTH,
    Article,
    ArticleCategory,
    ArticlePicture,
    ArticleState,
)
from blog.services.articles import MOST_PRODUCTS
from blog.services.tags import MOST_TAGS
from catalog.api.staff_serializers import NamedProductSerializer
from catalog.selectors.pictures import image_info
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.row_keys import ROW_KEY
from shop.core.seen_texts import LineField
from shop.core.staff_calls import KnownFieldsSerializer, MomentField

_LENGTHS: dict[str, int] = {
    **{name: vars(Article._meta.get_field(name))["max_length"] for name in ("title", "slug", "cover_alt")},
    "excerpt": EXCERPT_LENGTH,
    "content": CONTENT_LENGTH,
}
# By the name in a call, the column.
TEXT_SOURCES: dict[str, str] = {
    (text if code == SOURCE_LANGUAGE else f"{text}_{code}"): f"{text}_{code}"
    for text in ARTICLE_TEXTS
    for code in settings.MODELTRANSLATION_LANGUAGES
}
API_NAMES = {column: name for name, column in TEXT_SOURCES.items()}
"""By the column, the name in a call."""


def _text(name: str, column: str) -> serializers.CharField:
    source: dict[str, Any] = {} if name == column else {"source": column}
    # Excerpts and contents have lines.
    kind = (
        LineField if isinstance(Article._meta.get_field(column), models.CharField) else serializers.CharField
    )
    return kind(
        required=False,
        allow_blank=True,
        max_length=_LENGTHS[column[:-3]],
        trim_whitespace=not column.startswith("content"),
        **source,
    )


class TextsSerializer(serializers.Serializer[Any]):
    """The texts in every language."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        texts = {name: _text(name, column) for name, column in TEXT_SOURCES.items()}
        return {**texts, **super().get_fields()}


class ArticleCategoryField(serializers.ChoiceField):
    """A category by its word in addresses, or by its name. Read: the word."""

    def to_internal_value(self, data: Any) -> Any:
        named = {str(label): value for value, label in ArticleCategory.choices}
        return super().to_internal_value(named.get(str(data).strip(), data))


class ArticleValuesSerializer(TextsSerializer):
    """`tags` are French names, `products` and `cover` keys."""

    category = ArticleCategoryField(choices=ArticleCategory.choices, required=False)
    author_name = LineField(max_length=AUTHOR_NAME_LENGTH, required=False, allow_blank=True)
    tags = serializers.ListField(child=LineField(max_length=200), max_length=MOST_TAGS * 2, required=False)
    products = serializers.ListField(
        child=serializers.IntegerField(**ROW_KEY), max_length=MOST_PRODUCTS * 2, required=False
    )
    cover = serializers.IntegerField(required=False, allow_null=True, **ROW_KEY)


class ArticleWriteSerializer(KnownFieldsSerializer, ArticleValuesSerializer):
    """What is left out stays as it is. Without `published` it is not touched who sees the article; `publish_at` is when
    it appears, null at once.

    `expected_updated_at` is the `updated_at` that was read; another version meanwhile answers 409 `conflict` with
    `current`. `confirmed_texts` are translations that are right although the French text changed.
    """

    published = serializers.BooleanField(required=False)
    publish_at = MomentField(required=False, allow_null=True)
    expected_updated_at = MomentField(required=False, allow_null=True)
    confirmed_texts = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(TEXT_SOURCES)), required=False
    )


class ArticleAutosaveWriteSerializer(ArticleValuesSerializer):
    """What was typed and not saved; `base_updated_at` is the version it began with."""

    base_updated_at = MomentField()


class ArticlePictureSerializer(serializers.Serializer[Any]):
    """A picture of the blog; `url` is what a text names it by."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    thumbnail_url = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()


class ShownValuesSerializer(TextsSerializer):
    """Values with the names of products and the picture of the cover."""

    category = serializers.ChoiceField(choices=ArticleCategory.choices, required=False)
    author_name = serializers.CharField(required=False, allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    products = NamedProductSerializer(many=True, required=False)
    cover = ArticlePictureSerializer(required=False, allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Without what is not among the values: no cover is another thing than one that was taken away."""
        shown: dict[str, Any] = super().to_representation(instance)
        return shown if "cover" in instance else {name: shown[name] for name in shown if name != "cover"}


class ArticleAutosaveSerializer(serializers.Serializer[Any]):
    values = ShownValuesSerializer()
    base_updated_at = MomentField()
    saved_at = serializers.DateTimeField()


class ArticleRowSerializer(serializers.Serializer[Any]):
    """An article in a list."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    excerpt = serializers.CharField(allow_blank=True)
    category = serializers.ChoiceField(choices=ArticleCategory.choices)
    tags = serializers.ListField(child=serializers.CharField())
    image = serializers.CharField(allow_null=True)
    author_name = serializers.CharField()
    state = serializers.ChoiceField(choices=ArticleState.choices)
    published = serializers.BooleanField()
    publish_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class ArticlePageSerializer(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True, help_text="Address of the following page.")
    next_cursor = serializers.CharField(allow_null=True)
    results = ArticleRowSerializer(many=True)


class AdminArticleSerializer(ShownValuesSerializer):
    """An article in full. `stale_texts` name the translations that the French text left behind; `autosave` is what the
    person who asks has typed and not saved."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ArticleState.choices)
    published = serializers.BooleanField()
    publish_at = serializers.DateTimeField(allow_null=True)
    stale_texts = serializers.ListField(child=serializers.CharField())
    url = serializers.CharField(allow_null=True)
    preview_url = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    trashed_at = serializers.DateTimeField(allow_null=True)
    autosave = ArticleAutosaveSerializer(allow_null=True)


class ArticlePreviewWriteSerializer(serializers.Serializer[Any]):
    content = serializers.CharField(max_length=CONTENT_LENGTH, allow_blank=True, trim_whitespace=False)
    language = serializers.ChoiceField(choices=settings.LANGUAGES, default=SOURCE_LANGUAGE)


class ArticlePreviewSerializer(serializers.Serializer[Any]):
    """The text as the article's page shows it."""

    html = serializers.CharField(allow_blank=True)
    words = serializers.IntegerField()
    minutes = serializers.IntegerField()


class ArticleRevisionSerializer(serializers.Serializer[Any]):
    """`changed` are the values that this version changed, by their names."""

    number = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    author = serializers.CharField(allow_blank=True)
    changed = serializers.ListField(child=serializers.CharField())


class DiffLineSerializer(serializers.Serializer[Any]):
    """`gap` stands for unchanged lines, whose number is its text."""

    kind = serializers.ChoiceField(choices=("same", "added", "removed", "gap"))
    text = serializers.CharField(allow_blank=True)


class FieldDiffSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    lines = DiffLineSerializer(many=True)


class RestoreRevisionSerializer(serializers.Serializer[Any]):
    expected_updated_at = MomentField(required=False, allow_null=True)


def picture_values(row: ArticlePicture | None) -> dict[str, Any] | None:
    """A picture as `ArticlePictureSerializer` shows it."""
    if row is None:
        return None
    shown = image_info(row, "")
    return {
        "id": row.pk,
        # What texts hold stays the same wherever the files are.
        "url": f"{settings.MEDIA_URL}{row.file.name}",
        "thumbnail_url": shown.smallest_url,
        "width": row.width,
        "height": row.height,
    }
