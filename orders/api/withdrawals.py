"""Withdrawing from an order through the API: the same declaration as on the page, by the member whose order it is."""

import uuid
from typing import Any, cast

from django.urls import path
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.api.exchange import private
from orders.api.serializers import ParagraphField
from orders.models import Withdrawal
from orders.selectors.orders import member_order
from orders.selectors.refund_rules import ReturnedLine
from orders.services.withdrawals.declarations import Declaration, choose_lines, declare_withdrawal
from shop.core.client_address import client_address
from shop.core.problems import Problem

MOST_LINES = 200


class WithdrawnItemSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField(min_value=1)
    quantity = serializers.IntegerField(min_value=1, max_value=100_000)


def each_once(items: list[dict[str, int]]) -> list[dict[str, int]]:
    """The items, when none is named twice. Raises ValidationError."""
    if len({item["item_id"] for item in items}) < len(items):
        raise serializers.ValidationError(_("Chaque article une seule fois."))
    return items


class WithdrawalDemandSerializer(serializers.Serializer[Any]):
    """Without `items` the whole order is meant."""

    items: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=WithdrawnItemSerializer(), required=False, max_length=MOST_LINES
    )
    reason = ParagraphField(max_length=2000, required=False, allow_blank=True, default="")

    def validate_items(self, items: list[dict[str, int]]) -> list[dict[str, int]]:
        return each_once(items)


class WithdrawalReceivedSerializer(serializers.Serializer[Withdrawal]):
    """What was received, and when; the acknowledgement goes by mail."""

    reference = serializers.CharField()
    declared_at = serializers.DateTimeField()
    statement = serializers.CharField()


class WithdrawalView(APIView):
    """Files a withdrawal from the member's own order. The same demand on the same day is filed once."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        request=WithdrawalDemandSerializer,
        responses={202: WithdrawalReceivedSerializer},
        parameters=[OpenApiParameter("order_id", OpenApiTypes.UUID, OpenApiParameter.PATH)],
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        form = WithdrawalDemandSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        order = member_order(cast(User, request.user), order_id)
        if order is None:
            raise Problem("not_found", _("Commande introuvable."), 404)
        items = form.validated_data.get("items")
        lines: tuple[ReturnedLine, ...] = ()
        if items is not None:
            lines = choose_lines(order, {item["item_id"]: item["quantity"] for item in items})
        declaration = Declaration(
            name=order.customer_name,
            email=order.email,
            order_text=order.reference,
            language=get_language() or "fr",
            reason=form.validated_data["reason"],
            order=order,
            lines=lines,
        )
        withdrawal = declare_withdrawal(
            declaration=declaration,
            key=declaration.submission_key(timezone.localdate()),
            caller=client_address(request._request),
        )
        return private(Response(WithdrawalReceivedSerializer(withdrawal).data, status=202))


urlpatterns = [
    path("orders/<uuid:order_id>/withdrawal", WithdrawalView.as_view(), name="api-withdrawal"),
]
