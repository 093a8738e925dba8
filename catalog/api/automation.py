"""`/functions/v1/product-automation`: programs create, change and list products."""

from __future__ import annotations

from typing import Any, cast

from django.core.paginator import EmptyPage, Page, Paginator
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.api.automation_documents import AutomationPage, AutomationProduct, StockPage
from catalog.api.product_fields import ProductFields
from catalog.models import Product
from catalog.selectors.product_documents import (
    own_addresses,
    product_documents,
    stock_documents,
    stock_rows,
)
from catalog.services.product_writing import create_product, update_product
from shop.core.problems import Problem
from shop.core.row_keys import read_key
from shop.core.site import absolute_url
from shop.core.staff_calls import private
from shop.integrations.authentication import ApiKeyAuthentication, opened_by
from shop.integrations.models import Scope
from shop.integrations.repeated_calls import idempotency_key

PAGE_SIZE = 50
STOCK_PAGE_SIZE = 200
_ID = OpenApiParameter("id", int, required=True)


class StockAutomation(APIView):
    """`GET /functions/v1/stock`: the units of every variant on its own number or its product's."""

    authentication_classes = (ApiKeyAuthentication,)
    permission_classes: tuple[type[BasePermission], ...] = (opened_by(get=Scope.READ_STOCK),)

    @extend_schema(
        operation_id="automation_stock_list",
        parameters=[OpenApiParameter("page", int, description="From 1, 200 variants each.")],
        responses=StockPage,
    )
    def get(self, request: Request) -> Response:
        # Three queries.
        page = _page(request, stock_rows(), STOCK_PAGE_SIZE)
        return _answer(request, page, stock_documents(list(page)))


class ProductAutomation(APIView):
    """The specification's endpoint. Its answers are what staff entered, of published and unpublished products."""

    authentication_classes = (ApiKeyAuthentication,)
    permission_classes: tuple[type[BasePermission], ...] = (
        opened_by(get=Scope.READ_PRODUCTS, post=Scope.WRITE_PRODUCTS, put=Scope.WRITE_PRODUCTS),
    )

    @extend_schema(
        operation_id="automation_products_list",
        parameters=[
            OpenApiParameter("page", int, description="From 1, 50 products each, the newest first."),
            OpenApiParameter("id", int, description="Only this product."),
            OpenApiParameter("external_id", str, description="Only the product with this identifier."),
        ],
        responses=AutomationPage,
    )
    def get(self, request: Request) -> Response:
        """All products that are not in the trash, archived ones too."""
        # Eight queries.
        products = Product.objects.filter(trashed_at=None).order_by("-created_at", "-pk")
        if "id" in request.query_params:
            products = products.filter(pk=_number(request, "id"))
        if "external_id" in request.query_params:
            products = products.filter(external_id=request.query_params["external_id"])
        page = _page(request, products.values_list("pk", flat=True), PAGE_SIZE)
        keys = list(page)
        documents = product_documents(keys)
        return _answer(request, page, [documents[key] for key in keys if key in documents])

    @extend_schema(
        operation_id="automation_products_create",
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                str,
                OpenApiParameter.HEADER,
                description="Where there is no `external_id`.",
            )
        ],
        request=ProductFields,
        responses={201: AutomationProduct, 200: AutomationProduct},
    )
    def post(self, request: Request) -> Response:
        """Create a product; 200 with the one that is there for a known `external_id`."""
        fields = ProductFields(data=request.data)
        fields.is_valid(raise_exception=True)
        written = create_product(
            fields=fields.validated_data,
            api_key=request.auth,  # type: ignore[arg-type]
            idempotency_key=idempotency_key(request),
            body=cast(dict[str, Any], request.data),
        )
        return private(_document(written.product_id), 201 if written.is_new else 200)

    @extend_schema(
        operation_id="automation_products_update",
        parameters=[_ID],
        request=ProductFields(partial=True),
        responses=AutomationProduct,
    )
    def put(self, request: Request) -> Response:
        """Change the fields that are given."""
        product_id = _number(request, "id")
        products = Product.objects.select_related("category").prefetch_related("images")
        product = products.filter(pk=product_id, trashed_at=None).first()
        if product is None:
            raise _not_found()
        own = {url for image in product.images.all() for url in own_addresses(image)}
        context = {"own_pictures": own, "own_category": product.category}
        fields = ProductFields(data=request.data, partial=True, context=context)
        fields.is_valid(raise_exception=True)
        update_product(product_id=product_id, fields=fields.validated_data, api_key=request.auth)  # type: ignore[arg-type]
        return private(_document(product_id))


def _document(product_id: int) -> dict[str, Any]:
    """The answer about one product. Raises Problem 404 where somebody deleted it meanwhile."""
    document = product_documents([product_id]).get(product_id)
    if document is None:
        raise _not_found()
    return document


def _not_found() -> Problem:
    return Problem("not_found", _("Produit introuvable"), 404)


def _number(request: Request, name: str, default: str = "") -> int:
    """Return a parameter of the address. Raises Problem 400 for what is no number of a row or page."""
    number = read_key(request.query_params.get(name, default))
    if number is None:
        refusal = _("Un nombre entier est attendu.")
        raise Problem("invalid", refusal, errors={name: [refusal]})
    return number


def _page(request: Request, rows: QuerySet[Any, Any], size: int) -> Page[Any]:
    """Return the page that the address names. Raises Problem 404 for one that is not there; the first one always is."""
    try:
        return Paginator(rows, size).page(_number(request, "page", "1"))
    except EmptyPage as error:
        raise Problem("unknown_page", _("Cette page n'existe pas."), 404) from error


def _answer(request: Request, page: Page[Any], results: list[dict[str, Any]]) -> Response:
    return private(
        {
            "count": page.paginator.count,
            "next": _link(request, page.next_page_number()) if page.has_next() else None,
            "previous": _link(request, page.previous_page_number()) if page.has_previous() else None,
            "results": results,
        }
    )


def _link(request: Request, page: int) -> str:
    return absolute_url(f"{request.path}?page={page}")
