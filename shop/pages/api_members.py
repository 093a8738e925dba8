"""`GET /api/me/export`: the archive of everything held about who is signed in."""

from __future__ import annotations

from typing import Any, cast

from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from shop.core.languages import active_language
from shop.core.site import absolute_url
from shop.pages.models import DataExport, ExportState
from shop.pages.selectors.personal_data import current_export
from shop.pages.services.data_exports import request_export


class DataExportAnswer(serializers.Serializer[DataExport]):
    """`url` is set once it is ready, and good for who is signed in until `expires_at`."""

    state = serializers.ChoiceField(choices=ExportState.choices)
    percent = serializers.IntegerField()
    requested_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    size = serializers.IntegerField(help_text="Bytes; 0 until it is ready.")
    url = serializers.SerializerMethodField()

    def get_url(self, export: DataExport) -> str:
        if export.state != ExportState.READY:
            return ""
        return absolute_url(reverse("members-data-file", args=[export.pk]))


@method_decorator(never_cache, name="dispatch")
class DataExportApi(APIView):
    """Starts an archive where there is none; a mail says when it is ready."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(operation_id="me_export", responses={200: DataExportAnswer, 202: DataExportAnswer})
    def get(self, request: Request) -> Response:
        """200 once it is ready, 202 before; 429 for a fourth in a day."""
        user = cast(User, request.user)
        export = current_export(user.pk)
        if export is None or export.state == ExportState.FAILED:
            export = request_export(user=user, language=active_language())
        data: Any = DataExportAnswer(export).data
        return Response(data, status=200 if export.state == ExportState.READY else 202)
