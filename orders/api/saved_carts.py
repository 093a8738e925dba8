"""The member's cart, which follows them from one browser to the next."""

from typing import Any, cast

from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.api.base import validated
from orders.api.serializers import LinesField, StrictIntegerField, requested_lines
from orders.selectors.saved_carts import find_saved_cart, saved_cart_document
from orders.services.carts.saved_carts import CartConflict, write_saved_cart

_MAX_NUMBER = 2**31 - 1


class SavedCartWriteSerializer(serializers.Serializer[Any]):
    lines = LinesField(allow_empty=True)
    version = StrictIntegerField(
        min_value=0,
        max_value=_MAX_NUMBER,
        required=False,
        allow_null=True,
        default=None,
        help_text="The version that these lines take the place of. Without one they are joined to what is saved: of "
        "each thing the larger quantity stays.",
    )
    device = serializers.RegexField(
        r"\A[0-9a-f]{32}\Z",
        required=False,
        default="",
        help_text="Who writes; a device numbers its writes, and one that arrives again changes nothing.",
    )
    number = StrictIntegerField(min_value=1, max_value=_MAX_NUMBER, required=False, default=1)


class SavedLineSerializer(serializers.Serializer[dict[str, Any]]):
    product_id = serializers.IntegerField()
    variation_id = serializers.IntegerField(allow_null=True)
    finish = serializers.CharField(allow_null=True)
    quantity = serializers.IntegerField()
    name = serializers.CharField()
    problem = serializers.CharField(required=False, help_text="Why it can't be bought; the line stays.")
    problem_detail = serializers.CharField(required=False)


class SavedCartSerializer(serializers.Serializer[dict[str, Any]]):
    owner = serializers.CharField(help_text="Names the account to its own browsers.")
    version = serializers.IntegerField()
    lines = SavedLineSerializer(many=True)


@method_decorator(never_cache, name="dispatch")
class SavedCartView(APIView):
    """`GET/PUT /api/cart/saved`: members only, their own only."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(operation_id="saved_cart", responses=SavedCartSerializer)
    def get(self, request: Request) -> Response:
        """The cart and its version."""
        cart = find_saved_cart(cast(User, request.user).pk)
        return Response(SavedCartSerializer(saved_cart_document(cart)).data)

    @extend_schema(
        operation_id="saved_cart_write", request=SavedCartWriteSerializer, responses=SavedCartSerializer
    )
    def put(self, request: Request) -> Response:
        """Write it. 409 `cart_conflict` when it is of another version: the answer's `cart` is that of now."""
        data = validated(SavedCartWriteSerializer(data=request.data))
        try:
            cart = write_saved_cart(
                user_id=cast(User, request.user).pk,
                lines=requested_lines(data["lines"]),
                version=data["version"],
                device=data["device"],
                number=data["number"],
            )
        except CartConflict as conflict:
            conflict.extra["cart"] = SavedCartSerializer(saved_cart_document(conflict.cart)).data
            raise
        return Response(SavedCartSerializer(saved_cart_document(cart)).data)
