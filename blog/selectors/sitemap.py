"""Articles for search engines."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.files.storage import default_storage

from blog.selectors.articles import LONG_COLUMNS, article_paths, published_articles, written_languages
from catalog.selectors.addresses import SitemapEntry


def article_entries() -> Iterator[SitemapEntry]:
    """The articles of the public, in the languages that they are written in, with their covers. One query."""
    rows = published_articles().select_related("cover").order_by("pk").defer(*LONG_COLUMNS)
    for article in rows:
        written = written_languages(article)
        paths = {code: path for code, path in article_paths(article).items() if code in written}
        cover = article.cover
        pictures = () if cover is None else (default_storage.url(cover.file.name or ""),)
        yield SitemapEntry(paths, pictures, article.changed_at)
