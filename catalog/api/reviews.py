"""`GET/POST /api/products/{id}/reviews`."""

from __future__ import annotations

from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.models import Product
from catalog.selectors.reviews import product_reviews
from catalog.services.reviews import author_name, submit_review
from shop.core.problems import Problem

MAX_SHOWN = 50


class ReviewQuery(serializers.Serializer[Any]):
    """Where the list begins."""

    start = serializers.IntegerField(required=False, default=0, min_value=0, max_value=1_000_000)


class ReviewPublished(serializers.Serializer[Any]):
    """A published review, with the two dates that the law asks for."""

    id = serializers.IntegerField()
    rating = serializers.IntegerField()
    title = serializers.CharField()
    text = serializers.CharField()
    author = serializers.CharField()
    language = serializers.CharField()
    experience_date = serializers.DateField()
    published_at = serializers.DateTimeField()
    demonstration = serializers.BooleanField()


class ReviewList(serializers.Serializer[Any]):
    """`count` and `average` are of real reviews; those of the demonstration are listed and not counted."""

    count = serializers.IntegerField()
    average = serializers.DecimalField(max_digits=3, decimal_places=2, allow_null=True)
    results = ReviewPublished(many=True)


class ReviewRequest(serializers.Serializer[Any]):
    """What a buyer writes."""

    rating = serializers.IntegerField(min_value=1, max_value=5)
    title = serializers.CharField(max_length=1000)
    text = serializers.CharField(max_length=10_000)


class ReviewReceived(serializers.Serializer[Any]):
    """Shown after moderation only."""

    id = serializers.IntegerField()
    state = serializers.CharField()


class ProductReviews(APIView):
    """Reviews of one product."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(operation_id="reviews_list", parameters=[ReviewQuery], responses=ReviewList)
    def get(self, request: Request, product_id: str) -> Response:
        """Published reviews, the latest first, at most 50."""
        # Two queries.
        query = ReviewQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        product = Product.objects.filter(pk=int(product_id), is_published=True).first()
        if product is None:
            raise Problem("not_found", _("Produit introuvable"), 404)
        document = {
            "count": product.rating_count,
            "average": product.rating_average,
            "results": product_reviews(product.pk, limit=MAX_SHOWN, start=query.validated_data["start"]),
        }
        return Response(ReviewList(document).data)

    @extend_schema(operation_id="review_write", request=ReviewRequest, responses={201: ReviewReceived})
    def post(self, request: Request, product_id: str) -> Response:
        """Write a review: buyers of the product, once."""
        serializer = ReviewRequest(data=request.data)
        serializer.is_valid(raise_exception=True)
        assert request.user.pk is not None
        review = submit_review(
            user_id=request.user.pk,
            author_name=author_name(request.user),
            product_id=int(product_id),
            language=get_language() or "",
            **serializer.validated_data,
        )
        return Response(ReviewReceived({"id": review.pk, "state": review.state}).data, status=201)
