"""Who an article is by: what becomes of it when their account is erased."""

from __future__ import annotations

from django.db import transaction

from blog.models import AUTHOR_NAME_LENGTH, Article, ArticleAutosave, ArticleRevision
from shop.core.content_version import content_changed
from shop.core.models import ShopSettings


def forget_author(*, user_id: int) -> None:
    """Put the shop's name in place of a person's on their articles, in every version and in what others are typing of
    them, and forget what they were typing. Safe to repeat."""
    name = ShopSettings.load().shop_name[:AUTHOR_NAME_LENGTH]
    with transaction.atomic():
        ArticleAutosave.objects.filter(user_id=user_id).delete()
        for article in Article.objects.select_for_update().filter(author_id=user_id):
            # Earlier ones too, signed otherwise: a name that was taken back is theirs as well.
            for rows in (article.revisions, article.autosaves):
                for row in rows.exclude(values__author_name=name):
                    row.values["author_name"] = name
                    row.save(update_fields=["values"])
            # Not `save()`: it is no new version.
            Article.objects.filter(pk=article.pk).update(author=None, author_name=name)
        ArticleRevision.objects.filter(created_by_id=user_id).update(created_by=None)
        content_changed()
