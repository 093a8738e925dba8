"""Several products at once, and what a promotion or the past says of prices."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.api.products import Money
from catalog.api.staff_products import found_product, require_fields
from catalog.api.staff_serializers import (
    WRITABLE,
    AdminProductSerializer,
    FieldChangeSerializer,
    values_of,
)
from catalog.models import Product, Promotion
from catalog.pricing import first_offer, is_true_figure, offers
from catalog.selectors import wording
from catalog.selectors.staff_products import offer_histories, own_promotion_preview
from catalog.selectors.variants import variants_of
from catalog.services import product_removal
from catalog.services.product_rights import actions_for
from catalog.services.staff_products import (
    MOST_AT_ONCE,
    PROMOTION_FIELDS,
    change_products,
    check_values,
    find_products,
    key_of_versions,
    preview_changes,
)
from shop.core.problems import InvalidFields, Problem
from shop.core.row_keys import ROW_KEY
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private, staff_actor

# What says something of one product alone.
_SINGLE = {"name", "slug", "external_id", "picked_similar"}
BULK_FIELDS = tuple(
    name for name in WRITABLE if name not in _SINGLE and not name.startswith(("name_", "slug_"))
)
_REMOVALS = {
    "delete": (StaffAction.DELETE_PRODUCT, product_removal.trash_products),
    "restore": (StaffAction.DELETE_PRODUCT, product_removal.restore_products),
    "archive": (StaffAction.EDIT_PRODUCT, product_removal.archive_products),
    "unarchive": (StaffAction.EDIT_PRODUCT, product_removal.unarchive_products),
}


class BulkSerializer(KnownFieldsSerializer):
    """`fields` are those of one product that several can share. With `dry_run` nothing is changed; the `preview_key` of
    that answer makes the call that follows refuse (409 `conflict`) products that changed in between."""

    ids = serializers.ListField(child=serializers.IntegerField(**ROW_KEY), max_length=MOST_AT_ONCE)
    action = serializers.ChoiceField(choices=["update", *_REMOVALS])
    fields = serializers.DictField(required=False)  # type: ignore[assignment]
    dry_run = serializers.BooleanField(required=False, default=False)
    preview_key = serializers.CharField(required=False, allow_blank=True, default="", max_length=64)

    def validate_ids(self, ids: list[int]) -> list[int]:
        if not ids:
            refusal = _("Veuillez sélectionner au moins un produit")
            raise Problem("invalid", _("Aucun produit sélectionné"), errors={"ids": [refusal]})
        return sorted(set(ids))


class BulkChangeSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="product.pk")
    name = serializers.CharField(source="product.name")
    changes = FieldChangeSerializer(source="fields", many=True)


class BulkAnswerSerializer(serializers.Serializer[Any]):
    """`count` products are or would be concerned; `preview_key` and `changes` come with a dry run."""

    count = serializers.IntegerField()
    preview_key = serializers.CharField(required=False)
    changes = BulkChangeSerializer(many=True, required=False)


class AdminProductBulkView(APIView):
    """Changes, archives or moves to the trash all of the products or none. Each field asks for its own right."""

    permission_classes = (allowed(post=StaffAction.EDIT_STOCK),)

    @extend_schema(operation_id="admin_products_bulk", request=BulkSerializer, responses=BulkAnswerSerializer)
    def post(self, request: Request) -> Response:
        form = BulkSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        if asked["action"] == "update":
            return self._update(request, asked)
        action, run = _REMOVALS[asked["action"]]
        require(request.user, action)
        if asked["dry_run"]:
            return _preview([_Unchanged(product) for product in find_products(asked["ids"])])
        count = run(product_ids=asked["ids"], actor=staff_actor(request), preview_key=asked["preview_key"])
        return private({"count": count})

    def _update(self, request: Request, asked: dict[str, Any]) -> Response:
        values = _shared_values(asked.get("fields") or {})
        require_fields(request, values)
        if asked["dry_run"]:
            return _preview(preview_changes(product_ids=asked["ids"], values=values))
        count = change_products(
            product_ids=asked["ids"],
            values=values,
            actor=staff_actor(request),
            preview_key=asked["preview_key"],
        )
        return private({"count": count})


class _Unchanged:
    """A product that a removal concerns: none of its fields gets a value that somebody typed."""

    fields = ()

    def __init__(self, product: Product) -> None:
        self.product = product


def _preview(changes: list[Any]) -> Response:
    answer = {
        "count": len(changes),
        "preview_key": key_of_versions(change.product for change in changes),
        "changes": changes,
    }
    return private(BulkAnswerSerializer(answer).data)


def _shared_values(fields: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(fields) - set(BULK_FIELDS))
    if unknown or not fields:
        message = _("Choisissez au moins un champ à modifier.") if not unknown else _("Champ inconnu.")
        raise serializers.ValidationError({"fields": {name: [message] for name in unknown} or [message]})
    form = AdminProductSerializer(data=fields, partial=True)
    if not form.is_valid():
        raise serializers.ValidationError({"fields": form.errors})
    return values_of(form)


class PricePeriodSerializer(serializers.Serializer[Any]):
    starts_at = serializers.DateTimeField()
    amount = Money()
    lowest_prior = Money(allow_null=True, help_text="The lowest price of the 30 days before, if known.")


class OfferHistorySerializer(serializers.Serializer[Any]):
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    periods = PricePeriodSerializer(many=True)


class PriceHistorySerializer(serializers.Serializer[Any]):
    offers = OfferHistorySerializer(many=True)


class AdminProductPricesView(APIView):
    """What each format and finish cost over time, the last price first."""

    permission_classes = (allowed(get=StaffAction.SEE_PRICES),)

    @extend_schema(operation_id="admin_products_prices", responses=PriceHistorySerializer)
    def get(self, request: Request, product_id: str) -> Response:
        histories = offer_histories(found_product(int(product_id)))
        return private(PriceHistorySerializer({"offers": [asdict(each) for each in histories]}).data)


class PreviewRowSerializer(serializers.Serializer[Any]):
    label = serializers.CharField(source="variant", allow_blank=True)  # type: ignore[assignment]
    price_now = Money()
    price_then = Money()
    crossed_out = Money(allow_null=True)
    remark = serializers.CharField(allow_blank=True)


class PromotionExampleSerializer(serializers.Serializer[Any]):
    """So many units of the first choice under a promotion that offers some."""

    units = serializers.IntegerField()
    paid_units = serializers.IntegerField()
    total = Money()
    full_total = Money()


class PromotionPreviewSerializer(serializers.Serializer[Any]):
    badge = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)
    rows = PreviewRowSerializer(many=True)
    example = PromotionExampleSerializer(allow_null=True)


class PromotionDraftSerializer(serializers.Serializer[Any]):
    """The promotion and the prices of a form that is not saved yet; what is left out is as stored."""

    fields = serializers.DictField(required=False)  # type: ignore[assignment]


class AdminPromotionPreviewView(APIView):
    """What the product's own promotion would do, by the rule that carts use. Nothing is stored."""

    permission_classes = (allowed(post=StaffAction.SEE_PRICES),)

    @extend_schema(
        operation_id="admin_products_promotion_preview",
        request=PromotionDraftSerializer,
        responses=PromotionPreviewSerializer,
    )
    def post(self, request: Request, product_id: str) -> Response:
        form = PromotionDraftSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        product = found_product(int(product_id))
        fields = AdminProductSerializer(product, data=form.validated_data.get("fields") or {}, partial=True)
        fields.is_valid(raise_exception=True)
        values = values_of(fields)
        prices = {
            name: value for name, value in values.items() if StaffAction.EDIT_PRICES in actions_for([name])
        }
        promotion = _promotion(product, prices)
        check_values(product, prices)
        rows = own_promotion_preview(product, promotion)
        answer = {
            "badge": wording.promotion_badge(promotion),
            "text": wording.promotion_text(
                promotion,
                with_figure=is_true_figure(promotion, [(row.price_then, row.crossed_out) for row in rows]),
            ),
            "rows": rows,
            "example": _example(product, promotion),
        }
        return private(PromotionPreviewSerializer(answer).data)


def _promotion(product: Product, values: dict[str, Any]) -> Promotion:
    fields = {name.removeprefix("promotion_"): values.get(name) for name in PROMOTION_FIELDS}
    fields.pop("active")
    if not fields["type"]:
        message = _("Choisissez le type de la promotion.")
        raise Problem("invalid", message, errors={"promotion_type": [message]})
    # Of two without a start the later one goes before: it counts by the row that it will be.
    own = getattr(product, "own_promotion", None)
    promotion = Promotion(
        pk=None if own is None else own.pk, product=product, name=product.name[:120], **fields
    )
    try:
        promotion.clean()
    except ValidationError as error:
        errors = {f"promotion_{name}": messages for name, messages in error.message_dict.items()}
        raise InvalidFields(errors) from error
    return promotion


def _example(product: Product, promotion: Promotion) -> dict[str, Any] | None:
    quantities = promotion.quantities
    found = list(offers(product, variants_of([product.pk])[product.pk]))
    first = first_offer(product, found) or next(iter(found), None)
    if quantities is None or first is None:
        return None
    units = quantities.buy + quantities.get
    return {
        "units": units,
        "paid_units": quantities.buy,
        "total": first.price * quantities.buy,
        "full_total": first.price * units,
    }
