"""Withdrawals that came by letter, by e-mail or otherwise, filed by an administrator (L221-21)."""

import uuid
from datetime import date
from typing import Any, cast

from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.permissions import allowed
from orders.api.exchange import idempotency_key, private
from orders.api.serializers import KnownFieldsSerializer, ParagraphField, PlainTextField
from orders.api.withdrawals import MOST_LINES, WithdrawnItemSerializer, each_once
from orders.forms import LIMITS
from orders.models import Order, Withdrawal, WithdrawalChannel, WithdrawalState
from orders.selectors.refund_rules import ReturnedLine
from orders.services.withdrawals.declarations import Declaration, Receipt
from orders.services.withdrawals.staff_filing import file_received
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction


class ReceivedWithdrawalSerializer(KnownFieldsSerializer):
    """What a letter says. Without `items` the whole order is meant; name and address are the order's own if left out.

    `sent_on` decides whether it is in time, the days to refund run from `received_on`. `words` is its text as written.
    """

    channel = serializers.ChoiceField(
        choices=[choice for choice in WithdrawalChannel.choices if choice[0] != WithdrawalChannel.SITE]
    )
    sent_on = serializers.DateField()
    received_on = serializers.DateField()
    name = PlainTextField(max_length=LIMITS["name"], required=False, allow_blank=True, default="")
    email = serializers.EmailField(max_length=LIMITS["email"], required=False, allow_blank=True, default="")
    items: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=WithdrawnItemSerializer(), required=False, allow_null=True, max_length=MOST_LINES
    )
    words = ParagraphField(max_length=LIMITS["words"], required=False, allow_blank=True, default="")
    acknowledge = serializers.BooleanField(required=False, default=True)

    def validate_items(self, items: list[dict[str, int]] | None) -> list[dict[str, int]] | None:
        if items is None:
            return None
        if not items:
            raise serializers.ValidationError(
                _("Choisissez au moins un article, dans la quantité commandée.")
            )
        return each_once(items)


class FiledLineSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField()
    quantity = serializers.IntegerField()


class FiledWithdrawalSerializer(serializers.Serializer[Withdrawal]):
    """A declaration as it was filed, and what came of it. No `lines`: the whole order."""

    id = serializers.UUIDField()
    reference = serializers.CharField()
    order_id = serializers.UUIDField()
    channel = serializers.ChoiceField(choices=WithdrawalChannel.choices)
    sent_on = serializers.DateField()
    received_on = serializers.SerializerMethodField()
    statement = serializers.CharField()
    lines = FiledLineSerializer(many=True)
    in_time = serializers.BooleanField(source="case.in_time")
    state = serializers.ChoiceField(source="case.state", choices=WithdrawalState.choices)
    refund_by = serializers.DateField(source="case.refund_by")
    voided = serializers.DecimalField(source="case.voided", max_digits=10, decimal_places=2)

    def get_received_on(self, withdrawal: Withdrawal) -> date:
        return timezone.localdate(withdrawal.declared_at)


class FiledAnswerSerializer(serializers.Serializer[Any]):
    success = serializers.BooleanField()
    withdrawal = FiledWithdrawalSerializer()


_ORDER = OpenApiParameter("order_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, required=True)


class OrderWithdrawalsView(APIView):
    """Files a withdrawal that the shop received, once per `Idempotency-Key`; it takes effect like one from the site."""

    permission_classes = (allowed(post=StaffAction.FILE_WITHDRAWAL),)

    @extend_schema(
        request=ReceivedWithdrawalSerializer,
        responses={201: FiledAnswerSerializer},
        parameters=[_ORDER, _KEY],
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        key = idempotency_key(request)
        form = ReceivedWithdrawalSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        order = Order.objects.filter(pk=order_id).first()
        if order is None:
            raise Problem("not_found", _("Commande introuvable."), 404)
        said = form.validated_data
        declaration = Declaration(
            name=said["name"] or order.customer_name,
            email=said["email"],
            order_text=order.reference,
            language=order.language,
            order=order,
            lines=tuple(ReturnedLine(item["item_id"], item["quantity"]) for item in said.get("items") or ()),
            receipt=Receipt(
                channel=WithdrawalChannel(said["channel"]),
                sent_on=said["sent_on"],
                received_on=said["received_on"],
                filed_by=cast(User, request.user),
                words=said["words"],
                acknowledged=said["acknowledge"],
            ),
        )
        withdrawal = file_received(declaration=declaration, key=key)
        answer = FiledAnswerSerializer({"success": True, "withdrawal": withdrawal})
        return private(Response(answer.data, status=201))


urlpatterns = [
    path(
        "admin/orders/<uuid:order_id>/withdrawals",
        OrderWithdrawalsView.as_view(),
        name="api-admin-order-withdrawals",
    ),
]
