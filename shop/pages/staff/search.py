"""`/admin/recherche`: one search over everything staff look for, by page and by call."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import allowed
from shop.core.staff_pages import staff_page
from shop.pages.selectors.staff_search import search_staff

LONGEST_QUERY = 100


@staff_page(StaffAction.SEE_ORDERS)
def staff_search(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "")[:LONGEST_QUERY]
    return render(request, "staff/search.html", {"query": text, "found": search_staff(text, request.user)})


class StaffQuery(serializers.Serializer[Any]):
    q = serializers.CharField(max_length=LONGEST_QUERY, allow_blank=True, trim_whitespace=True)


class StaffHitSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    url = serializers.CharField()


class StaffHitsSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    hits = StaffHitSerializer(many=True)


class StaffFound(serializers.Serializer[Any]):
    results = StaffHitsSerializer(many=True)


@method_decorator(never_cache, name="dispatch")
class StaffSearchApi(APIView):
    """What staff look for while they type."""

    permission_classes = (allowed(get=StaffAction.SEE_ORDERS),)

    @extend_schema(operation_id="admin_search", parameters=[StaffQuery], responses=StaffFound)
    def get(self, request: Request) -> Response:
        asked = StaffQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = search_staff(asked.validated_data["q"], request.user)
        return Response(StaffFound({"results": found}).data)
