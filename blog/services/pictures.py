"""Pictures of articles: put up by themselves, shown by the articles that name them."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from blog.markup import picture_files
from blog.models import Article, ArticleAutosave, ArticlePicture, ArticleRevision
from catalog.services.media import DERIVE_TASK, retire_pictures
from shop.core.enqueue import enqueue_after_commit
from shop.core.file_storage import keep_files
from shop.core.images import StoredImage

FOLDER = "blog"
PICTURE_KIND = "article"
UNUSED_FOR = timedelta(days=30)
"""How long a picture that nothing shows stays: what somebody types into a new article is in their browser alone, for
seven days from the last word on, so that it may be weeks older than its first picture."""


def add_picture(*, image: StoredImage) -> ArticlePicture:
    """Add a picture for articles that was stored; its smaller files are made in the background."""
    with transaction.atomic():
        keep_files([image.name], "default")
        row = ArticlePicture.objects.create(**image.columns)
        enqueue_after_commit(DERIVE_TASK, PICTURE_KIND, row.pk)
    return row


def remove_unused_pictures(*, now: datetime) -> int:
    """Delete the pictures that no article, revision or unsaved text has shown for 30 days; return how many. Safe
    to repeat. Reads every text of the blog, unless there is nothing to judge."""
    candidates = ArticlePicture.objects.filter(created_at__lte=now - UNUSED_FOR)
    if not candidates.exists():
        return 0
    with transaction.atomic():
        shown_files, shown_keys = _shown()
        unused = list(candidates.exclude(file__in=shown_files).exclude(pk__in=shown_keys))
        retire_pictures(unused)
        ArticlePicture.objects.filter(pk__in=[row.pk for row in unused]).delete()
    return len(unused)


def _shown() -> tuple[set[str], set[int]]:
    """The files that texts name, and the keys of covers."""
    columns = [f"content_{language}" for language in settings.MODELTRANSLATION_LANGUAGES]
    files: set[str] = set()
    covers: set[int] = set()
    saved = [
        dict(zip((*columns, "cover"), row, strict=True))
        for row in Article.objects.values_list(*columns, "cover_id")
    ]
    for model in (ArticleRevision, ArticleAutosave):
        saved += model._default_manager.values_list("values", flat=True)
    for values in saved:
        files |= {file for column in columns for file in picture_files(values.get(column) or "")}
        if values.get("cover"):
            covers.add(values["cover"])
    return files, covers
