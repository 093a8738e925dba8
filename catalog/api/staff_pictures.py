"""The photos of a product for staff, and pictures that belong to nothing yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.api.staff_products import found_product, product_not_found
from catalog.models import Finish, Product, ProductImage
from catalog.selectors.pictures import image_info
from catalog.services import gallery
from catalog.services.gallery import MOST_ARRANGED, MOST_PICTURES, Focus, picture_version
from catalog.services.media import PHOTOS, Crop, store_upload
from shop.core.image_drawing import DrawnImage
from shop.core.images import describe, draw_image, store_image
from shop.core.languages import SOURCE_LANGUAGE, TRANSLATIONS
from shop.core.parsers import StrictJSONParser
from shop.core.problems import Problem
from shop.core.remote_images import fetch_image
from shop.core.row_keys import ROW_KEY
from shop.core.seen_texts import LineField
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import allowed, private, staff_actor
from shop.integrations.repeated_calls import make_once_for_staff

MOST_ADDRESS = 2000
MOST_TEXT = 250


class CropSerializer(serializers.Serializer[Any]):
    """The part that is shown, in percent of the whole picture."""

    x = serializers.FloatField(min_value=0, max_value=100)
    y = serializers.FloatField(min_value=0, max_value=100)
    width = serializers.FloatField(min_value=0, max_value=100)
    height = serializers.FloatField(min_value=0, max_value=100)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not all(0 <= value <= 100 for value in attrs.values()):
            raise serializers.ValidationError(_("Ce cadre dépasse l'image."))
        # What a browser rounds may reach over the edge by a hair.
        if attrs["x"] + attrs["width"] > 100.01 or attrs["y"] + attrs["height"] > 100.01:
            raise serializers.ValidationError(_("Ce cadre dépasse l'image."))
        return attrs


class FocusSerializer(serializers.Serializer[Any]):
    """The point that stays in sight, in percent of the picture as it is shown."""

    x = serializers.IntegerField(min_value=0, max_value=100)
    y = serializers.IntegerField(min_value=0, max_value=100)


class PictureChangeSerializer(serializers.Serializer[Any]):
    """`alt` is the French text alternative. Without a crop the whole picture is shown, without a focus its middle."""

    alt = LineField(max_length=MOST_TEXT, required=False, allow_blank=True)
    alt_en = LineField(max_length=MOST_TEXT, required=False, allow_blank=True)
    alt_es = LineField(max_length=MOST_TEXT, required=False, allow_blank=True)
    alt_de = LineField(max_length=MOST_TEXT, required=False, allow_blank=True)
    finish = serializers.ChoiceField(choices=Finish.choices, required=False, allow_blank=True)
    variation_id = serializers.IntegerField(required=False, allow_null=True, **ROW_KEY)
    crop = CropSerializer(required=False, allow_null=True)
    focus = FocusSerializer(required=False, allow_null=True)
    version = serializers.CharField(max_length=16, required=False, allow_blank=True)

    def values(self) -> dict[str, Any]:
        """What was sent, as the services take it."""
        values = dict(self.validated_data)
        values.pop("version", None)
        if values.get("crop"):
            values["crop"] = Crop(**values["crop"])
        if values.get("focus"):
            values["focus"] = Focus(**values["focus"])
        if "alt" in values:
            values[f"alt_{SOURCE_LANGUAGE}"] = values.pop("alt")
        return values


class PictureUploadSerializer(serializers.Serializer[Any]):
    """A `file` (multipart), or the public address of one."""

    file = serializers.FileField(required=False)
    url = serializers.CharField(max_length=MOST_ADDRESS, required=False, allow_blank=True)
    alt = LineField(max_length=MOST_TEXT, required=False, allow_blank=True)
    finish = serializers.ChoiceField(choices=Finish.choices, required=False, allow_blank=True)
    variation_id = serializers.IntegerField(required=False, allow_null=True, **ROW_KEY)

    def drawn(self) -> DrawnImage:
        """The picture. Raises `Problem`: 400 `invalid`, 400 `invalid_image`, 503 `busy`."""
        file, url = self.validated_data.get("file"), self.validated_data.get("url", "").strip()
        if file is not None:
            return draw_image(file=file, name=file.name or "")
        if not url:
            raise Problem(
                "invalid", _("URL manquante"), errors={"url": [_("Veuillez entrer une URL d'image")]}
            )
        return fetch_image(url)


class PictureOrderSerializer(serializers.Serializer[Any]):
    """`ids` and `removed_ids` name every photo once; `seen_ids` is the order that was on screen."""

    ids = serializers.ListField(child=serializers.IntegerField(**ROW_KEY), max_length=MOST_ARRANGED)
    removed_ids = serializers.ListField(
        child=serializers.IntegerField(**ROW_KEY), max_length=MOST_ARRANGED, required=False, default=list
    )
    seen_ids = serializers.ListField(
        child=serializers.IntegerField(**ROW_KEY), max_length=MOST_ARRANGED, required=False, default=list
    )


class MainPictureSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(**ROW_KEY)


class WholePictureSerializer(serializers.Serializer[Any]):
    url = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()


class StaffPhotoSerializer(serializers.Serializer[Any]):
    """A photo as staff edit it; `whole` is the uncropped picture, which crops are cut from."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    thumbnail_url = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    alt = serializers.CharField(allow_blank=True)
    alt_en = serializers.CharField(allow_blank=True)
    alt_es = serializers.CharField(allow_blank=True)
    alt_de = serializers.CharField(allow_blank=True)
    finish = serializers.ChoiceField(choices=Finish.choices, allow_blank=True)
    variation_id = serializers.IntegerField(allow_null=True)
    crop = CropSerializer(allow_null=True)
    focus = FocusSerializer(allow_null=True)
    focus_class = serializers.CharField(allow_blank=True)
    whole = WholePictureSerializer()
    version = serializers.CharField()


class PhotoFormatSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()


class StaffGallerySerializer(serializers.Serializer[Any]):
    """The photos in order, the main one first, with the choices that one may show."""

    images = StaffPhotoSerializer(many=True)
    formats = PhotoFormatSerializer(many=True)
    offers_finishes = serializers.BooleanField()
    most = serializers.IntegerField()


class UploadAnswerSerializer(serializers.Serializer[Any]):
    url = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()


class ProductPicturesView(APIView):
    """The photos of a product."""

    parser_classes = (StrictJSONParser, MultiPartParser)
    permission_classes = (allowed(get=StaffAction.SEE_PRODUCTS, post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(operation_id="admin_pictures_list", responses=StaffGallerySerializer)
    def get(self, request: Request, product_id: str) -> Response:
        # Three queries.
        return private(_gallery(int(product_id)))

    @extend_schema(
        operation_id="admin_pictures_create",
        request=PictureUploadSerializer,
        responses={201: StaffPhotoSerializer},
    )
    def post(self, request: Request, product_id: str) -> Response:
        """Adds a photo behind the others, once per `Idempotency-Key`."""
        product = int(product_id)
        found_product(product)
        form = PictureUploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        sent = {name: value for name, value in form.validated_data.items() if name != "file"}
        values = {name: value for name, value in sent.items() if name != "url"}
        if "alt" in values:
            values[f"alt_{SOURCE_LANGUAGE}"] = values.pop("alt")
        # Before the transaction, which locks the product.
        image = store_image(image=form.drawn(), folder=PHOTOS)
        with _found():
            made = make_once_for_staff(
                request,
                body={"product": product, **sent},
                make=lambda: (
                    gallery.add_picture(
                        product_id=product, image=image, values=values, actor=staff_actor(request)
                    ).pk
                ),
            )
            return private(_one(product, made.subject_id), 201)


class PictureOrderView(APIView):
    """The order of a product's photos."""

    permission_classes = (allowed(put=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_pictures_arrange",
        request=PictureOrderSerializer,
        responses=StaffGallerySerializer,
    )
    def put(self, request: Request, product_id: str) -> Response:
        """Moves and removes photos, all or nothing. 409 `conflict` with the photos of now as `current`."""
        form = PictureOrderSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with _found(), _current(int(product_id)):
            gallery.arrange_pictures(
                product_id=int(product_id), actor=staff_actor(request), **form.validated_data
            )
        return private(_gallery(int(product_id)))


class MainPictureView(APIView):
    """The main photo of a product."""

    permission_classes = (allowed(put=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_pictures_main", request=MainPictureSerializer, responses=StaffGallerySerializer
    )
    def put(self, request: Request, product_id: str) -> Response:
        """Puts a photo before the others."""
        form = MainPictureSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with _found():
            gallery.set_main_picture(
                product_id=int(product_id), image_id=form.validated_data["id"], actor=staff_actor(request)
            )
        return private(_gallery(int(product_id)))


class ProductPictureView(APIView):
    """One photo of a product."""

    permission_classes = (allowed(patch=StaffAction.EDIT_PRODUCT, delete=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_pictures_update",
        request=PictureChangeSerializer,
        responses=StaffPhotoSerializer,
    )
    def patch(self, request: Request, product_id: str, image_id: str) -> Response:
        """Changes the fields that are sent. 409 `conflict` with the photo of now as `current`."""
        form = PictureChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        product, key = int(product_id), int(image_id)
        with _found(), _current(product, key):
            gallery.change_picture(
                product_id=product,
                image_id=key,
                values=form.values(),
                seen_version=form.validated_data.get("version", ""),
                actor=staff_actor(request),
            )
            return private(_one(product, key))

    @extend_schema(operation_id="admin_pictures_destroy", responses={204: None})
    def delete(self, request: Request, product_id: str, image_id: str) -> Response:
        """Removes it; its files stay while an order shows them."""
        with _found():
            gallery.remove_picture(
                product_id=int(product_id), image_id=int(image_id), actor=staff_actor(request)
            )
        return Response(status=204)


class UploadView(APIView):
    """A picture for what will be written next. Unless something shows it, it is deleted a day later."""

    parser_classes = (StrictJSONParser, MultiPartParser)
    permission_classes = (allowed(post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_uploads_create",
        request=PictureUploadSerializer,
        responses={201: UploadAnswerSerializer},
    )
    def post(self, request: Request) -> Response:
        form = PictureUploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        stored = store_upload(image=form.drawn())
        shown = describe(
            name=stored.name,
            width=stored.width,
            height=stored.height,
            alt="",
            colour=stored.colour,
            derivatives={},
        )
        answer = {"url": shown.url, "width": shown.width, "height": shown.height}
        return private(UploadAnswerSerializer(answer).data, 201)


@contextmanager
def _found() -> Iterator[None]:
    try:
        yield
    except Product.DoesNotExist:
        raise product_not_found() from None
    except ProductImage.DoesNotExist:
        raise Problem("not_found", _("Cette photo n'existe plus."), 404) from None


@contextmanager
def _current(product_id: int, image_id: int | None = None) -> Iterator[None]:
    """Adds what is stored to a `conflict`."""
    try:
        yield
    except Problem as problem:
        if problem.code == "conflict":
            problem.extra["current"] = (
                _gallery(product_id) if image_id is None else _one(product_id, image_id)
            )
        raise


def _gallery(product_id: int) -> Any:
    product = found_product(product_id)
    answer = {
        "images": [_photo(row) for row in product.images.order_by("position", "pk")],
        "formats": [
            {"id": row.pk, "name": row.name} for row in product.variations.order_by("sort_order", "pk")
        ],
        "offers_finishes": product.category.offers_finishes,
        "most": MOST_PICTURES,
    }
    return StaffGallerySerializer(answer).data


def _one(product_id: int, image_id: int) -> Any:
    return _photo(ProductImage.objects.get(product=product_id, pk=image_id))


def _photo(row: ProductImage) -> Any:
    image = image_info(row, "")
    whole = row.whole
    answer = {
        "id": row.pk,
        "url": image.url,
        "thumbnail_url": image.smallest_url,
        "width": row.width,
        "height": row.height,
        "alt": getattr(row, f"alt_{SOURCE_LANGUAGE}") or "",
        **{f"alt_{code}": getattr(row, f"alt_{code}") or "" for code in TRANSLATIONS},
        "finish": row.finish,
        "variation_id": row.variation_id,
        "crop": row.crop or None,
        "focus": None if row.focus_x is None else {"x": row.focus_x, "y": row.focus_y},
        "focus_class": image.focus_class,
        "whole": {
            "url": row.file.storage.url(whole["file"]) if whole else image.url,
            "width": whole["width"] if whole else row.width,
            "height": whole["height"] if whole else row.height,
        },
        "version": picture_version(row),
    }
    return StaffPhotoSerializer(answer).data
