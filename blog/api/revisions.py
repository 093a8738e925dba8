"""Versions of an article that were saved: listed, compared, taken back."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from blog.api.articles import current_article, full
from blog.api.serializers import (
    API_NAMES,
    AdminArticleSerializer,
    ArticleRevisionSerializer,
    FieldDiffSerializer,
    RestoreRevisionSerializer,
)
from blog.models import ArticleRevision
from blog.selectors.staff_articles import compare_revisions, revisions_of
from blog.services.articles import restore_revision
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import allowed, private, staff_actor

_NUMBER: dict[str, Any] = {"min_value": 1, "max_value": 2**31 - 1}


class ComparisonSerializer(serializers.Serializer[Any]):
    """`to` is the other version."""

    to = serializers.IntegerField(**_NUMBER)


class ArticleRevisionsView(APIView):
    """The last 50 versions, the newest first, which is the article as it stands."""

    permission_classes = (allowed(get=StaffAction.EDIT_ARTICLES),)

    @extend_schema(operation_id="admin_posts_revisions_list", responses=ArticleRevisionSerializer(many=True))
    def get(self, request: Request, article_id: str) -> Response:
        full(int(article_id), request)
        rows = [
            {
                "number": row.number,
                "created_at": row.created_at,
                "author": row.author,
                "changed": [API_NAMES.get(name, name) for name in row.changed],
            }
            for row in revisions_of(int(article_id))
        ]
        return private(ArticleRevisionSerializer(rows, many=True).data)


class ArticleComparisonView(APIView):
    """What changed from one version to another."""

    permission_classes = (allowed(get=StaffAction.EDIT_ARTICLES),)

    @extend_schema(
        operation_id="admin_posts_revisions_compare",
        parameters=[OpenApiParameter("to", int, required=True)],
        responses=FieldDiffSerializer(many=True),
    )
    def get(self, request: Request, article_id: str, number: str) -> Response:
        form = ComparisonSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        try:
            changes = compare_revisions(int(article_id), int(number), form.validated_data["to"])
        except ArticleRevision.DoesNotExist:
            raise _revision_not_found() from None
        rows = [{"field": API_NAMES.get(each.field, each.field), "lines": each.lines} for each in changes]
        return private(FieldDiffSerializer(rows, many=True).data)


class ArticleRevisionRestoreView(APIView):
    """An earlier version made the article again, which is saved as a new one."""

    permission_classes = (allowed(post=StaffAction.EDIT_ARTICLES),)

    @extend_schema(
        operation_id="admin_posts_revisions_restore",
        request=RestoreRevisionSerializer,
        responses=AdminArticleSerializer,
    )
    def post(self, request: Request, article_id: str, number: str) -> Response:
        """409 `conflict` with the fresh article as `current`, 409 `trashed`."""
        form = RestoreRevisionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            with current_article(int(article_id), request):
                restore_revision(
                    article_id=int(article_id),
                    number=int(number),
                    actor=staff_actor(request),
                    expected_updated_at=form.validated_data.get("expected_updated_at"),
                )
        except ArticleRevision.DoesNotExist:
            raise _revision_not_found() from None
        return private(full(int(article_id), request))


def _revision_not_found() -> Problem:
    return Problem("not_found", _("Cette version n'existe plus."), 404)
