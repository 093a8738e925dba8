"""`GET /api/search/suggestions`: what a search box proposes while somebody types."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.api.products import Money, ProductPicture, summaries
from catalog.selectors.suggestions import Suggestions, suggest
from catalog.selectors.vocabulary import clean_query
from shop.core import limits
from shop.core.boundaries import seconds_to_boundary
from shop.core.client_address import client_address
from shop.core.content_version import content_version

CACHE_SECONDS = 60


class SuggestionQuery(serializers.Serializer[Any]):
    q = serializers.CharField(
        required=False, default="", allow_blank=True, trim_whitespace=False, max_length=10_000
    )


class SuggestedProduct(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    url = serializers.CharField()
    category = serializers.CharField()
    price_from = Money()
    image = ProductPicture(allow_null=True)


class SuggestedLink(serializers.Serializer[Any]):
    name = serializers.CharField()
    url = serializers.CharField()


class SearchSuggestions(serializers.Serializer[Any]):
    """At most six products and three links. `corrected` is what the words were taken for, or empty; `summary` is the
    number of results as a sentence; `url` is the page of all of them."""

    products = SuggestedProduct(many=True)
    links = SuggestedLink(many=True)
    corrected = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField()
    capped = serializers.BooleanField()
    summary = serializers.CharField()
    url = serializers.CharField()


class SuggestionList(APIView):
    """`GET /api/search/suggestions`: at most ten queries."""

    # The same for everybody, so that it can be cached.
    authentication_classes = ()

    @extend_schema(
        operation_id="search_suggestions", parameters=[SuggestionQuery], responses=SearchSuggestions
    )
    def get(self, request: Request) -> Response:
        """What matches the text typed so far, the best first; nothing for less than two letters."""
        limits.enforce(limits.SUGGESTION_NETWORK, client_address(request._request))
        query = SuggestionQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        since = timezone.now()
        found = suggest(clean_query(query.validated_data["q"]))
        document = {
            "products": summaries(list(found.products)),
            "links": [{"name": link.name, "url": link.url} for link in found.links],
            "corrected": found.corrected,
            "count": found.count,
            "capped": found.capped,
            "summary": _summary(found),
            "url": found.url,
        }
        response = Response(SearchSuggestions(document).data)
        version = content_version()
        seconds = 0 if version is None else seconds_to_boundary(since, version, most=CACHE_SECONDS)
        patch_cache_control(response, public=True, max_age=max(0, int(seconds)))
        patch_vary_headers(response, ["Accept-Language"])
        return response


def _summary(found: Suggestions) -> str:
    if found.capped:
        return _("Plus de %(number)d figurines") % {"number": found.count}
    return ngettext("%(number)d figurine", "%(number)d figurines", found.count) % {"number": found.count}
