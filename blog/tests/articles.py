"""Articles for tests, written through the services where the rules are."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from blog.models import Article, ArticlePicture
from blog.services.articles import create_article
from blog.services.publication import publish_article


def make_draft(title: str = "Poncer la résine", **values: Any) -> Article:
    """A draft with everything that the public needs; `values` as `blog.services.articles` takes them."""
    given = {
        "title_fr": title,
        "excerpt_fr": "Trois grains, de l'eau et de la patience.",
        "content_fr": "Commencez par le grain 400.",
        "author_name": "Alix",
        **values,
    }
    return create_article(values=given, actor=None)


def make_article(title: str = "Poncer la résine", *, at: datetime | None = None, **values: Any) -> Article:
    """A published article, since yesterday unless `at` says when."""
    draft = make_draft(title, **values)
    return publish_article(
        article_id=draft.pk, actor=None, publish_at=at or timezone.now() - timedelta(days=1)
    )


def make_picture(name: str = "atelier", **fields: Any) -> ArticlePicture:
    """A row alone: tests of pages need no file behind it."""
    values: dict[str, Any] = {
        "file": f"blog/{name}.jpg",
        "width": 1600,
        "height": 1000,
        "colour": "#a0b0c0",
        "derivatives": {"widths": [360, 768]},
        **fields,
    }
    return ArticlePicture.objects.create(**values)
