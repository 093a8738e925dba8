"""`/admin/recherche`: one search over screens and everything staff look for, by page and by call."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shop.core.searching import folded
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_calls import allowed
from shop.core.staff_pages import staff_page
from shop.pages.selectors.staff_search import (
    MOST_OF_A_KIND,
    SHORTEST_QUERY,
    StaffHit,
    StaffHits,
    search_staff,
)
from shop.pages.staff.settings import OTHERS
from shop.pages.staff_navigation import GROUPS

LONGEST_QUERY = 100


@staff_page(StaffAction.SEE_ORDERS)
def staff_search(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "")[:LONGEST_QUERY]
    return render(request, "staff/search.html", {"query": text, "found": _search(text, request.user)})


def _search(text: str, user: AbstractBaseUser | AnonymousUser) -> list[StaffHits]:
    """Return the screens whose name holds the words, then what `search_staff` finds."""
    wanted = folded(text.strip())
    if len(wanted) < SHORTEST_QUERY:
        return []
    screens = [(page.view_name, page.label, title, page.action) for title, pages in GROUPS for page in pages]
    screens += [(view, label, detail, StaffAction.SEE_SETTINGS) for view, label, detail in OTHERS]
    hits = tuple(
        StaffHit(label, detail, reverse(view))
        for view, label, detail, action in screens
        if wanted in folded(label) and may(user, action)
    )
    found = [StaffHits("screens", "Écrans", hits[:MOST_OF_A_KIND])] if hits else []
    return [*found, *search_staff(text, user)]


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
        found = _search(asked.validated_data["q"], request.user)
        return Response(StaffFound({"results": found}).data)
