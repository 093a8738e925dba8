"""What the islands of the blog get from the server."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from shop.core.islands import island_serializer


class StaffArticleCategory(serializers.Serializer[Any]):
    value = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]


@island_serializer("staff-article")
class StaffArticleProps(serializers.Serializer[Any]):
    """`article_id` is null for a new one; `author_name` is what a new one is signed with."""

    article_id = serializers.IntegerField(allow_null=True)
    author_name = serializers.CharField()
    categories = StaffArticleCategory(many=True)
    most_tags = serializers.IntegerField()
    trash_days = serializers.IntegerField()
    list_url = serializers.CharField()
