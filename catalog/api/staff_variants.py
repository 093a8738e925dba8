"""Formats and variants of a product for staff: one grid, a row a format and finish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog import pricing
from catalog.api.products import Money
from catalog.api.staff_products import product_not_found, require_fields
from catalog.api.staff_serializers import ABOVE_ZERO, LOWEST, FormatSerializer
from catalog.models import Finish, Product, ProductVariation, Variant
from catalog.selectors.availability import is_sold_out
from catalog.selectors.pictures import best_image, image_info
from catalog.selectors.staff_variants import VariantGrid, format_marks, format_variants, variant_grid
from catalog.services import variant_grid as service
from catalog.services.gallery import MOST_ARRANGED
from catalog.services.products import MOST_FORMATS
from catalog.services.variant_grid import GridRow, grid_version
from shop.core.amounts import AmountField
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.problems import Problem
from shop.core.row_keys import ROW_KEY
from shop.core.seen_texts import LineField
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private, staff_actor
from shop.integrations.repeated_calls import make_once_for_staff

_COUNT: dict[str, Any] = {"min_value": 0, "max_value": 2**31 - 1, "required": False, "allow_null": True}
_DAYS: dict[str, Any] = {"min_value": 0, "max_value": 32767, "required": False, "allow_null": True}
_NAME: dict[str, Any] = {
    "max_length": 120,
    "error_messages": dict.fromkeys(
        ("required", "blank", "null"), gettext_lazy("Le nom de la variation est obligatoire")
    ),
}
MOST_ROWS = MOST_FORMATS * 3


class VariationBodySerializer(KnownFieldsSerializer):
    """`price_override` replaces the product's price, else `price_adjustment` is added to it. `name` is French.
    `in_stock` and `sku` are those of its variants; a reference only where it has one."""

    name = LineField(**_NAME)
    name_en = LineField(max_length=120, required=False, allow_blank=True)
    name_es = LineField(max_length=120, required=False, allow_blank=True)
    name_de = LineField(max_length=120, required=False, allow_blank=True)
    price_adjustment = AmountField(required=False)
    price_override = AmountField(required=False, allow_null=True, min_value=LOWEST, error_messages=ABOVE_ZERO)
    in_stock = serializers.BooleanField(required=False)
    sku = LineField(max_length=80, required=False, allow_blank=True)
    is_default = serializers.BooleanField(required=False)
    sort_order = serializers.IntegerField(min_value=0, max_value=32767, required=False)
    version = serializers.CharField(max_length=16, required=False, allow_blank=True)

    def values(self) -> dict[str, Any]:
        """What was sent, as the services take it."""
        values = dict(self.validated_data)
        values.pop("version", None)
        if "name" in values:
            values[f"name_{SOURCE_LANGUAGE}"] = values.pop("name")
        return values


class VariationSerializer(FormatSerializer):
    product_id = serializers.IntegerField()
    name_en = serializers.CharField(allow_blank=True)
    name_es = serializers.CharField(allow_blank=True)
    name_de = serializers.CharField(allow_blank=True)
    in_stock = serializers.BooleanField()
    sku = serializers.CharField(allow_blank=True)
    image_url = serializers.CharField(allow_null=True)
    gallery_images = serializers.ListField(child=serializers.CharField(), help_text="Its own photos.")


class GridRowBodySerializer(serializers.Serializer[Any]):
    """What changes of a variant; what is empty falls back to the product's. `stock_quantity` comes with the number
    that was on screen, `seen_stock`. `image_ids` are the photos of this very format and finish."""

    id = serializers.IntegerField(**ROW_KEY)
    price = AmountField(required=False, allow_null=True, min_value=LOWEST, error_messages=ABOVE_ZERO)
    in_stock = serializers.BooleanField(required=False)
    stock_quantity = serializers.IntegerField(**_COUNT)
    seen_stock = serializers.IntegerField(**_COUNT)
    sku = LineField(max_length=80, required=False, allow_blank=True)
    weight_grams = serializers.IntegerField(**_COUNT)
    weight = LineField(max_length=40, required=False, allow_blank=True)
    dimensions = LineField(max_length=80, required=False, allow_blank=True)
    height_cm = serializers.DecimalField(
        max_digits=6, decimal_places=1, min_value=Decimal("0.1"), required=False, allow_null=True
    )
    production_days_min = serializers.IntegerField(**_DAYS)
    production_days_max = serializers.IntegerField(**_DAYS)
    image_ids = serializers.ListField(
        child=serializers.IntegerField(**ROW_KEY), max_length=MOST_ARRANGED, required=False
    )


class GridBodySerializer(serializers.Serializer[Any]):
    version = serializers.CharField(max_length=16)
    rows = GridRowBodySerializer(many=True, required=False)
    format_ids = serializers.ListField(
        child=serializers.IntegerField(**ROW_KEY), max_length=MOST_FORMATS, required=False, allow_null=True
    )


class GridFallbackSerializer(serializers.Serializer[Any]):
    """The product's own values, which count where a variant has none."""

    price = Money()
    stock_quantity = serializers.IntegerField(allow_null=True)
    weight_grams = serializers.IntegerField(allow_null=True)
    weight = serializers.CharField(allow_blank=True)
    dimensions = serializers.CharField(allow_blank=True)
    height_cm = serializers.DecimalField(
        max_digits=6, decimal_places=1, allow_null=True, coerce_to_string=True
    )
    production_days_min = serializers.IntegerField(allow_null=True)
    production_days_max = serializers.IntegerField(allow_null=True)


class GridRowSerializer(GridFallbackSerializer):
    """`offered` says that its finish and format are on sale, `available` that there are units of it, also while its
    product is hidden, `unit_price` what it costs without a promotion, `thumbnail_url` the photo that shows it best.
    `held_units` of its own number are those of orders that are not paid yet, `waiting` are people who asked to be
    told of its return."""

    id = serializers.IntegerField()
    variation_id = serializers.IntegerField(allow_null=True)
    finish = serializers.ChoiceField(choices=Finish.choices, allow_blank=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    price = Money(allow_null=True)
    unit_price = Money(allow_null=True)
    in_stock = serializers.BooleanField()
    available = serializers.BooleanField()
    offered = serializers.BooleanField()
    held_units = serializers.IntegerField()
    waiting = serializers.IntegerField()
    sku = serializers.CharField(allow_blank=True)
    image_ids = serializers.ListField(child=serializers.IntegerField())
    thumbnail_url = serializers.CharField(allow_blank=True)


class GridPhotoSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    thumbnail_url = serializers.CharField()
    alt = serializers.CharField(allow_blank=True)


class VariantGridSerializer(serializers.Serializer[Any]):
    version = serializers.CharField()
    formats = VariationSerializer(many=True)
    rows = GridRowSerializer(many=True)
    images = GridPhotoSerializer(many=True)
    product = GridFallbackSerializer()
    offers_formats = serializers.BooleanField()


class VariantGridView(APIView):
    """The grid of a product."""

    permission_classes = (allowed(get=StaffAction.SEE_PRODUCTS, put=StaffAction.EDIT_STOCK),)

    @extend_schema(operation_id="admin_variants_retrieve", responses=VariantGridSerializer)
    def get(self, request: Request, product_id: str) -> Response:
        # Four queries.
        return private(_grid(int(product_id)))

    @extend_schema(
        operation_id="admin_variants_update", request=GridBodySerializer, responses=VariantGridSerializer
    )
    def put(self, request: Request, product_id: str) -> Response:
        """Writes every row or none; messages are by `rows.<id>.<field>`. 409 `conflict` with the grid of now as
        `current`. Each field asks for its own right."""
        sent: Any = request.data
        rows = _rows_of(sent.get("rows", []))
        form = GridBodySerializer(data={name: value for name, value in sent.items() if name != "rows"})
        form.is_valid(raise_exception=True)
        order = form.validated_data.get("format_ids")
        require_fields(
            request,
            (name for row in rows for name in row.values),
            ("image_ids",) if any(row.image_ids is not None for row in rows) else (),
            () if order is None else ("sort_order",),
        )
        with _found(int(product_id)):
            service.save_grid(
                product_id=int(product_id),
                rows=rows,
                version=form.validated_data["version"],
                actor=staff_actor(request),
                format_ids=order,
            )
        return private(_grid(int(product_id)))


class VariationListView(APIView):
    """The formats of a product, in their order."""

    permission_classes = (allowed(get=StaffAction.SEE_PRODUCTS, post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(operation_id="admin_variations_list", responses=VariationSerializer(many=True))
    def get(self, request: Request, product_id: str) -> Response:
        return private(_grid(int(product_id))["formats"])

    @extend_schema(
        operation_id="admin_variations_create",
        request=VariationBodySerializer,
        responses={201: VariationSerializer},
    )
    def post(self, request: Request, product_id: str) -> Response:
        """Adds a format behind the others, once per `Idempotency-Key`."""
        form = VariationBodySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        values = form.values()
        require_fields(request, values)
        with _found(int(product_id)):
            made = make_once_for_staff(
                request,
                body={"product": product_id, "sent": request.data},
                make=lambda: (
                    service.add_format(
                        product_id=int(product_id), values=values, actor=staff_actor(request)
                    ).pk
                ),
            )
            return private(_one_format(int(product_id), made.subject_id), 201)


class VariationView(APIView):
    """One format of a product."""

    permission_classes = (allowed(patch=StaffAction.EDIT_PRODUCT, delete=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_variations_update",
        request=VariationBodySerializer,
        responses=VariationSerializer,
    )
    def patch(self, request: Request, product_id: str, variation_id: str) -> Response:
        """Changes the fields that are sent. `version` is the grid's; 409 `conflict` with `current`."""
        form = VariationBodySerializer(data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        values = form.values()
        require_fields(request, values)
        with _found(int(product_id)):
            service.change_format(
                product_id=int(product_id),
                variation_id=int(variation_id),
                values=values,
                actor=staff_actor(request),
                version=form.validated_data.get("version", ""),
            )
            return private(_one_format(int(product_id), int(variation_id)))

    @extend_schema(operation_id="admin_variations_destroy", responses={204: None})
    def delete(self, request: Request, product_id: str, variation_id: str) -> Response:
        """Removes it with its variants; orders keep what they say of it."""
        with _found(int(product_id)):
            service.remove_format(
                product_id=int(product_id), variation_id=int(variation_id), actor=staff_actor(request)
            )
        return Response(status=204)


class DefaultVariationView(APIView):
    """The format that a product's page chooses at first."""

    permission_classes = (allowed(post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(operation_id="admin_variations_default", request=None, responses=VariationSerializer)
    def post(self, request: Request, product_id: str, variation_id: str) -> Response:
        """Makes it the default one, instead of any other."""
        with _found(int(product_id)):
            service.change_format(
                product_id=int(product_id),
                variation_id=int(variation_id),
                values={"is_default": True},
                actor=staff_actor(request),
            )
            return private(_one_format(int(product_id), int(variation_id)))


@contextmanager
def _found(product_id: int) -> Iterator[None]:
    """404 for what is gone; adds what is stored to a `conflict`."""
    try:
        yield
    except Product.DoesNotExist:
        raise product_not_found() from None
    except ProductVariation.DoesNotExist:
        raise Problem("not_found", _("Ce format n'existe plus."), 404) from None
    except Problem as problem:
        if problem.code == "conflict":
            problem.extra["current"] = _grid(product_id)
        raise


def _rows_of(sent: Any) -> list[GridRow]:
    """The rows that were sent, with messages by the variant's key and not by a place in a list."""
    if not isinstance(sent, list) or len(sent) > MOST_ROWS:
        raise serializers.ValidationError({"rows": [_("La requête n'est pas lisible.")]})
    rows: list[GridRow] = []
    errors: dict[str, Any] = {}
    for number, each in enumerate(sent):
        form = GridRowBodySerializer(data=each)
        if not form.is_valid():
            key = each.get("id", number) if isinstance(each, Mapping) else number
            errors |= {f"rows.{key}.{name}": messages for name, messages in form.errors.items()}
            continue
        values = dict(form.validated_data)
        rows.append(
            GridRow(
                variant_id=values.pop("id"),
                image_ids=values.pop("image_ids", None),
                seen_stock=values.pop("seen_stock", None),
                values=values,
            )
        )
    if errors:
        raise serializers.ValidationError(errors)
    if len({row.variant_id for row in rows}) != len(rows):
        raise serializers.ValidationError({"rows": [_("La requête n'est pas lisible.")]})
    return rows


def _read(product_id: int) -> VariantGrid:
    if (grid := variant_grid(product_id)) is None:
        raise product_not_found()
    return grid


def _grid(product_id: int) -> Any:
    grid = _read(product_id)
    answer = {
        "version": grid_version(grid.formats, grid.variants, grid.photos),
        "formats": [_format(grid, row) for row in grid.formats],
        "rows": [_row(grid, row) for row in grid.shown],
        "images": [
            {"id": row.pk, "thumbnail_url": image.smallest_url, "alt": image.alt}
            for row, image in ((row, image_info(row, grid.product.name)) for row in grid.photos)
        ],
        "product": grid.product,
        "offers_formats": grid.product.category.offers_formats,
    }
    return VariantGridSerializer(answer).data


def _row(grid: VariantGrid, row: Variant) -> dict[str, Any]:
    shown = best_image(grid.photos, variation_id=row.variation_id, finish=row.finish)
    cell = (row.variation_id, row.finish)
    own = [photo.pk for photo in grid.photos if (photo.variation_id, photo.finish) == cell]
    return {
        **{name: getattr(row, name) for name in service.VARIANT_COLUMNS},
        "id": row.pk,
        "variation_id": row.variation_id,
        "finish": row.finish,
        "label": row.label,
        "unit_price": pricing.full_price(grid.product, row) if row.pk in grid.offered else None,
        "available": not is_sold_out(grid.product, row),
        "offered": row.pk in grid.offered,
        "held_units": grid.held[row.pk],
        "waiting": grid.waiting[row.pk],
        "image_ids": own,
        "thumbnail_url": "" if shown is None else image_info(shown, "").smallest_url,
    }


def _one_format(product_id: int, variation_id: int) -> Any:
    grid = _read(product_id)
    for row in grid.formats:
        if row.pk == variation_id:
            return VariationSerializer(_format(grid, row)).data
    raise ProductVariation.DoesNotExist


def _format(grid: VariantGrid, row: ProductVariation) -> dict[str, Any]:
    names = {name: getattr(row, name) or "" for name in service.NAME_COLUMNS}
    shown = [image_info(photo, "").url for photo in grid.photos if photo.variation_id == row.pk]
    return {
        **{name: getattr(row, name) for name in ("id", "product_id", *service.FORMAT_COLUMNS)},
        **names,
        "name": names[f"name_{SOURCE_LANGUAGE}"],
        **format_marks(format_variants(grid.product, row.pk, grid.variants)),
        "gallery_images": shown,
        "image_url": next(iter(shown), None),
    }
