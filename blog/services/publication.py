"""What the public sees of an article and when; the trash."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models, transaction
from django.utils import timezone

from blog.models import Article, ArticleState
from blog.services.articles import locked_article, refuse_unfinished
from shop.core.audit import record_audit
from shop.core.content_version import content_changed
from shop.core.each_row import each_row

TRASH_DAYS = 30


def publish_article(
    *,
    article_id: int,
    actor: AbstractBaseUser | None,
    publish_at: datetime | None = None,
) -> Article:
    """Show an article from a moment on, which may be to come; without one, now, or since it was first published.

    Raises `Article.DoesNotExist`, and `Problem`: 400 `invalid` with a line for each text that is missing,
    409 `trashed`.
    """
    now = timezone.now()
    with transaction.atomic():
        article = locked_article(article_id)
        refuse_unfinished(article)
        first = article.publish_at if article.publish_at and article.publish_at <= now else now
        article.is_published, article.publish_at = True, publish_at or first
        article.save()
        is_later = article.state_at(now) == ArticleState.SCHEDULED
        _record(article, "article.scheduled" if is_later else "article.published", actor)
    return article


def unpublish_article(*, article_id: int, actor: AbstractBaseUser | None) -> Article:
    """Make an article a draft again, without a day if its own had not come. Raises what `publish_article` raises but
    400."""
    with transaction.atomic():
        article = locked_article(article_id)
        if article.is_published:
            if article.state_at(timezone.now()) == ArticleState.SCHEDULED:
                article.publish_at = None
            article.is_published = False
            article.save()
            _record(article, "article.unpublished", actor)
    return article


def trash_articles(*, article_ids: Sequence[int], actor: AbstractBaseUser | None) -> int:
    """Move articles to the trash: to the public they are gone at once, staff can restore them for 30 days. Return how
    many there were."""
    with transaction.atomic():
        articles = list(_locked(article_ids).filter(trashed_at__isnull=True))
        for article in articles:
            article.was_published, article.is_published = article.is_published, False
            article.trashed_at = timezone.now()
            article.save()
            _record(article, "article.trashed", actor)
    return len(articles)


def restore_articles(*, article_ids: Sequence[int], actor: AbstractBaseUser | None) -> int:
    """Take articles out of the trash, published or scheduled if they were; one whose moment passed in it is a draft.
    Return how many there were."""
    with transaction.atomic():
        articles = list(_locked(article_ids).filter(trashed_at__isnull=False))
        for article in articles:
            if (
                article.publish_at
                and article.trashed_at
                and article.trashed_at < article.publish_at <= timezone.now()
            ):
                article.publish_at, article.was_published = None, False
            article.is_published, article.was_published = article.was_published, False
            article.trashed_at = None
            article.save()
            _record(article, "article.restored", actor)
    return len(articles)


def purge_trash(*, now: datetime) -> int:
    """Delete what has been in the trash for 30 days, with its revisions; return how many articles. Safe to repeat."""
    due = Article.objects.filter(trashed_at__lte=now - timedelta(days=TRASH_DAYS))

    def purge(article_id: int) -> bool:
        with transaction.atomic():
            article = due.select_for_update().filter(pk=article_id).first()
            if article is None:
                # Restored meanwhile: it stays.
                return False
            record_audit("article.deleted", article, actor=None, before={"title": article.french_title})
            article.delete()
        return True

    return each_row(list(due.order_by("pk").values_list("pk", flat=True)), purge)


def _locked(article_ids: Sequence[int]) -> models.QuerySet[Article]:
    return Article.objects.select_for_update().filter(pk__in=article_ids).order_by("pk")


def _record(article: Article, action: str, actor: AbstractBaseUser | None) -> None:
    shown_from = article.publish_at.isoformat() if article.publish_at else None
    record_audit(
        action, article, actor=actor, after={"title": article.french_title, "publish_at": shown_from}
    )
    content_changed()
