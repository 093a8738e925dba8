"""`POST /api/consent`: the dated proof of a visitor's choice."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shop.consent.registry import Category
from shop.consent.services import record_choice
from shop.core.client_address import client_address
from shop.core.parsers import StrictJSONParser

_LARGEST_NUMBER = 1_000_000


class ConsentChoices(serializers.Serializer[Any]):
    """The categories that were asked about."""

    analytics = serializers.BooleanField(required=False)
    marketing = serializers.BooleanField(required=False)
    functionality = serializers.BooleanField(required=False)


class ConsentBody(serializers.Serializer[Any]):
    """`id` is a number that the browser drew at random, `number` counts its answers."""

    id = serializers.UUIDField()
    number = serializers.IntegerField(min_value=1, max_value=_LARGEST_NUMBER)
    version = serializers.RegexField(r"\A[0-9a-f]{12}\Z")
    choices = ConsentChoices()
    language = serializers.ChoiceField(choices=settings.LANGUAGES)


class ConsentApi(APIView):
    """Stores an answer of the cookie banner; the same one sent again counts once. No account and no address."""

    authentication_classes = ()
    parser_classes = (StrictJSONParser,)

    @extend_schema(operation_id="consent_create", request=ConsentBody, responses={204: None})
    def post(self, request: Request) -> Response:
        body = ConsentBody(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        record_choice(
            browser_id=asked["id"],
            number=asked["number"],
            version=asked["version"],
            choices={name: asked["choices"][name] for name in Category.values if name in asked["choices"]},
            language=asked["language"],
            address=client_address(request._request),
        )
        return Response(status=204)
