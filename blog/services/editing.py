"""What the editor does in one step: save an article and say when the public sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from blog.models import Article
from blog.services.articles import create_article, locked_article, save_article
from blog.services.publication import publish_article, unpublish_article
from shop.core.members import lock_member


@dataclass(frozen=True, slots=True)
class Publication:
    """Whether the public sees an article, and from when on; without a moment now, or since it was first published."""

    is_published: bool
    publish_at: datetime | None = None


def store_article(
    *,
    article_id: int | None,
    values: Mapping[str, Any],
    actor: AbstractBaseUser,
    publication: Publication | None,
    expected_updated_at: datetime | None,
    confirmed_texts: Collection[str],
) -> Article:
    """Save an article, a new one without `article_id`, and publish it or take it back; all of it or nothing.

    Raises what `create_article`, `save_article` and `publish_article` raise.
    """
    with transaction.atomic():
        # Before the article, as whoever saves it does.
        lock_member(actor.pk)
        if article_id is None:
            article_id = create_article(values=values, actor=actor).pk
        else:
            locked_article(article_id, expected_updated_at)
            # First, so that a text may be taken away that nothing public may lack.
            if publication is not None and not publication.is_published:
                unpublish_article(article_id=article_id, actor=actor)
            save_article(
                article_id=article_id,
                values=values,
                actor=actor,
                expected_updated_at=None,
                confirmed_texts=confirmed_texts,
            )
        article = Article.objects.get(pk=article_id)
        if publication is not None and publication.is_published and not _is_so(article, publication):
            article = publish_article(article_id=article_id, actor=actor, publish_at=publication.publish_at)
    return article


def _is_so(article: Article, publication: Publication) -> bool:
    if not article.is_published or article.publish_at is None:
        return False
    if publication.publish_at is None:
        return article.publish_at <= timezone.now()
    return article.publish_at == publication.publish_at
