"""The favourites' API: members only, their own only. Those of guests are stored in the browser."""

from __future__ import annotations

from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.selectors.favourites import MAX_FAVOURITES, favourite_ids
from catalog.services.favourites import add_favourite, remove_favourite, replace_favourites
from shop.core.parsers import StrictJSONListParser
from shop.core.row_keys import ROW_KEY

# Keys of products, the latest favourite first. Every call takes or returns the list itself: `[12, 3]`.
_IDS = serializers.ListField(child=serializers.IntegerField(**ROW_KEY), max_length=MAX_FAVOURITES)


@method_decorator(never_cache, name="dispatch")
class FavouriteList(APIView):
    """`GET/PUT /api/favourites`."""

    permission_classes = (IsAuthenticated,)
    parser_classes = (StrictJSONListParser,)

    @extend_schema(operation_id="favourites_list", responses=list[int])
    def get(self, request: Request) -> Response:
        """What the member keeps and that is on sale."""
        return Response(favourite_ids(_member(request)))

    @extend_schema(operation_id="favourites_replace", request=list[int], responses=list[int])
    def put(self, request: Request) -> Response:
        """Keep these products and no others; those that are not on sale are left out of the answer."""
        product_ids = _IDS.run_validation(request.data)
        return Response(
            replace_favourites(
                user_id=_member(request),
                product_ids=product_ids,
                language=get_language() or "",
            )
        )


@method_decorator(never_cache, name="dispatch")
class FavouriteOne(APIView):
    """`PUT/DELETE /api/favourites/{product_id}`: safe to repeat; both answer with all favourites."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(operation_id="favourite_add", request=None, responses=list[int])
    def put(self, request: Request, product_id: str) -> Response:
        """Keep a product."""
        return Response(
            add_favourite(user_id=_member(request), product_id=int(product_id), language=get_language() or "")
        )

    @extend_schema(operation_id="favourite_remove", responses={200: list[int]})
    def delete(self, request: Request, product_id: str) -> Response:
        """Keep a product no longer."""
        return Response(remove_favourite(user_id=_member(request), product_id=int(product_id)))


def _member(request: Request) -> int:
    assert request.user.pk is not None
    return int(request.user.pk)
