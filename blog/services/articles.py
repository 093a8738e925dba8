"""Writing articles: every save that changes something is kept as a revision.

The values of an article have one shape everywhere, as JSON holds it: the columns of `TEXT_COLUMNS`, `category`,
`author_name`, `tags` (French names), `products` (keys) and `cover` (the key of a picture, or None). A writer may give
some of them; what is not given stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext as _

from blog.markup import word_count
from blog.models import (
    ARTICLE_TEXTS,
    AUTHOR_NAME_LENGTH,
    TEXT_COLUMNS,
    Article,
    ArticleAutosave,
    ArticlePicture,
    ArticleRevision,
)
from blog.selectors.articles import SLUG_FALLBACK
from blog.services.tags import tags_named
from catalog.models import Product
from catalog.selectors.staff_search import index_text
from catalog.services.products import validate
from catalog.services.translations import stale_texts
from shop.core.audit import record_audit
from shop.core.content_version import content_changed
from shop.core.languages import LANGUAGES, SOURCE_LANGUAGE
from shop.core.letters import slug_of
from shop.core.members import lock_member
from shop.core.models import ShopSettings
from shop.core.problems import InvalidFields, Problem

Values = Mapping[str, Any]

MOST_PRODUCTS = 12
_COLUMNS = (*TEXT_COLUMNS, "category", "author_name")
_ROWS = ("tags", "products", "cover")
# What nobody can see an article without.
_REQUIRED = tuple(f"{text}_{SOURCE_LANGUAGE}" for text in ("title", "excerpt", "content"))
# What is read; addresses are not translated after one another.
_READ_TEXTS = tuple(text for text in ARTICLE_TEXTS if text != "slug")


def create_article(*, values: Values, actor: AbstractBaseUser | None) -> Article:
    """Store a new draft, by this person and under their public name unless another is given.

    Raises `Problem` (400 `invalid`) with messages by field: a draft needs no more than its French title.
    """
    with transaction.atomic():
        article = Article(author_id=actor.pk if actor else None, author_name=default_author_name(actor))
        _write(article, values, actor)
        record_audit("article.created", article, actor=actor, after={"title": article.french_title})
    return article


def save_article(
    *,
    article_id: int,
    values: Values,
    actor: AbstractBaseUser | None,
    expected_updated_at: datetime | None,
    confirmed_texts: Collection[str] = (),
) -> Article:
    """Change these values of an article; what the person had typed in the editor so far is done with.

    `expected_updated_at` is the version that they saw, `confirmed_texts` are translations (`title_en`) that are right
    although the French text changed. Raises `Article.DoesNotExist`, `NotAuthenticated` (see `lock_member`), and
    `Problem`: 400 `invalid` with messages by field, 409 `conflict` when somebody saved another version since, 409
    `trashed`.
    """
    with transaction.atomic():
        if actor is not None:
            lock_member(actor.pk)
        article = locked_article(article_id, expected_updated_at)
        if actor is not None:
            ArticleAutosave.objects.filter(article=article, user_id=actor.pk).delete()
        _write(article, values, actor, confirmed_texts)
    return article


def restore_revision(
    *, article_id: int, number: int, actor: AbstractBaseUser, expected_updated_at: datetime | None
) -> Article:
    """Make an article what it was in a revision; that is saved as a new one. What it names and is gone is left out.

    Raises what `save_article` raises, and `ArticleRevision.DoesNotExist`.
    """
    values = dict(ArticleRevision.objects.get(article_id=article_id, number=number).values)
    values["products"] = list(
        Product.objects.filter(pk__in=values["products"]).order_by("pk").values_list("pk", flat=True)
    )
    if not ArticlePicture.objects.filter(pk=values["cover"]).exists():
        values["cover"] = None
    return save_article(
        article_id=article_id, values=values, actor=actor, expected_updated_at=expected_updated_at
    )


def autosave_article(
    *, article_id: int, values: Values, user: AbstractBaseUser, base_updated_at: datetime
) -> ArticleAutosave:
    """Keep what a person has typed and not saved, in place of what was kept before. The article stays as it is.

    Raises `Article.DoesNotExist`, `NotAuthenticated` (see `lock_member`), and `Problem`: 409 `conflict` when the
    article is not the version any more that they started from, 409 `trashed`.
    """
    with transaction.atomic():
        # Before the article, as whoever saves it does.
        lock_member(user.pk)
        article = locked_article(article_id, base_updated_at)
        kept = {name: value for name, value in values.items() if name in (*_COLUMNS, *_ROWS)}
        return ArticleAutosave.objects.update_or_create(
            article=article, user_id=user.pk, defaults={"values": kept, "base_updated_at": base_updated_at}
        )[0]


def discard_autosave(*, article_id: int, user: AbstractBaseUser) -> None:
    """Forget what a person has typed and not saved; no error without any."""
    ArticleAutosave.objects.filter(article_id=article_id, user_id=user.pk).delete()


def values_of(article: Article) -> dict[str, Any]:
    """The values of an article as it is stored. Two queries."""
    return {
        **{name: getattr(article, name) or "" for name in _COLUMNS},
        "tags": [tag.french_name for tag in article.tags.order_by("slug")],
        "products": list(article.products.order_by("pk").values_list("pk", flat=True)),
        "cover": article.cover_id,
    }


def default_author_name(user: AbstractBaseUser | None) -> str:
    """The name under which a person signs unless they choose another: their first name, else the shop's. Never their
    address."""
    first_name = (getattr(user, "first_name", "") or "").strip()
    name = first_name if first_name and "@" not in first_name else ShopSettings.load().shop_name
    return name[:AUTHOR_NAME_LENGTH]


def locked_article(article_id: int, expected_updated_at: datetime | None = None) -> Article:
    """The row, locked, in the version that was seen and not in the trash. Raises `Article.DoesNotExist`, and `Problem`
    (409 `conflict`, 409 `trashed`)."""
    article = Article.objects.select_for_update().get(pk=article_id)
    if article.trashed_at is not None:
        raise Problem("trashed", _("Cet article est à la corbeille. Restaurez-le d'abord."), 409)
    if expected_updated_at is not None and article.updated_at != expected_updated_at:
        raise Problem("conflict", _("Cet article a été modifié entre-temps."), 409)
    return article


def refuse_unfinished(article: Article) -> None:
    """Raises `Problem` (400 `invalid`) for an article that lacks what the public reads."""
    missing = [name for name in _REQUIRED if not (getattr(article, name) or "").strip()]
    if missing:
        message = _("À remplir avant la publication.")
        raise InvalidFields({name: [message] for name in missing})


def _write(
    article: Article, values: Values, actor: AbstractBaseUser | None, confirmed_texts: Collection[str] = ()
) -> None:
    before = values_of(article) if article.pk else None
    marked = list(article.stale_texts)
    for name in _COLUMNS:
        if name in values:
            setattr(article, name, values[name] or "")
    if "cover" in values:
        article.cover = _cover(values["cover"])
    tags = tags_named(values["tags"]) if "tags" in values else None
    products = _products(values["products"]) if "products" in values else None
    _fill_slugs(article, before or {})
    if not article.author_name:
        article.author_name = default_author_name(actor)
    validate(article)
    if article.is_published:
        refuse_unfinished(article)
    texts = [getattr(article, name) or "" for name in TEXT_COLUMNS]
    article.search_text = index_text(text for text in texts if text)
    article.word_counts = {
        language: word_count(text)
        for language in LANGUAGES
        if (text := getattr(article, f"content_{language}"))
    }
    if before is None:
        article.save()
    else:
        article.stale_texts = stale_texts(article, _READ_TEXTS, before, confirmed_texts)
    if tags is not None:
        article.tags.set(tags)
    if products is not None:
        article.products.set(products)
    after = values_of(article)
    if after == before and article.stale_texts == marked:
        return
    if before is not None:
        article.save()
    if after == before:
        return
    last = article.revisions.order_by("-number").values_list("number", flat=True).first() or 0
    ArticleRevision.objects.create(
        article=article, number=last + 1, values=after, created_by_id=actor.pk if actor else None
    )
    content_changed()


def _cover(key: Any) -> ArticlePicture | None:
    if key is None:
        return None
    cover = ArticlePicture.objects.filter(pk=key).first()
    if cover is None:
        message = _("Cette image n'existe plus.")
        raise Problem("invalid", message, errors={"cover": [message]})
    return cover


def _products(keys: list[int]) -> list[Product]:
    found = list(Product.objects.filter(pk__in=keys))
    message = ""
    if len(found) < len(set(keys)):
        message = _("Un des produits choisis n'existe plus.")
    elif len(found) > MOST_PRODUCTS:
        message = _("Un article présente %(count)d produits au plus.") % {"count": MOST_PRODUCTS}
    if message:
        raise Problem("invalid", message, errors={"products": [message]})
    return found


def _fill_slugs(article: Article, before: Values) -> None:
    """An address for each language that has a title. One that was made of the title follows it until the article is
    published."""
    for language in LANGUAGES:
        title, name = getattr(article, f"title_{language}") or "", f"slug_{language}"
        slug = getattr(article, name) or ""
        is_made = not article.is_published and slug == _slug(before.get(f"title_{language}") or "", language)
        if title and (not slug or is_made):
            setattr(article, name, _slug(title, language))


def _slug(title: str, language: str) -> str:
    return slug_of(title, language)[:180].strip("-") or SLUG_FALLBACK
