"""Articles among what the shop's search finds."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Q

from blog.models import Article
from blog.selectors.articles import article_url, published_articles, shown_language, text_of
from catalog.selectors.staff_search import pattern, query_words
from catalog.selectors.suggestions import Link, register_links
from catalog.selectors.vocabulary import Query
from catalog.words import EMPTY_WORDS, stem

# Of so many that have the words, the newest, those are shown first whose title has them.
_READ = 12


@register_links
def article_links(query: Query, limit: int) -> list[Link]:
    """The articles that have every word that was typed, in any of its forms and languages. One query."""
    words = [word for word in query_words(query.text) if word not in EMPTY_WORDS[query.language]]
    if not words or limit <= 0:
        return []
    rows = published_articles()
    for word in words:
        rows = rows.filter(
            Q(search_text__contains=pattern(word)) | Q(search_text__contains=f" {stem(word, query.language)}")
        )
    # An article is shown in a language that it has a title in.
    columns = [f"{text}_{code}" for text in ("title", "slug") for code, _name in settings.LANGUAGES]
    found = list(rows.order_by("-publish_at", "-pk").only("word_counts", *columns)[:_READ])
    found.sort(key=lambda article: not _is_named(article, words, query.language))
    return [
        Link(text_of(article, "title", shown_language(article)), article_url(article))
        for article in found[:limit]
    ]


def _is_named(article: Article, words: list[str], language: str) -> bool:
    title = f" {' '.join(query_words(text_of(article, 'title', shown_language(article))))}"
    return all(f" {stem(word, language)}" in title for word in words)
