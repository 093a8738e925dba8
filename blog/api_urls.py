"""Addresses of the blog's API."""

from django.urls import path, re_path

from blog.api import articles, revisions
from blog.api.newsletter import NewsletterView
from blog.staff.articles import ArticleInPlaceView

_ONE = r"^admin/posts/(?P<article_id>[0-9]{1,18})"
_REVISION = rf"{_ONE}/revisions/(?P<number>[0-9]{{1,9}})"

urlpatterns = [
    path("newsletter", NewsletterView.as_view(), name="api-newsletter"),
    re_path(r"^admin/posts$", articles.ArticleListView.as_view(), name="api-admin-posts"),
    re_path(r"^admin/posts/preview$", articles.ArticlePreviewView.as_view(), name="api-admin-post-preview"),
    re_path(
        r"^admin/posts/pictures$", articles.ArticlePicturesView.as_view(), name="api-admin-post-pictures"
    ),
    re_path(rf"{_ONE}$", articles.ArticleView.as_view(), name="api-admin-post"),
    re_path(rf"{_ONE}/restore$", articles.ArticleRestoreView.as_view(), name="api-admin-post-restore"),
    re_path(rf"{_ONE}/autosave$", articles.ArticleAutosaveView.as_view(), name="api-admin-post-autosave"),
    re_path(rf"{_ONE}/in-place$", ArticleInPlaceView.as_view(), name="api-admin-post-in-place"),
    re_path(rf"{_ONE}/revisions$", revisions.ArticleRevisionsView.as_view(), name="api-admin-revisions"),
    re_path(
        rf"{_REVISION}/comparison$",
        revisions.ArticleComparisonView.as_view(),
        name="api-admin-revision-comparison",
    ),
    re_path(
        rf"{_REVISION}/restore$",
        revisions.ArticleRevisionRestoreView.as_view(),
        name="api-admin-revision-restore",
    ),
]
