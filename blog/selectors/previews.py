"""Links to articles that are not published, for whoever has one."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.urls import reverse

from blog.models import Article
from blog.selectors.articles import with_parts
from shop.core.shop_settings import link_salt

PREVIEW_LIFETIME = timedelta(days=7)
_SALT = "blog.preview"


def preview_url(article: Article) -> str:
    """The address of an article in any state, in the active language, good for a week at most: a backup that is
    brought back ends it, for another article may have its key."""
    return reverse("blog:preview", kwargs={"token": signing.dumps(article.pk, salt=link_salt(_SALT))})


def previewed_article(token: str) -> Article:
    """The article of a preview link. Two queries. Raises `signing.BadSignature` for one that is wrong or too old, and
    `Article.DoesNotExist` for one that is gone or in the trash."""
    key = signing.loads(token, salt=link_salt(_SALT), max_age=PREVIEW_LIFETIME)
    return with_parts(Article.objects.all()).get(pk=key, trashed_at=None)
