"""`POST /api/contact`: the contact form for scripts, JSON or multipart with pictures."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shop.core.client_address import client_address
from shop.core.parsers import StrictJSONParser
from shop.core.problems import InvalidFields
from shop.pages.forms import ContactForm, find_piece
from shop.pages.models import ContactKind
from shop.pages.services.contact import send_message

_NAMES = {"first_name": "firstName", "last_name": "lastName"}


class ContactBody(serializers.Serializer[Any]):
    """What a visitor writes. `budget`, `deadline` and the pictures belong to a quote and are dropped otherwise."""

    firstName = serializers.CharField()  # noqa: N815
    lastName = serializers.CharField()  # noqa: N815
    email = serializers.CharField()
    subject = serializers.CharField()
    message = serializers.CharField()
    kind = serializers.ChoiceField(choices=ContactKind.choices, default=ContactKind.QUESTION)
    budget = serializers.CharField(required=False, allow_blank=True, default="")
    deadline = serializers.CharField(
        required=False, allow_blank=True, allow_null=True, default="", help_text="YYYY-MM-DD"
    )
    product_id = serializers.IntegerField(required=False, allow_null=True, default=None)
    images = serializers.ListField(
        child=serializers.FileField(), required=False, write_only=True, help_text="Up to 3, multipart only."
    )


class ContactAnswer(serializers.Serializer[Any]):
    reference = serializers.CharField()


class ContactApi(APIView):
    """Stores the message, mails the workshop, acknowledges to the sender; five an hour an address."""

    parser_classes = (StrictJSONParser, MultiPartParser)

    @extend_schema(operation_id="contact_create", request=ContactBody, responses={201: ContactAnswer})
    def post(self, request: Request) -> Response:
        """201 with the reference; the same words again on the same day give the same one."""
        sent: Any = request.data
        names = (str(name) for name in ContactBody().fields)
        given = {name: sent.get(name) for name in names if name in sent and name != "images"}
        body = ContactBody(data=given)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        form = ContactForm(
            {
                **{field: asked[_NAMES.get(field, field)] for field in ("first_name", "last_name")},
                **{field: asked[field] or "" for field in ("email", "subject", "message", "kind")},
                **{field: asked[field] or "" for field in ("budget", "deadline")},
            },
            request.FILES,
        )
        if not form.is_valid():
            raise InvalidFields(
                {_NAMES.get(name, name): [str(text) for text in texts] for name, texts in form.errors.items()}
            )
        stored = send_message(
            message=form.as_message(find_piece(str(asked["product_id"])) if asked["product_id"] else None),
            pictures=form.cleaned_data["images"],
            address=client_address(request._request),
        )
        return Response(ContactAnswer({"reference": stored.reference}).data, status=201)
