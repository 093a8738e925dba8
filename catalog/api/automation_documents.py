"""What the endpoint for programs answers, for the API schema: see `catalog.selectors.product_documents`."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiWebhook, extend_schema
from rest_framework import serializers

from catalog.api.product_fields import ProductFields, VariantFields, VariationFields, amount
from catalog.models import ImportState


class PendingPicture(serializers.Serializer[Any]):
    """A picture that is still to be copied, or could not be: `failure` says why (`private`, `timeout`, `status_404`,
    `too_large`, `invalid_image` …)."""

    url = serializers.CharField()
    variation_id = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=ImportState.choices)
    failure = serializers.CharField(allow_blank=True)


class AutomationVariation(VariationFields):
    image_url = serializers.CharField(allow_null=True)


class AutomationVariant(VariantFields):
    variation_id = serializers.IntegerField(allow_null=True)
    full_price = amount(allow_null=True)


class AutomationProduct(ProductFields):
    id = serializers.IntegerField()
    url = serializers.CharField()
    category_slug = serializers.CharField()
    image_url = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    price_from = amount(help_text="What its cheapest way that can be bought costs now, promotions included.")
    price_to = amount(help_text="What its dearest way that can be bought costs now.")
    archived = serializers.BooleanField(help_text="No longer sold, and kept.")
    variations = AutomationVariation(many=True)
    variants = AutomationVariant(many=True)
    pending_images = PendingPicture(many=True)  # type: ignore[assignment]
    created_at = serializers.DateTimeField()


class AutomationPage(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = AutomationProduct(many=True)


class VariantStock(serializers.Serializer[Any]):
    """`stock_quantity` is null for made to order; `in_stock` is the mark of staff, in the list false for what is not
    offered."""

    product_id = serializers.IntegerField()
    variant_id = serializers.IntegerField()
    variation_id = serializers.IntegerField(allow_null=True)
    finish = serializers.CharField(allow_null=True)
    sku = serializers.CharField(allow_blank=True)
    stock_quantity = serializers.IntegerField(allow_null=True)
    in_stock = serializers.BooleanField()


class StockPage(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = VariantStock(many=True)


class LevelStock(VariantStock):
    """One number of units: of a product (`variant_id` null), or of a variant."""

    variant_id = serializers.IntegerField(allow_null=True)


class EventHead(serializers.Serializer[Any]):
    """What every event begins with. The same event may arrive twice: with the same `id`. Of two about one
    thing that with the later `created_at` says how it is."""

    id = serializers.UUIDField()
    type = serializers.CharField()
    created_at = serializers.DateTimeField()


class ProductEventData(serializers.Serializer[Any]):
    product = AutomationProduct()


class StockEventData(serializers.Serializer[Any]):
    stock = LevelStock()


class ProductEvent(EventHead):
    data = ProductEventData()  # type: ignore[assignment]


class StockEvent(EventHead):
    data = StockEventData()  # type: ignore[assignment]


PRODUCT_WEBHOOK = OpenApiWebhook(
    name="product.created, product.updated, product.deleted",
    decorator=extend_schema(
        summary="A product changed", request=ProductEvent, responses={200: OpenApiTypes.NONE}
    ),
)
STOCK_WEBHOOK = OpenApiWebhook(
    name="stock.changed",
    decorator=extend_schema(
        summary="A number of units changed", request=StockEvent, responses={200: OpenApiTypes.NONE}
    ),
)
