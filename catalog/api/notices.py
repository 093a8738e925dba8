"""`POST /api/notify`: the same as the forms, for scripts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.services.notices import ask_notice
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.row_keys import ROW_KEY
from shop.core.staff_calls import KnownFieldsSerializer


class NotifyRequest(KnownFieldsSerializer):
    """A product, perhaps one variant of it, or a category."""

    email = serializers.CharField(max_length=1000, allow_blank=True)
    category_slug = serializers.CharField(required=False, default="", allow_blank=True, max_length=60)
    product_id = serializers.IntegerField(required=False, default=None, allow_null=True, **ROW_KEY)
    variant_id = serializers.IntegerField(required=False, default=None, allow_null=True, **ROW_KEY)


class NotifyAnswer(serializers.Serializer[Any]):
    """What to tell the visitor, known address or not."""

    detail = serializers.CharField()


class Notify(APIView):
    """`POST /api/notify`."""

    @extend_schema(operation_id="notify", request=NotifyRequest, responses={202: NotifyAnswer})
    def post(self, request: Request) -> Response:
        """Ask for one mail when this can be bought; a confirmation mail comes first."""
        limits.enforce(limits.NOTICE_NETWORK, client_address(request._request))
        serializer = NotifyRequest(data=request.data)
        serializer.is_valid(raise_exception=True)
        data = serializer.validated_data
        ask_notice(
            email=data["email"],
            language=get_language() or "",
            product_id=data["product_id"],
            category_slug=data["category_slug"],
            variant_id=data["variant_id"],
        )
        detail = _("Vérifiez votre boîte de réception : un message vous demande de confirmer.")
        return Response(NotifyAnswer({"detail": detail}).data, status=202)
