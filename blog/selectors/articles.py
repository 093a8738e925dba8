"""Articles as visitors see them: lists, one article, and what stands around it.

The public sees an article that is published and whose day has come. What a language lacks is shown in French.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Q, QuerySet, Value, When
from django.urls import reverse
from django.utils import timezone, translation

from blog.markup import ArticleBody, cited_products, picture_files, reading_minutes, render_article
from blog.models import ARTICLE_TEXTS, Article, ArticleCategory, ArticlePicture, ArticleState, Tag
from catalog.selectors.cards import ProductCard, build_cards, read_published_cards
from catalog.selectors.pictures import image_info
from shop.core.fragment_cache import cached_fragment
from shop.core.images import ImageInfo
from shop.core.languages import LANGUAGES, SOURCE_LANGUAGE, active_language
from shop.core.searching import folded
from shop.core.site import absolute_url

PAGE_SIZE = 10
RELATED = 3
MOST_TAGS = 24
SLUG_FALLBACK = "article"
# What a card does not read.
LONG_COLUMNS = (*(f"content_{language}" for language in LANGUAGES), "search_text")


# The paint pots of the four categories, as the style sheet knows them.
_COLOURS = {
    ArticleCategory.PRESENTATION: "goodies",
    ArticleCategory.TECHNIQUES: "pokeball",
    ArticleCategory.COLLECTION: "bust",
    ArticleCategory.NEWS: "mangas",
}


class PageOutOfRangeError(LookupError):
    """There is no page of this number."""


@dataclass(frozen=True, slots=True)
class TagLink:
    """A tag and the list of its articles; `count` is 0 where it was not asked for."""

    name: str
    slug: str
    url: str
    count: int = 0
    selected: bool = False


@dataclass(frozen=True, slots=True)
class CategoryLink:
    """A category, the list of its articles, and how many there are."""

    value: str
    label: str
    url: str
    count: int
    colour: str
    selected: bool = False


@dataclass(frozen=True, slots=True)
class ArticleCard:
    """An article in a list. `language` is the one that its texts are in, `own_url` its address in that one."""

    id: int
    title: str
    url: str
    own_url: str
    excerpt: str
    category: str
    category_label: str
    colour: str
    published_at: datetime | None
    updated_at: datetime
    minutes: int
    author: str
    tags: tuple[TagLink, ...]
    image: ImageInfo | None
    language: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The article before or after another."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class ArticleDetail:
    """An article with everything that its page shows of it. `languages` are those it is written in."""

    card: ArticleCard
    body: ArticleBody
    products: tuple[ProductCard, ...]
    languages: tuple[str, ...]
    state: ArticleState
    words: int


def published_articles() -> QuerySet[Article]:
    """The articles that the public sees."""
    return Article.objects.filter(is_published=True, publish_at__lte=timezone.now())


def next_publication(since: datetime) -> datetime | None:
    """When the next scheduled article appears. One query."""
    rows = Article.objects.filter(is_published=True, publish_at__gt=since)
    return rows.order_by("publish_at").values_list("publish_at", flat=True).first()


def article_url(article: Article) -> str:
    """The canonical address in the active language: `/blog/12-bienvenue-a-l-etabli`."""
    return reverse(
        "blog:article", kwargs={"article_id": article.pk, "slug": _slug(article, active_language())}
    )


def list_url(*, category: str = "", tag: str = "") -> str:
    """The list of articles, of one category or with one tag."""
    query = urlencode([(name, value) for name, value in (("categorie", category), ("tag", tag)) if value])
    return reverse("blog:list") + (f"?{query}" if query else "")


def in_languages(paths: dict[str, str]) -> list[tuple[str, str, str]]:
    """(code, name, full address) of a page by language, as pages name their `alternates`."""
    return [(code, label, absolute_url(paths[code])) for code, label in settings.LANGUAGES]


def article_paths(article: Article) -> dict[str, str]:
    """The path of an article in every language of the shop."""
    return {code: _url_in(code, article) for code in LANGUAGES}


def written_languages(article: Article) -> tuple[str, ...]:
    """The languages that have a title and a text of their own; French always."""
    return tuple(
        code
        for code in LANGUAGES
        if code == SOURCE_LANGUAGE or (article.word_counts.get(code) and getattr(article, f"title_{code}"))
    )


def shown_language(article: Article) -> str:
    """The language that a visitor of now reads the article in."""
    language = active_language()
    return language if language in written_languages(article) else SOURCE_LANGUAGE


def article_page(*, number: int, category: str, tag: str) -> Page[ArticleCard]:
    """One page of articles, the newest first. Three queries: the count, the rows with their covers, their tags.

    Raises `PageOutOfRangeError`; the first page of nothing exists.
    """
    rows = published_articles()
    if category:
        rows = rows.filter(category=category)
    if tag:
        rows = rows.filter(tags__slug=tag)
    paginator = Paginator(rows.order_by("-publish_at", "-pk"), PAGE_SIZE)
    if not 1 <= number <= paginator.num_pages:
        raise PageOutOfRangeError(number)
    first = (number - 1) * PAGE_SIZE
    cards = _cards(rows.order_by("-publish_at", "-pk")[first : first + PAGE_SIZE]) if paginator.count else []
    return Page(cards, number, paginator)  # type: ignore[arg-type]


def newest_articles(limit: int) -> list[ArticleCard]:
    """The newest articles. Two queries when they are not cached."""
    return cached_fragment(
        lambda: _cards(published_articles().order_by("-publish_at", "-pk")[:limit]), "newest-articles", limit
    )


def cited_articles(keys: Collection[int]) -> list[ArticleCard]:
    """Those of these articles that the public sees, in no order. Two queries, none without keys."""
    return _cards(published_articles().filter(pk__in=keys)) if keys else []


def category_links(selected: str) -> list[CategoryLink]:
    """The four categories with the number of articles in each. One query when they are not cached."""
    counts = cached_fragment(_category_counts, "article-categories")
    return [
        CategoryLink(
            entry.value,
            str(entry.label),
            list_url(category=entry.value),
            counts.get(entry.value, 0),
            _COLOURS[entry],
            entry.value == selected,
        )
        for entry in ArticleCategory
    ]


def tag_links(selected: str) -> list[TagLink]:
    """The tags that most articles have, by name. One query when they are not cached."""
    found = cached_fragment(_tag_counts, "article-tags")
    return [TagLink(name, slug, list_url(tag=slug), count, slug == selected) for name, slug, count in found]


def find_tag(slug: str) -> TagLink | None:
    """A tag, whether it has articles or not. One query."""
    row = Tag.objects.filter(slug=slug).first()
    return None if row is None else TagLink(row.name, row.slug, list_url(tag=row.slug), selected=True)


def find_article(article_id: int) -> Article | None:
    """An article that the public sees, as `with_parts` reads it. Two queries."""
    return with_parts(published_articles()).filter(pk=article_id).first()


def with_parts(rows: QuerySet[Article]) -> QuerySet[Article]:
    """The articles with their covers and tags: one query more."""
    return rows.select_related("cover").prefetch_related("tags")


def article_detail(article: Article) -> ArticleDetail:
    """What the page of an article, read as `with_parts` does, shows. Six queries at most: its products' keys, the
    pictures of its text, and four for the cards of its products."""
    language = shown_language(article)
    text = text_of(article, "content", language)
    cited = cited_products(text)
    picked = list(article.products.order_by("pk").values_list("pk", flat=True))
    cards = _product_cards([*cited, *picked])
    body = render_article(text, _pictures(text), cards)
    return ArticleDetail(
        card=_card(article),
        body=body,
        products=tuple(cards[key] for key in picked if key in cards and key not in cited),
        languages=written_languages(article),
        state=article.state_at(timezone.now()),
        words=article.word_counts.get(language, 0),
    )


def related_articles(article: Article) -> list[ArticleCard]:
    """Articles that share tags with this one, then those of its category, then others. Two queries."""
    tags = [tag.pk for tag in article.tags.all()]
    rows = published_articles().exclude(pk=article.pk)
    shared = Count("tags", filter=Q(tags__in=tags)) if tags else Value(0)
    same = Case(When(category=article.category, then=Value(0)), default=Value(1))
    return _cards(rows.annotate(shared=shared).order_by("-shared", same, "-publish_at", "-pk")[:RELATED])


def neighbours(article: Article) -> tuple[Neighbour | None, Neighbour | None]:
    """The article published before this one and the one after. Two queries, none for one without a day."""
    at = article.publish_at
    if at is None:
        return None, None
    rows = published_articles().defer(*LONG_COLUMNS)
    before = rows.filter(Q(publish_at__lt=at) | Q(publish_at=at, pk__lt=article.pk))
    after = rows.filter(Q(publish_at__gt=at) | Q(publish_at=at, pk__gt=article.pk))
    return _neighbour(before.order_by("-publish_at", "-pk")), _neighbour(after.order_by("publish_at", "pk"))


def _neighbour(rows: QuerySet[Article]) -> Neighbour | None:
    row = rows.first()
    return None if row is None else Neighbour(text_of(row, "title", shown_language(row)), article_url(row))


def render_values(values: dict[str, Any], language: str) -> ArticleBody:
    """The text of values that nobody has saved (`blog.services.articles`), as the page would show it."""
    text = values.get(f"content_{language}") or ""
    return render_article(text, _pictures(text), _product_cards(cited_products(text)))


def _category_counts() -> dict[str, int]:
    rows = published_articles().order_by().values("category").annotate(count=Count("pk"))
    return {row["category"]: row["count"] for row in rows}


def _tag_counts() -> list[tuple[str, str, int]]:
    shown = Q(articles__is_published=True, articles__publish_at__lte=timezone.now())
    rows = Tag.objects.annotate(count=Count("articles", filter=shown)).filter(count__gt=0)
    found = [(tag.name, tag.slug, tag.count) for tag in rows.order_by("-count", "slug")[:MOST_TAGS]]
    return sorted(found, key=lambda tag: folded(tag[0]))


def _cards(rows: QuerySet[Article] | Iterable[Article]) -> list[ArticleCard]:
    if isinstance(rows, QuerySet):
        rows = with_parts(rows).defer(*LONG_COLUMNS)
    return [_card(row) for row in rows]


def _card(article: Article) -> ArticleCard:
    language = shown_language(article)
    tags = sorted(article.tags.all(), key=lambda tag: tag.slug)
    return ArticleCard(
        id=article.pk,
        title=text_of(article, "title", language),
        url=article_url(article),
        own_url=_url_in(language, article),
        excerpt=text_of(article, "excerpt", language),
        category=article.category,
        category_label=article.get_category_display(),
        colour=_COLOURS[ArticleCategory(article.category)],
        published_at=article.publish_at,
        updated_at=article.changed_at,
        minutes=reading_minutes(article.word_counts.get(language, 0)),
        author=article.author_name,
        tags=tuple(TagLink(tag.name, tag.slug, list_url(tag=tag.slug)) for tag in tags),
        image=None
        if article.cover is None
        else image_info(article.cover, text_of(article, "cover_alt", language)),
        language=language,
    )


def _product_cards(keys: Sequence[int]) -> dict[int, ProductCard]:
    """The cards of those of these products that are on sale. Four queries at most, none for no keys."""
    return {card.id: card for card in build_cards(read_published_cards(keys))}


def _pictures(text: str) -> dict[str, ImageInfo]:
    """The pictures that a text may show, by file. One query, none for a text without any."""
    files = picture_files(text)
    rows: Sequence[ArticlePicture] = ArticlePicture.objects.filter(file__in=files) if files else ()  # type: ignore[assignment]
    return {row.file.name or "": image_info(row, row.alt) for row in rows}


def text_of(article: Article, name: str, language: str) -> str:
    """A text in a language, in French where it has none."""
    assert name in ARTICLE_TEXTS
    return getattr(article, f"{name}_{language}") or getattr(article, f"{name}_{SOURCE_LANGUAGE}") or ""


def _url_in(language: str, article: Article) -> str:
    with translation.override(language):
        return article_url(article)


def _slug(article: Article, language: str) -> str:
    return text_of(article, "slug", language) or SLUG_FALLBACK
