"""Photographs of finished pieces: for staff who take and send them, and the picture itself."""

from typing import Any, cast

from django.core.signing import BadSignature
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.api.base import validated
from orders.api.fields import ParagraphField
from orders.api.photo_fields import PiecePhotoSerializer
from orders.api.staff_calls import PREVIEW, MailPreviewsSerializer
from orders.models import PiecePhoto, WorkPiece
from orders.selectors.piece_photos import photo_at, photographed_piece
from orders.services.fulfilment.piece_photos import (
    add_photo,
    remove_photo,
    send_photo,
)
from orders.services.fulfilment.previews import preview_mails
from shop.core.file_storage import private_storage
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private
from shop.integrations.repeated_calls import idempotency_key

_PIECE = OpenApiParameter("piece_id", int, OpenApiParameter.PATH)
_PHOTO = OpenApiParameter("photo_id", int, OpenApiParameter.PATH)


class PhotographedPieceSerializer(serializers.Serializer[Any]):
    """A piece with its photographs, oldest first; `to` is where the mail goes, `language` the one it is written in."""

    id = serializers.IntegerField()
    name = serializers.CharField(source="item.staff_name")
    detail = serializers.CharField(source="item.staff_detail", allow_blank=True)
    reference = serializers.CharField(source="item.order.reference")
    to = serializers.CharField(source="item.order.email")
    language = serializers.CharField(source="item.order.language")
    photos = PiecePhotoSerializer(many=True, read_only=True)


class PhotoUploadSerializer(serializers.Serializer[Any]):
    file = serializers.FileField()


class PhotoMessageSerializer(KnownFieldsSerializer):
    """`message` is read by the customer, in the mail and on the order's page."""

    message = ParagraphField(max_length=500, required=False, allow_blank=True, default="")


_PHOTO_OR_MAILS = PolymorphicProxySerializer(
    component_name="PiecePhotoOrMails",
    serializers=[PiecePhotoSerializer, MailPreviewsSerializer],
    resource_type_field_name=None,
)


class PiecePhotosView(APIView):
    """The photographs of a piece; a POST takes one in (multipart). 409 `too_many_photos`, `order_closed`."""

    permission_classes = (allowed(get=StaffAction.SEE_ORDERS, post=StaffAction.FULFIL_ORDER),)
    parser_classes = (MultiPartParser,)

    @extend_schema(responses=PhotographedPieceSerializer, parameters=[_PIECE])
    def get(self, request: Request, piece_id: int) -> Response:
        try:
            piece = photographed_piece(piece_id)
        except WorkPiece.DoesNotExist:
            raise _piece_not_found() from None
        return private(PhotographedPieceSerializer(piece).data)

    @extend_schema(
        request={"multipart/form-data": PhotoUploadSerializer},
        responses={201: PiecePhotoSerializer},
        parameters=[_PIECE],
    )
    def post(self, request: Request, piece_id: int) -> Response:
        upload = validated(PhotoUploadSerializer(data=request.data))["file"]
        try:
            photo = add_photo(
                piece_id=piece_id,
                upload=upload,
                actor=cast(User, request.user),
                key=idempotency_key(request),
            )
        except WorkPiece.DoesNotExist:
            raise _piece_not_found() from None
        except PiecePhoto.DoesNotExist:
            raise _photo_not_found() from None
        return private(PiecePhotoSerializer(photo).data, 201)


class PiecePhotoView(APIView):
    """Removes a photograph, from the customer's page too."""

    permission_classes = (allowed(delete=StaffAction.FULFIL_ORDER),)

    @extend_schema(responses={204: None}, parameters=[_PHOTO])
    def delete(self, request: Request, photo_id: int) -> Response:
        try:
            remove_photo(photo_id=photo_id, actor=cast(User, request.user))
        except PiecePhoto.DoesNotExist:
            raise _photo_not_found() from None
        return Response(status=204)


class SentPhotoView(APIView):
    """Sends a photograph to its customer, once."""

    permission_classes = (allowed(post=StaffAction.FULFIL_ORDER),)

    @extend_schema(request=PhotoMessageSerializer, responses=_PHOTO_OR_MAILS, parameters=[_PHOTO, PREVIEW])
    def post(self, request: Request, photo_id: int) -> Response:
        values = validated(PhotoMessageSerializer(data=request.data))
        actor = cast(User, request.user)
        try:
            photo = PiecePhoto.objects.select_related("piece__item__order").get(pk=photo_id)
            if "preview" in request.query_params:
                mails = preview_mails(
                    photo.piece.item.order, lambda: send_photo(photo_id=photo_id, actor=actor, **values)
                )
                return private(MailPreviewsSerializer({"mails": mails}).data)
            sent = send_photo(photo_id=photo_id, actor=actor, **values)
        except PiecePhoto.DoesNotExist:
            raise _photo_not_found() from None
        return private(PiecePhotoSerializer(sent).data)


class PhotoFileView(APIView):
    """The picture, for whoever holds its signed address: staff, and the customer it was sent to."""

    @extend_schema(
        responses={(200, "image/jpeg"): OpenApiTypes.BINARY},
        parameters=[OpenApiParameter("token", str, OpenApiParameter.PATH)],
    )
    def get(self, request: Request, token: str) -> HttpResponseBase:
        try:
            file = private_storage().open(photo_at(token).file)
        except (BadSignature, PiecePhoto.DoesNotExist, FileNotFoundError):
            raise _photo_not_found() from None
        response = FileResponse(file, content_type="image/jpeg")
        response["Cache-Control"] = "private, max-age=3600"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        response["X-Robots-Tag"] = "noindex"
        return response


def _piece_not_found() -> Problem:
    return Problem("not_found", _("Pièce introuvable."), 404)


def _photo_not_found() -> Problem:
    return Problem("not_found", _("Photo introuvable."), 404)
