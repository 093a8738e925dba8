"""The workshop's board and the dispatch of many orders, for staff."""

from typing import Any, cast

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.api.base import validated
from orders.api.fields import PlainTextField
from orders.api.serializers import StrictIntegerField
from orders.api.staff_calls import PREVIEW, ExpectedVersionSerializer, MailPreviewSerializer
from orders.models import Carrier, Order, PieceStage, WorkPiece
from orders.selectors.board import Card, board_card, board_changes, read_board, ready_orders
from orders.selectors.sending_marks import sending_marks
from orders.services.fulfilment.board import move_piece
from orders.services.fulfilment.dispatch import Dispatch, Outcome, dispatch_orders, preview_dispatch
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import MomentField, allowed, private

MOST_ORDERS = 50


class CardSerializer(serializers.Serializer[Card]):
    """A piece on the board. `number` of `quantity` units of its line; `version` goes with a move of it."""

    id = serializers.IntegerField(source="piece.pk")
    stage = serializers.ChoiceField(choices=PieceStage.choices, source="piece.stage")
    version = serializers.IntegerField(source="piece.version")
    number = serializers.IntegerField(source="piece.number")
    quantity = serializers.IntegerField(source="piece.item.quantity")
    name = serializers.CharField(source="piece.item.staff_name")
    detail = serializers.CharField(source="piece.item.staff_detail")
    finish = serializers.CharField(source="piece.item.finish")
    picture = serializers.CharField(source="piece.item.product_image")
    order_id = serializers.UUIDField(source="piece.item.order_id")
    reference = serializers.CharField(source="piece.item.order.reference")
    promised_by = serializers.DateField(source="piece.item.order.promised_by")
    is_late = serializers.BooleanField()
    staff_notes = serializers.IntegerField()
    has_notes = serializers.SerializerMethodField()
    photos = serializers.IntegerField()
    is_withdrawn = serializers.BooleanField(
        help_text="Its customer withdrew from it, or a withdrawal keeps its order from leaving."
    )
    is_disputed = serializers.BooleanField(help_text="A bank holds or took back money of its order.")

    def get_has_notes(self, card: Card) -> bool:
        return bool(card.piece.item.order.notes)


class BoardSerializer(serializers.Serializer[Any]):
    """`is_whole`: these are all cards, else those that changed. `gone` left the board. `more`, by stage: pieces beyond
    the cards. `since` goes into the next call."""

    is_whole = serializers.BooleanField()
    cards = CardSerializer(many=True)
    gone = serializers.ListField(child=serializers.IntegerField())
    more = serializers.DictField(child=serializers.IntegerField())
    since = serializers.DateTimeField()


class BoardQuerySerializer(serializers.Serializer[Any]):
    since = MomentField(required=False, allow_null=True, default=None)


class MoveSerializer(serializers.Serializer[Any]):
    stage = serializers.ChoiceField(choices=PieceStage.choices)
    version = StrictIntegerField(min_value=1, max_value=2**31 - 1)


class ReadyQuerySerializer(serializers.Serializer[Any]):
    reference = PlainTextField(max_length=40, required=False, allow_blank=True, default="")


class ReadyOrderSerializer(serializers.Serializer[Order]):
    """An order whose pieces are all to be packed; `pieces` in words, `to` where its mail goes."""

    id = serializers.UUIDField()
    reference = serializers.CharField()
    customer_name = serializers.CharField()
    place = serializers.SerializerMethodField()
    to = serializers.CharField(source="email")
    promised_by = serializers.DateField()
    is_late = serializers.BooleanField()
    pieces = serializers.SerializerMethodField()
    notes = serializers.CharField()
    warning = serializers.SerializerMethodField(help_text="Why it is not to be sent; empty: nothing says so.")

    def get_place(self, order: Order) -> str:
        return " · ".join(part for part in (order.city, order.custom_country or order.country) if part)

    def get_warning(self, order: Order) -> str:
        return str(self.context["marks"].get(order.pk, ""))

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_pieces(self, order: Order) -> list[str]:
        counted = [(len(getattr(item, "ready", ())), item.staff_label) for item in order.items.all()]
        return [f"{count} × {label}" for count, label in counted if count]


class ReadyOrdersSerializer(serializers.Serializer[Any]):
    results = ReadyOrderSerializer(many=True)


class DispatchLineSerializer(ExpectedVersionSerializer):
    """An order; `expected_updated_at` is the `updated_at` of its preview."""

    id = serializers.UUIDField()
    carrier = serializers.ChoiceField(choices=Carrier.choices, required=False, allow_blank=True, default="")
    tracking_number = PlainTextField(max_length=100, required=False, allow_blank=True, default="")


class DispatchSerializer(serializers.Serializer[Any]):
    orders = serializers.ListField(child=DispatchLineSerializer(), min_length=1, max_length=MOST_ORDERS)


class DispatchResultSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="order_id")
    outcome = serializers.ChoiceField(choices=[outcome.value for outcome in Outcome])
    code = serializers.CharField()
    detail = serializers.CharField()
    mails = MailPreviewSerializer(many=True, help_text="With `preview` alone.")
    same_number = serializers.ListField(
        child=serializers.CharField(),
        help_text="References of other orders with this tracking number. With `preview` alone.",
    )
    updated_at = serializers.DateTimeField(
        allow_null=True, help_text="Of the order, where it would leave. With `preview` alone."
    )


class DispatchResultsSerializer(serializers.Serializer[Any]):
    results = DispatchResultSerializer(many=True)


class BoardView(APIView):
    """The pieces at the workshop by promised day, or with `since` what changed."""

    permission_classes = (allowed(get=StaffAction.SEE_ORDERS),)

    @extend_schema(responses=BoardSerializer, parameters=[OpenApiParameter("since", OpenApiTypes.DATETIME)])
    def get(self, request: Request) -> Response:
        since = validated(BoardQuerySerializer(data=request.query_params))["since"]
        board = read_board() if since is None else board_changes(since)
        return private(BoardSerializer(board).data)


class PieceMoveView(APIView):
    """Moves a piece. 409 `conflict` with the card as `current` when somebody moved it since."""

    permission_classes = (allowed(post=StaffAction.FULFIL_ORDER),)

    @extend_schema(
        request=MoveSerializer,
        responses=CardSerializer,
        parameters=[OpenApiParameter("piece_id", int, OpenApiParameter.PATH)],
    )
    def post(self, request: Request, piece_id: int) -> Response:
        values = validated(MoveSerializer(data=request.data))
        try:
            move_piece(
                piece_id=piece_id,
                stage=PieceStage(values["stage"]),
                version=values["version"],
                actor=cast(User, request.user),
            )
        except WorkPiece.DoesNotExist:
            raise Problem("not_found", _("Pièce introuvable."), 404) from None
        except Problem as refused:
            if refused.code in ("conflict", "piece_left"):
                refused.extra["current"] = CardSerializer(board_card(piece_id)).data
            raise
        return private(CardSerializer(board_card(piece_id)).data)


class DispatchView(APIView):
    """Orders that are ready to leave, and sending many of them: each has its own outcome."""

    permission_classes = (allowed(get=StaffAction.FULFIL_ORDER, post=StaffAction.FULFIL_ORDER),)

    @extend_schema(responses=ReadyOrdersSerializer, parameters=[OpenApiParameter("reference", str)])
    def get(self, request: Request) -> Response:
        reference = validated(ReadyQuerySerializer(data=request.query_params))["reference"]
        orders = ready_orders(reference)
        context = {"marks": sending_marks(orders)}
        return private(ReadyOrdersSerializer({"results": orders}, context=context).data)

    @extend_schema(request=DispatchSerializer, responses=DispatchResultsSerializer, parameters=[PREVIEW])
    def post(self, request: Request) -> Response:
        lines = validated(DispatchSerializer(data=request.data))["orders"]
        dispatches = [
            Dispatch(line["id"], line["carrier"], line["tracking_number"], line["expected_updated_at"])
            for line in lines
        ]
        carry_out = preview_dispatch if "preview" in request.query_params else dispatch_orders
        results = carry_out(dispatches, actor=cast(User, request.user))
        return private(DispatchResultsSerializer({"results": results}).data)
