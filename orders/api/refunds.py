"""Refunds: decided by an administrator, followed until the money is back."""

import uuid
from decimal import Decimal
from typing import Any, cast

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.recent_authentication import is_recent, require_recent
from orders.api.base import (
    IDEMPOTENCY_KEY,
    ORDER_ID,
    found_order,
    idempotency_key,
    order_not_found,
    validated,
)
from orders.api.fields import PlainTextField
from orders.api.serializers import StrictIntegerField
from orders.models import Order, Refund, RefundLine, RefundMethod, RefundRequest, RefundState, TransferReturn
from orders.selectors.quotes import MAX_LINES
from orders.selectors.refund_rules import (
    ProposedLine,
    ReturnedLine,
    needs_recent_authentication,
    propose_refund,
)
from orders.selectors.refund_words import promotion_share_text
from orders.selectors.refunds import RefundProgress, find_request, progress
from orders.services.refunds.decisions import request_refund, restock_line
from orders.services.refunds.transfers import (
    LONGEST_REFERENCE,
    settle_by_transfer,
    sync_other_refunds,
    take_transfer_back,
)
from shop.core.amounts import AmountField
from shop.core.problems import Problem
from shop.core.row_keys import ROW_KEY
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private


class RefundedLineSerializer(serializers.Serializer[Any]):
    """Units of a line of the order; `restock` puts them back on the shelf, `was_sent` says that they had been sent, so
    that those of the line that were not are still sent."""

    item_id = StrictIntegerField(**ROW_KEY)
    quantity = StrictIntegerField(min_value=1, max_value=2**31 - 1)
    restock = serializers.BooleanField(default=False)
    was_sent = serializers.BooleanField(default=False)


class SaidAmountField(AmountField):
    """An amount that may be left out: an empty text, which is none, must not become « everything »."""

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        if isinstance(data, str) and not data.strip():
            return False, data
        return super().validate_empty_values(data)


class RefundDemandSerializer(KnownFieldsSerializer):
    """Neither amount nor lines: everything that is left. Both: what is granted for the lines, at most their worth; the
    delivery of a complete return is added.

    `expected_left` is the `left` of the preview that the person was shown; 409 `refund_changed` when it is another now.
    """

    expected_left = SaidAmountField(min_value=0, required=False, allow_null=True)
    amount = SaidAmountField(min_value=0, required=False, allow_null=True)
    reason = PlainTextField(max_length=500, required=False, allow_blank=True, default="")
    lines = serializers.ListField(
        child=RefundedLineSerializer(), required=False, allow_null=True, max_length=MAX_LINES
    )


class RefundMovementSerializer(serializers.Serializer[Refund]):
    """What one charge gives back. `provider_id` is the refund's id at Stripe; a transfer has none."""

    id = serializers.UUIDField()
    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    method = serializers.ChoiceField(choices=RefundMethod.choices)
    state = serializers.ChoiceField(choices=RefundState.choices)
    provider_id = serializers.CharField(allow_null=True)
    error = serializers.CharField()


class TransferSerializer(serializers.Serializer[Any]):
    """A failed refund that was sent from the shop's bank: `amount` is what its administrator saw and confirms."""

    refund_id = serializers.UUIDField()
    sent_on = serializers.DateField()
    reference = PlainTextField(max_length=LONGEST_REFERENCE)
    amount = AmountField(min_value=Decimal("0.01"))


class TransferReturnSerializer(serializers.Serializer[Any]):
    """A transfer that did not reach its customer: since when the shop has the money again, and why."""

    refund_id = serializers.UUIDField()
    returned_on = serializers.DateField()
    why = serializers.ChoiceField(choices=TransferReturn.choices)


class CreditedLineSerializer(serializers.Serializer[RefundLine]):
    id = serializers.IntegerField()
    item_id = serializers.IntegerField()
    quantity = serializers.IntegerField()
    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    restocked = serializers.BooleanField()


class RefundSerializer(serializers.Serializer[RefundRequest]):
    """`amount` is credited: `voided` is no longer collected, the rest goes back by `refunds`, one a charge."""

    id = serializers.UUIDField()
    order_id = serializers.UUIDField()
    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    status = serializers.SerializerMethodField()
    voided = serializers.DecimalField(max_digits=10, decimal_places=2)
    shipping = serializers.DecimalField(max_digits=10, decimal_places=2)
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()
    lines = CreditedLineSerializer(many=True)
    refunds = RefundMovementSerializer(many=True)

    def get_status(self, request: RefundRequest) -> RefundProgress:
        return progress(request)


class ProposedLineSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField(source="item.pk")
    quantity = serializers.IntegerField()
    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    worth = serializers.DecimalField(max_digits=10, decimal_places=2)
    restock = serializers.BooleanField()
    explanation = serializers.SerializerMethodField(
        help_text="Why a piece of an offer brings less than its price, else empty."
    )

    def get_explanation(self, line: ProposedLine) -> str:
        paid = {line.item.pk: line.worth * line.item.quantity / line.quantity}
        return promotion_share_text(line.item, quantity=line.quantity, amount=line.amount, paid=paid)


class RefundProposalSerializer(serializers.Serializer[Any]):
    """What a refund would do: `amount` = `voided` (no longer collected) + `money` (back to the card)."""

    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    money = serializers.DecimalField(max_digits=10, decimal_places=2)
    voided = serializers.DecimalField(max_digits=10, decimal_places=2)
    shipping = serializers.DecimalField(max_digits=10, decimal_places=2)
    left = serializers.DecimalField(max_digits=10, decimal_places=2)
    complete = serializers.BooleanField(help_text="Nothing is left of the order afterwards.")
    asks_confirmation = serializers.SerializerMethodField(
        help_text="The caller has to prove first who they are."
    )
    lines = ProposedLineSerializer(many=True)

    def get_asks_confirmation(self, proposal: Any) -> bool:
        return bool(self.context["asks"])


class RefundAnswerSerializer(serializers.Serializer[Any]):
    success = serializers.BooleanField()
    refund = RefundSerializer()


_REQUEST = OpenApiParameter("request_id", OpenApiTypes.UUID, OpenApiParameter.PATH)


class OrderRefundView(APIView):
    """Decides a refund, once per `Idempotency-Key`; the money goes back afterwards."""

    permission_classes = (allowed(post=StaffAction.REFUND_ORDER),)

    @extend_schema(
        request=RefundDemandSerializer,
        responses={202: RefundAnswerSerializer},
        parameters=[ORDER_ID, IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        key = idempotency_key(request)
        values = validated(RefundDemandSerializer(data=request.data))
        lines = _returned_lines(values)
        if not Order.objects.filter(pk=order_id).exists():
            raise order_not_found()
        decided = request_refund(
            order_id=order_id,
            key=key,
            actor=cast(User, request.user),
            reason=values["reason"],
            lines=lines,
            amount=values.get("amount"),
            expected_left=values.get("expected_left"),
            require_proof=lambda: require_recent(request._request),
        )
        return private(_answer(decided.pk), 202)


class RefundPreviewView(APIView):
    """What a refund would do, by the demand that `refund` takes. Nothing is written."""

    permission_classes = (allowed(post=StaffAction.REFUND_ORDER),)

    @extend_schema(request=RefundDemandSerializer, responses=RefundProposalSerializer, parameters=[ORDER_ID])
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        values = validated(RefundDemandSerializer(data=request.data))
        order = found_order(Order.objects.filter(pk=order_id).first())
        proposal = propose_refund(order, _returned_lines(values), amount=values.get("amount"))
        asks = needs_recent_authentication(order, proposal.amount) and not is_recent(request._request)
        return private(RefundProposalSerializer(proposal, context={"asks": asks}).data)


class RefundView(APIView):
    """Where a refund stands."""

    permission_classes = (allowed(get=StaffAction.SEE_REFUNDS),)

    @extend_schema(responses=RefundAnswerSerializer, parameters=[_REQUEST])
    def get(self, request: Request, request_id: uuid.UUID) -> Response:
        return private(_answer(request_id))


class RestockedLineView(APIView):
    """Puts the refunded units of a line back on the shelf, once; 409 when they are there, or are no longer sold."""

    permission_classes = (allowed(post=StaffAction.REFUND_ORDER),)

    @extend_schema(
        request=None,
        responses=RefundAnswerSerializer,
        parameters=[_REQUEST, OpenApiParameter("line_id", int, OpenApiParameter.PATH)],
    )
    def post(self, request: Request, request_id: uuid.UUID, line_id: int) -> Response:
        if not RefundLine.objects.filter(pk=line_id, request=request_id).exists():
            raise Problem("not_found", _("Remboursement introuvable."), 404)
        if not restock_line(line_id=line_id):
            raise Problem(
                "already_restocked", _("Cet article est déjà en stock, ou n'est plus au catalogue."), 409
            )
        return private(_answer(request_id))


class RefundTransferView(APIView):
    """Records that a failed refund of this decision was settled by bank transfer; once, however often it is said."""

    permission_classes = (allowed(post=StaffAction.RECORD_TRANSFER),)

    @extend_schema(request=TransferSerializer, responses=RefundAnswerSerializer, parameters=[_REQUEST])
    def post(self, request: Request, request_id: uuid.UUID) -> Response:
        values = validated(TransferSerializer(data=request.data))
        failed = _refund_of(request_id, values["refund_id"])
        sync_other_refunds(failed.order)
        settle_by_transfer(**values, actor=cast(User, request.user))
        return private(_answer(request_id))


class TransferReturnView(APIView):
    """Records that a transfer of this decision did not reach its customer; once, however often it is said."""

    permission_classes = (allowed(post=StaffAction.RECORD_TRANSFER_RETURN),)

    @extend_schema(request=TransferReturnSerializer, responses=RefundAnswerSerializer, parameters=[_REQUEST])
    def post(self, request: Request, request_id: uuid.UUID) -> Response:
        values = validated(TransferReturnSerializer(data=request.data))
        take_transfer_back(
            refund_id=_refund_of(request_id, values["refund_id"]).pk,
            returned_on=values["returned_on"],
            why=TransferReturn(values["why"]),
            actor=cast(User, request.user),
        )
        return private(_answer(request_id))


def _returned_lines(values: dict[str, Any]) -> list[ReturnedLine] | None:
    if values.get("lines") is None:
        return None
    return [ReturnedLine(**line) for line in values["lines"]]


def _refund_of(request_id: uuid.UUID, refund_id: uuid.UUID) -> Refund:
    refund = Refund.objects.filter(pk=refund_id, request=request_id).first()
    if refund is None:
        raise Problem("not_found", _("Remboursement introuvable."), 404)
    return refund


def _answer(request_id: uuid.UUID) -> dict[str, Any]:
    found = find_request(request_id)
    if found is None:
        raise Problem("not_found", _("Remboursement introuvable."), 404)
    answer = RefundAnswerSerializer({"success": progress(found) != RefundProgress.FAILED, "refund": found})
    return cast(dict[str, Any], answer.data)
