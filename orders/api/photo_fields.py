"""A photograph of a finished piece, as JSON."""

from typing import Any

from rest_framework import serializers

from orders.access import photo_url
from orders.models import PiecePhoto


class PiecePhotoSerializer(serializers.Serializer[Any]):
    """A photograph; its customer sees it once `sent_at` is set."""

    id = serializers.IntegerField()
    url = serializers.SerializerMethodField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    taken_at = serializers.DateTimeField()
    author = serializers.SerializerMethodField()
    message = serializers.CharField(allow_blank=True)
    sent_at = serializers.DateTimeField(allow_null=True)

    def get_url(self, photo: PiecePhoto) -> str:
        return photo_url(photo)

    def get_author(self, photo: PiecePhoto) -> str:
        return str(photo.author or "")
