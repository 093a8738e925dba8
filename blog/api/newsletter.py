"""`POST /api/newsletter`: asking for the newsletter."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from blog.forms import origin_of
from blog.models import ConsentSource
from blog.services.newsletter.subscriptions import ask_subscription
from shop.core import limits
from shop.core.client_address import client_address


class NewsletterRequest(serializers.Serializer[Any]):
    email = serializers.CharField(max_length=320)


class NewsletterView(APIView):
    @extend_schema(operation_id="newsletter", request=NewsletterRequest, responses={202: None})
    def post(self, request: Request) -> Response:
        """Ask the owner of the address to confirm: the same answer whether or not it is known."""
        asked = NewsletterRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        limits.enforce(limits.NEWSLETTER_NETWORK, client_address(request))
        ask_subscription(email=asked.validated_data["email"], origin=origin_of(request, ConsentSource.API))
        return Response(status=202)
