"""Products for staff: the list, one product, and what is done to it. Texts by language, prices, promotion, stock."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.api.staff_serializers import (
    AdminProductPageSerializer,
    AdminProductSerializer,
    values_of,
)
from catalog.models import Product
from catalog.selectors import staff_products
from catalog.selectors.categories import category_key
from catalog.selectors.staff_products import MOST_A_PAGE, PAGE_SIZE, ProductQuery, State
from catalog.services.product_copies import duplicate_product
from catalog.services.product_removal import (
    archive_products,
    delete_trashed,
    restore_products,
    trash_products,
    unarchive_products,
)
from catalog.services.product_rights import actions_for
from catalog.services.staff_products import change_product, create_product
from shop.core.problems import Problem
from shop.core.row_keys import read_key
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_calls import allowed, next_address, private, staff_actor
from shop.integrations.repeated_calls import make_once_for_staff

MOST_PAGES = 100_000


class ProductSearchSerializer(serializers.Serializer[Any]):
    """What a list and its CSV file are asked for."""

    search = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    category = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")
    state = serializers.ChoiceField(
        choices=State.values, required=False, allow_blank=True, default=State.CURRENT
    )
    ordering = serializers.ChoiceField(
        choices=[*staff_products.ORDERS, "-created_at", "created_at"],
        required=False,
        allow_blank=True,
        default=staff_products.DEFAULT_ORDER,
    )


class ProductListSerializer(ProductSearchSerializer):
    page = serializers.IntegerField(min_value=1, max_value=MOST_PAGES, required=False, default=1)
    page_size = serializers.IntegerField(
        min_value=1, max_value=MOST_A_PAGE, required=False, default=PAGE_SIZE
    )
    cursor = serializers.CharField(max_length=600, required=False, allow_blank=True, default="")


def query_of(asked: dict[str, Any]) -> ProductQuery:
    """What was asked for, as the selector takes it. Raises `Problem` (404 `unknown_category`)."""
    slug = asked["category"]
    category = None
    if slug:
        # « 151 » is an address first: such a collection is found by it too.
        category = category_key(slug) or read_key(slug)
        if category is None:
            raise Problem("unknown_category", _("Cette catégorie n'existe pas."), 404)
    ordering = {"-created_at": "newest", "created_at": "oldest", "": "newest"}.get(
        asked["ordering"], asked["ordering"]
    )
    return ProductQuery(asked["search"], category, asked["state"] or State.CURRENT, ordering)


class AdminProductListView(APIView):
    """The staff's products: those in the archive and the trash only when `state` asks for them."""

    permission_classes = (allowed(get=StaffAction.SEE_PRODUCTS, post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_products_list",
        parameters=[ProductListSerializer],
        responses=AdminProductPageSerializer,
    )
    def get(self, request: Request) -> Response:
        """A page after `cursor`, else by number."""
        # Four queries at most.
        form = ProductListSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        found = staff_products.find_products(
            query_of(asked), cursor=asked["cursor"], number=asked["page"], size=asked["page_size"]
        )
        kept = {name: asked[name] for name in asked if name in request.query_params and asked[name] != ""}
        kept.pop("cursor", None)
        number = kept.pop("page", 1)
        by_number = not asked["cursor"] and number > 1
        answer = {
            "count": found.count,
            "next": next_address(request, kept, found.next_cursor),
            "previous": f"{request.path}?{urlencode({**kept, 'page': number - 1})}" if by_number else None,
            "next_cursor": found.next_cursor or None,
            "results": found.products,
        }
        return private(AdminProductPageSerializer(answer).data)

    @extend_schema(
        operation_id="admin_products_create",
        request=AdminProductSerializer,
        responses={201: AdminProductSerializer},
    )
    def post(self, request: Request) -> Response:
        """A new product, published unless `is_published` says otherwise; once per `Idempotency-Key`."""
        form = AdminProductSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        values = values_of(form)
        for name in ("expected_updated_at", "seen_stock_quantity", "confirmed_texts"):
            values.pop(name, None)
        require_fields(request, values)
        made = make_once_for_staff(
            request,
            body=request.data,
            make=lambda: create_product(values=values, actor=staff_actor(request)).pk,
        )
        return private(full(made.subject_id), 201)


class AdminProductView(APIView):
    """One product, whether it is on sale, archived or in the trash."""

    permission_classes = (
        allowed(
            get=StaffAction.SEE_PRODUCTS, patch=StaffAction.EDIT_STOCK, delete=StaffAction.DELETE_PRODUCT
        ),
    )

    @extend_schema(operation_id="admin_products_retrieve", responses=AdminProductSerializer)
    def get(self, request: Request, product_id: str) -> Response:
        return private(full(int(product_id)))

    @extend_schema(
        operation_id="admin_products_update",
        request=AdminProductSerializer,
        responses=AdminProductSerializer,
    )
    def patch(self, request: Request, product_id: str) -> Response:
        """Changes the fields that are sent. 409 `conflict` with the fresh product as `current`."""
        pk = int(product_id)
        stored = found_product(pk)
        form = AdminProductSerializer(stored, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        values = values_of(form)
        expected = values.pop("expected_updated_at", None)
        confirmed = values.pop("confirmed_texts", ())
        seen = (
            {"stock_quantity": values.pop("seen_stock_quantity")} if "seen_stock_quantity" in values else {}
        )
        require_fields(request, values, confirmed)
        try:
            change_product(
                product_id=pk,
                values=values,
                actor=staff_actor(request),
                expected_updated_at=expected,
                seen=seen if "stock_quantity" in values else None,
                confirmed_texts=confirmed,
            )
        except Product.DoesNotExist:
            raise product_not_found() from None
        except Problem as problem:
            if problem.code == "conflict":
                problem.extra["current"] = full(pk)
            raise
        return private(full(pk))

    @extend_schema(operation_id="admin_products_destroy", responses={204: None})
    def delete(self, request: Request, product_id: str) -> Response:
        """Moves it to the trash, where it stays for 30 days; with `?permanently=true` one of the trash is deleted."""
        pk = int(product_id)
        found_product(pk)
        if request.query_params.get("permanently") == "true":
            try:
                delete_trashed(product_id=pk, actor=staff_actor(request))
            except Product.DoesNotExist:
                raise product_not_found() from None
        else:
            trash_products(product_ids=[pk], actor=staff_actor(request))
        return Response(status=204)


class AdminProductActionView(APIView):
    """`archive`, `unarchive`, `restore` (from the trash): the product as it is afterwards. Repeated, it changes
    nothing more."""

    permission_classes = (allowed(post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(operation_id="admin_products_action", request=None, responses=AdminProductSerializer)
    def post(self, request: Request, product_id: str, action: str) -> Response:
        run = {"archive": archive_products, "unarchive": unarchive_products, "restore": restore_products}
        if action == "restore":
            require(request.user, StaffAction.DELETE_PRODUCT)
        found_product(int(product_id))
        run[action](product_ids=[int(product_id)], actor=staff_actor(request))
        return private(full(int(product_id)))


class ProductCopySerializer(serializers.Serializer[Any]):
    with_photos = serializers.BooleanField(default=False)


class AdminProductCopyView(APIView):
    """A copy that is not published: texts, prices, formats and measures, photos if they are asked for, no stock. Made
    once per `Idempotency-Key`."""

    permission_classes = (allowed(post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_products_duplicate",
        request=ProductCopySerializer,
        responses={201: AdminProductSerializer},
    )
    def post(self, request: Request, product_id: str) -> Response:
        require(request.user, StaffAction.EDIT_PRICES)
        sent = ProductCopySerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with_photos = sent.validated_data["with_photos"]
        try:
            made = make_once_for_staff(
                request,
                body={"copy_of": product_id, "with_photos": with_photos},
                make=lambda: (
                    duplicate_product(
                        product_id=int(product_id), actor=staff_actor(request), with_photos=with_photos
                    ).pk
                ),
            )
        except Product.DoesNotExist:
            raise product_not_found() from None
        return private(full(made.subject_id), 201)


def full(product_id: int) -> Any:
    """The answer about one product. Raises `Problem` (404)."""
    product = staff_products.staff_product(product_id)
    if product is None:
        raise product_not_found()
    return AdminProductSerializer(product).data


def found_product(product_id: int) -> Product:
    """The row. Raises `Problem` (404)."""
    product = Product.objects.select_related("category").filter(pk=product_id).first()
    if product is None:
        raise product_not_found()
    return product


def product_not_found() -> Problem:
    """The refusal of a product that does not exist."""
    return Problem("not_found", _("Produit introuvable"), 404)


def require_fields(request: Request, *names: Any) -> None:
    """Raise PermissionDenied unless the person may change all of these fields."""
    for action in sorted(actions_for(name for several in names for name in several)):
        require(request.user, action)
