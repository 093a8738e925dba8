"""Articles as those who write them read them: the list, one article, and what was saved of it before."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Q, QuerySet
from django.utils import timezone

from blog.models import (
    ARTICLE_TEXTS,
    Article,
    ArticleAutosave,
    ArticleCategory,
    ArticlePicture,
    ArticleRevision,
    ArticleState,
)
from catalog.models import Product
from catalog.selectors.staff_search import pattern, query_words
from shop.core.keyset import KeysetPage, read_page

PAGE_SIZE = 30
MOST_REVISIONS = 50
# Unchanged lines around a change.
_AROUND = 2
_UNREAD = ("search_text", *(f"content_{code}" for code in settings.MODELTRANSLATION_LANGUAGES))


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A saved version and the names of the values that it changed; none for the first."""

    number: int
    created_at: datetime
    author: str
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a text: `gap` stands for the unchanged ones between, whose number is its text."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """What two versions of one value are: `field` is a name of the values of `blog.services.articles`."""

    field: str
    lines: tuple[DiffLine, ...]


def find_articles(
    *, state: str = "", search: str = "", category: str = "", cursor: str = "", size: int = PAGE_SIZE
) -> KeysetPage[Article]:
    """The articles with their tags and covers, last changed first; the trash only when `state` asks for it. Two
    queries. Raises BadCursor."""
    rows = Article.objects.filter(_state(state))
    if category:
        rows = rows.filter(category=category)
    for word in query_words(search):
        rows = rows.filter(search_text__contains=pattern(word))
    rows = rows.select_related("cover").prefetch_related("tags").defer(*_UNREAD)
    return read_page(rows, cursor, moment="updated_at", size=size)


def count_states() -> dict[str, int]:
    """How many articles there are in each state. Four queries."""
    return {state.value: Article.objects.filter(_state(state.value)).count() for state in ArticleState}


def staff_article(article_id: int) -> Article | None:
    """An article with its cover, tags and products, whatever its state. Three queries."""
    rows: QuerySet[Article] = Article.objects.select_related("cover").prefetch_related("tags", "products")
    return rows.filter(pk=article_id).first()


def autosave_of(article_id: int, user: AbstractBaseUser) -> ArticleAutosave | None:
    """What a person has typed into an article and not saved. One query."""
    return ArticleAutosave.objects.filter(article_id=article_id, user_id=user.pk).first()


def named_products(keys: list[int]) -> list[Product]:
    """These products in this order, without those that are gone. One query."""
    found = {row.pk: row for row in Product.objects.filter(pk__in=keys)}
    return [found[key] for key in keys if key in found]


def find_picture(key: int | None) -> ArticlePicture | None:
    """A picture. One query, none without a key."""
    return None if key is None else ArticlePicture.objects.filter(pk=key).first()


def revisions_of(article_id: int) -> list[RevisionRow]:
    """The last 50 versions, the newest first. One query."""
    rows = list(
        ArticleRevision.objects.filter(article_id=article_id)
        .select_related("created_by")
        .order_by("-number")[: MOST_REVISIONS + 1]
    )
    before = {row.number: older for row, older in pairwise(rows)}
    return [
        RevisionRow(
            number=row.number,
            created_at=row.created_at,
            author=_name(row.created_by),
            changed=tuple(_changed(before[row.number].values, row.values)) if row.number in before else (),
        )
        for row in rows[:MOST_REVISIONS]
    ]


def compare_revisions(article_id: int, number: int, other: int) -> list[FieldDiff]:
    """What changed from the first of two versions to the second, a line at a time. Two queries.

    Raises `ArticleRevision.DoesNotExist`.
    """
    rows = ArticleRevision.objects.filter(article_id=article_id)
    before, after = rows.get(number=number).values, rows.get(number=other).values
    products = {
        row.pk: row.name for row in Product.objects.filter(pk__in={*before["products"], *after["products"]})
    }
    return [
        FieldDiff(name, tuple(_lines(_written(name, before, products), _written(name, after, products))))
        for name in _changed(before, after)
    ]


def _state(state: str) -> Q:
    now = timezone.now()
    return {
        ArticleState.DRAFT.value: Q(is_published=False, trashed_at__isnull=True),
        ArticleState.SCHEDULED.value: Q(is_published=True, publish_at__gt=now),
        ArticleState.PUBLISHED.value: Q(is_published=True, publish_at__lte=now),
        ArticleState.TRASHED.value: Q(trashed_at__isnull=False),
    }.get(state, Q(trashed_at__isnull=True))


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    order = [f"{text}_{code}" for code in settings.MODELTRANSLATION_LANGUAGES for text in ARTICLE_TEXTS]
    names = [*order, "category", "author_name", "tags", "products", "cover"]
    return [name for name in names if before.get(name) != after.get(name)]


def _written(name: str, values: dict[str, Any], products: dict[int, str]) -> list[str]:
    value = values.get(name)
    if name == "category":
        return [str(ArticleCategory(value).label)] if value in ArticleCategory.values else []
    if name == "products":
        return [products.get(key, f"#{key}") for key in value or ()]
    if name == "cover":
        return [f"#{value}"] if value else []
    if isinstance(value, list):
        return [str(each) for each in value]
    return str(value or "").splitlines()


def _lines(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    shown = 0
    for group in matcher.get_grouped_opcodes(_AROUND):
        if skipped := group[0][1] - shown:
            yield DiffLine("gap", str(skipped))
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (DiffLine("same", line) for line in before[start:end])
            else:
                yield from (DiffLine("removed", line) for line in before[start:end])
                yield from (DiffLine("added", line) for line in after[new_start:new_end])
        shown = group[-1][2]
    if skipped := len(before) - shown:
        yield DiffLine("gap", str(skipped))


def _name(user: Any) -> str:
    if user is None:
        return ""
    return user.get_full_name() or user.email or f"#{user.pk}"
