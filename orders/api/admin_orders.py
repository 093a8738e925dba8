"""Orders for administrators: find them, move them on, take them out of the list."""

import hashlib
import uuid
from typing import Any, cast

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.recent_authentication import require_recent
from orders.api.base import ORDER_ID, found_order, idempotency_key, order_not_found, validated
from orders.api.fields import ParagraphField, PlainTextField
from orders.api.order_sheets import AdminOrderDetailSerializer, AdminOrderSerializer
from orders.api.serializers import StrictIntegerField
from orders.api.staff_calls import (
    ORDER_OR_MAILS,
    PREVIEW,
    ExpectedVersionSerializer,
    changed_order,
    is_preview,
    order_answer,
    provider_away,
)
from orders.models import Carrier, Order, OrderStatus
from orders.selectors.admin_orders import Waits, admin_order, find_orders
from orders.services.fulfilment.archiving import Removal, remove_order
from orders.services.fulfilment.status_changes import change_status, status_actions
from orders.stripe import gateway
from shop.core.row_keys import ROW_KEY
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_calls import KnownFieldsSerializer, allowed, next_address, private

PAGE_SIZE, MOST_A_PAGE = 20, 100


class AdminOrderPageSerializer(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True, help_text="Address of the following page.")
    next_cursor = serializers.CharField(allow_null=True)
    results = AdminOrderSerializer(many=True)


class OrderSearchSerializer(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=OrderStatus.choices, required=False, allow_blank=True, default=""
    )
    search = PlainTextField(max_length=100, required=False, allow_blank=True, default="")
    late = serializers.BooleanField(
        required=False, default=False, help_text="At the workshop after the promised day."
    )
    waits = serializers.ChoiceField(
        choices=[kind.value for kind in Waits],
        required=False,
        allow_blank=True,
        default="",
        help_text="What somebody has to decide about or to do.",
    )
    include = serializers.ChoiceField(choices=["unpaid"], required=False, allow_blank=True, default="")
    cursor = PlainTextField(max_length=200, required=False, allow_blank=True, default="")
    page_size = serializers.IntegerField(
        min_value=1, max_value=MOST_A_PAGE, required=False, default=PAGE_SIZE
    )


class StatusChangeSerializer(KnownFieldsSerializer, ExpectedVersionSerializer):
    """`refund` answers what a paid order's `cancelled` or `refunded` asks: give back what was paid, or not.

    `reason` is why a dispatch is undone or money is kept; `dispatched_on` the day of sending, today if left out.
    `carrier` left out stays the parcel's; "" is one that is not listed. `shipment_id` is the parcel whose number is
    added, corrected, or taken back by an empty one; the last one if left out.
    """

    status = serializers.ChoiceField(choices=OrderStatus.choices)
    message = ParagraphField(max_length=500, required=False, allow_blank=True, default="")
    tracking_number = PlainTextField(max_length=100, required=False, allow_blank=True, default="")
    carrier = serializers.ChoiceField(choices=Carrier.choices, required=False, allow_blank=True)
    shipment_id = StrictIntegerField(required=False, allow_null=True, default=None, **ROW_KEY)
    refund = serializers.BooleanField(required=False, allow_null=True, default=None)
    reason = ParagraphField(max_length=500, required=False, allow_blank=True, default="")
    dispatched_on = serializers.DateField(required=False, allow_null=True, default=None)


class RemovalSerializer(serializers.Serializer[Any]):
    result = serializers.ChoiceField(choices=[removal.value for removal in Removal])
    detail = serializers.CharField()


_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)


class AdminOrderListView(APIView):
    """The list, newest first: never archived orders, pending and cancelled ones only with `include=unpaid`."""

    permission_classes = (allowed(get=StaffAction.SEE_ORDERS),)

    @extend_schema(
        operation_id="admin_orders_list",
        parameters=[OrderSearchSerializer],
        responses=AdminOrderPageSerializer,
    )
    def get(self, request: Request) -> Response:
        asked = validated(OrderSearchSerializer(data=request.query_params))
        page = find_orders(
            status=asked["status"],
            search=asked["search"],
            late=asked["late"],
            waits=asked["waits"],
            include_unpaid=asked["include"] == "unpaid",
            cursor=asked["cursor"],
            page_size=asked["page_size"],
        )
        kept = {name: value for name, value in asked.items() if value and name != "cursor"}
        answer = {
            "next": next_address(request, kept, page.next_cursor),
            "next_cursor": page.next_cursor or None,
            "results": page.rows,
        }
        return private(AdminOrderPageSerializer(answer, context={"reader": request.user}).data)


class AdminOrderView(APIView):
    """One order."""

    permission_classes = (allowed(get=StaffAction.SEE_ORDERS, delete=StaffAction.REMOVE_ORDER),)

    @extend_schema(
        operation_id="admin_orders_retrieve", parameters=[ORDER_ID], responses=AdminOrderDetailSerializer
    )
    def get(self, request: Request, order_id: uuid.UUID) -> Response:
        return order_answer(request, _find(order_id))

    @extend_schema(parameters=[ORDER_ID], responses=RemovalSerializer)
    def delete(self, request: Request, order_id: uuid.UUID) -> Response:
        """Deletes an unpaid order; archives any other that is done, which an operator may restore."""
        _find(order_id)
        try:
            result = remove_order(order_id=order_id, actor=cast(User, request.user))
        except gateway.GatewayError:
            raise provider_away() from None
        except Order.DoesNotExist:
            raise order_not_found() from None
        answer = {"result": result, "detail": _("La commande a été supprimée avec succès.")}
        return private(RemovalSerializer(answer).data)


class OrderStatusView(APIView):
    """Sets a status that `allowed_statuses` of the order offers; the same one again adds a message or a number.

    409 `refund_decision_needed` until `refund` says what becomes of the money, `reason_needed` until `reason` does.
    """

    permission_classes = (allowed(post=StaffAction.FULFIL_ORDER),)

    @extend_schema(
        request=StatusChangeSerializer,
        responses=ORDER_OR_MAILS,
        parameters=[ORDER_ID, PREVIEW, _KEY],
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        values = validated(StatusChangeSerializer(data=request.data))
        expected = values.pop("expected_updated_at")
        order = _find(order_id)
        for action in status_actions(order, values["status"], values["refund"]):
            require(request.user, action)
        return changed_order(
            request,
            order,
            lambda: change_status(
                order_id=order_id,
                actor=cast(User, request.user),
                key=_key(request, order_id),
                require_proof=lambda: require_recent(request._request),
                is_preview=is_preview(request),
                **values,
            ),
            expected=expected,
        )


def _key(request: Request, order_id: uuid.UUID) -> str:
    """A repeated call decides its refund once; without the header what is left decides.

    Hashed: the longest key that a caller may send would not fit with what is put before it.
    """
    if "Idempotency-Key" not in request.headers:
        return ""
    return f"status-{order_id}-{hashlib.sha256(idempotency_key(request).encode()).hexdigest()}"


def _find(order_id: uuid.UUID) -> Order:
    return found_order(admin_order(order_id))
