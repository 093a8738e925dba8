"""Withdrawals: declared by the member whose order it is, or filed by staff from a letter or an e-mail (L221-21)."""

import uuid
from datetime import date
from typing import Any, cast

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.api.base import IDEMPOTENCY_KEY, ORDER_ID, found_order, idempotency_key, validated
from orders.api.fields import EmailAddressField, ParagraphField, PlainTextField
from orders.forms import LIMITS
from orders.models import Order, Withdrawal, WithdrawalChannel, WithdrawalState
from orders.selectors.orders import member_order
from orders.selectors.refund_rules import ReturnedLine
from orders.services.withdrawals.declarations import Declaration, Receipt, choose_lines, declare_withdrawal
from orders.services.withdrawals.staff_filing import file_received
from shop.core.client_address import client_address
from shop.core.languages import active_language
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private

MOST_LINES = 200


class WithdrawnItemSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField(min_value=1)
    quantity = serializers.IntegerField(min_value=1, max_value=100_000)


def each_once(items: list[dict[str, int]]) -> list[dict[str, int]]:
    """The items, when none is named twice. Raises ValidationError."""
    if len({item["item_id"] for item in items}) < len(items):
        raise serializers.ValidationError(_("Chaque article une seule fois."))
    return items


class WithdrawalDemandSerializer(KnownFieldsSerializer):
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
    """Files a withdrawal from the member's own order. The same demand is filed once a day, or once per
    `Idempotency-Key`: another key says that it is about further units."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        request=WithdrawalDemandSerializer,
        responses={202: WithdrawalReceivedSerializer},
        parameters=[ORDER_ID, OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        key = idempotency_key(request) if "Idempotency-Key" in request.headers else ""
        values = validated(WithdrawalDemandSerializer(data=request.data))
        order = found_order(member_order(cast(User, request.user), order_id))
        items = values.get("items")
        lines: tuple[ReturnedLine, ...] = ()
        if items is not None:
            lines = choose_lines(order, {item["item_id"]: item["quantity"] for item in items})
        declaration = Declaration(
            name=order.customer_name,
            email=order.email,
            order_text=order.reference,
            language=active_language(),
            reason=values["reason"],
            order=order,
            lines=lines,
        )
        withdrawal = declare_withdrawal(
            declaration=declaration,
            key=declaration.submission_key(timezone.localdate(), key),
            caller=client_address(request._request),
        )
        return private(WithdrawalReceivedSerializer(withdrawal).data, 202)


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
    email = EmailAddressField(max_length=LIMITS["email"], required=False, allow_blank=True, default="")
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


class OrderWithdrawalsView(APIView):
    """Files a withdrawal that the shop received, once per `Idempotency-Key`; it takes effect like one from the site."""

    permission_classes = (allowed(post=StaffAction.FILE_WITHDRAWAL),)

    @extend_schema(
        request=ReceivedWithdrawalSerializer,
        responses={201: FiledAnswerSerializer},
        parameters=[ORDER_ID, IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        key = idempotency_key(request)
        values = validated(ReceivedWithdrawalSerializer(data=request.data))
        order = found_order(Order.objects.filter(pk=order_id).first())
        said = values
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
        return private(answer.data, 201)
