"""Addresses of the blog's pages."""

from django.urls import include, path, re_path

from blog import views
from shop.core.page_slugs import localized

app_name = "blog"

urlpatterns = [
    path("", include("blog.newsletter_urls")),
    re_path(localized(r"^%(blog)s$"), views.article_list, name="list"),
    re_path(localized(r"^%(blog)s/atom\.xml$"), views.feed, name="feed"),
    re_path(localized(r"^%(blog)s/%(preview)s/(?P<token>[-:_A-Za-z0-9]+)$"), views.preview, name="preview"),
    # Numbers that no database key can reach, and anything that is no number, end at the last line: not found.
    re_path(
        localized(r"^%(blog)s/(?P<article_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)$"),
        views.article,
        name="article",
    ),
    re_path(
        localized(r"^%(blog)s/(?P<article_id>[0-9]{1,18})(?:-.*)?$"),
        views.article_by_number,
        name="article-number",
    ),
    re_path(localized(r"^%(blog)s/.*$"), views.no_article, name="no-article"),
]
