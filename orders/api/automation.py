"""`/functions/v1/orders`: programs read paid orders, with whom they go to."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiWebhook, extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from orders.models import OrderStatus
from orders.selectors.admin_orders import find_orders
from orders.selectors.order_documents import order_with_customer
from shop.core.keyset import BadCursor
from shop.core.problems import Problem
from shop.core.staff_calls import private
from shop.integrations.authentication import ApiKeyAuthentication, opened_by
from shop.integrations.models import Scope

PAGE_SIZE = 50
STATUSES = [status.value for status in OrderStatus if status != OrderStatus.PENDING]


class ReportedItem(serializers.Serializer[Any]):
    """A line. `quantity` counts all units, `free_quantity` those among them that were offered."""

    product_id = serializers.IntegerField(allow_null=True)
    variant_id = serializers.IntegerField(allow_null=True)
    sku = serializers.CharField(allow_blank=True)
    name = serializers.CharField()
    variation = serializers.CharField(allow_null=True)
    finish = serializers.CharField(allow_null=True)
    quantity = serializers.IntegerField()
    free_quantity = serializers.IntegerField()
    unit_price = serializers.CharField()
    line_total = serializers.CharField()


class ReportedOrder(serializers.Serializer[Any]):
    """As webhooks report an order."""

    id = serializers.UUIDField()
    reference = serializers.CharField()
    status = serializers.CharField()
    payment_mode = serializers.CharField()
    country = serializers.CharField()
    subtotal = serializers.CharField()
    shipping_cost = serializers.CharField()
    total = serializers.CharField()
    items = ReportedItem(many=True)
    created_at = serializers.DateTimeField()
    paid_at = serializers.DateTimeField(allow_null=True)
    shipped_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True)
    cancelled_at = serializers.DateTimeField(allow_null=True)


class OrderCustomer(serializers.Serializer[Any]):
    email = serializers.CharField()
    name = serializers.CharField()
    phone = serializers.CharField(allow_blank=True)


class DeliveryPlace(serializers.Serializer[Any]):
    name = serializers.CharField()
    street = serializers.CharField()
    postal_code = serializers.CharField(allow_blank=True)
    city = serializers.CharField()
    country = serializers.CharField(allow_blank=True)


class AutomationOrder(ReportedOrder):
    customer = OrderCustomer()
    delivery_address = DeliveryPlace()


class AutomationOrderPage(serializers.Serializer[Any]):
    next_cursor = serializers.CharField(allow_blank=True)
    results = AutomationOrder(many=True)


class OrderEventData(serializers.Serializer[Any]):
    order = ReportedOrder()
    previous_status = serializers.CharField()


class OrderEvent(serializers.Serializer[Any]):
    """The same event may arrive twice: with the same `id`. It names no customer."""

    id = serializers.UUIDField()
    type = serializers.CharField()
    created_at = serializers.DateTimeField()
    data = OrderEventData()  # type: ignore[assignment]


ORDER_WEBHOOK = OpenApiWebhook(
    name="order.confirmed, order.status_changed, order.refunded",
    decorator=extend_schema(
        summary="An order was paid or went on", request=OrderEvent, responses={200: OpenApiTypes.NONE}
    ),
)


class OrderAutomation(APIView):
    """Paid orders, newest first, those that were cancelled since too. Archived ones are not among them."""

    authentication_classes = (ApiKeyAuthentication,)
    permission_classes: tuple[type[BasePermission], ...] = (opened_by(get=Scope.READ_ORDERS),)

    @extend_schema(
        operation_id="automation_orders_list",
        parameters=[
            OpenApiParameter("status", str, enum=STATUSES),
            OpenApiParameter("cursor", str, description="`next_cursor` of the page before."),
        ],
        responses=AutomationOrderPage,
    )
    def get(self, request: Request) -> Response:
        # Five queries, whatever the page.
        status = request.query_params.get("status", "")
        if status and status not in STATUSES:
            message = _("Ce statut n'existe pas.")
            raise Problem("invalid", message, errors={"status": [message]})
        try:
            page = find_orders(
                status=status,
                was_paid=True,
                cursor=request.query_params.get("cursor", ""),
                page_size=PAGE_SIZE,
            )
        except BadCursor as error:
            raise Problem("unknown_page", _("Cette page n'existe pas."), 404) from error
        return private(
            {
                "next_cursor": page.next_cursor,
                "results": [order_with_customer(order) for order in page.rows],
            }
        )
