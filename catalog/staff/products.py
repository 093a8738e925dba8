"""The staff's pages of products: the list, the form, the import of a file."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django_countries import countries
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.islands import (
    StaffPicturesProps,
    StaffProductFormProps,
    StaffProductImportProps,
    StaffProductsProps,
    StaffVariantsProps,
)
from catalog.models import PromotionType, SafetyClass
from catalog.selectors.category_rows import all_categories
from catalog.selectors.staff_products import staff_product
from catalog.services.product_import import MOST_LINES
from catalog.services.product_removal import TRASH_DAYS
from catalog.services.staff_products import MOST_AT_ONCE
from shop.core.assets import asset, island_file
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_calls import allowed
from shop.core.staff_pages import staff_page


class InPlaceAnswer(serializers.Serializer[Any]):
    """Addresses of what is fetched, and what the form is given."""

    script = serializers.CharField()
    styles = serializers.CharField()
    props = StaffProductFormProps()


@staff_page(StaffAction.SEE_PRODUCTS)
def product_list(request: HttpRequest) -> HttpResponse:
    """Every product: found, marked, changed several at once."""
    props = StaffProductsProps({**_shared(request), "trash_days": TRASH_DAYS, "most_at_once": MOST_AT_ONCE})
    return render(request, "staff/products/list.html", {"props": props, "rights": _rights(request.user)})


@staff_page(StaffAction.EDIT_PRODUCT)
def product_new(request: HttpRequest) -> HttpResponse:
    """An empty form."""
    return _form(request, None)


@staff_page(StaffAction.SEE_PRODUCTS)
def product_edit(request: HttpRequest, product_id: int) -> HttpResponse:
    """The form of one product, also of the archive and the trash."""
    return _form(request, product_id)


@staff_page(StaffAction.EDIT_PRODUCT)
def product_import(request: HttpRequest) -> HttpResponse:
    """A file, what it would change, and the button that does it."""
    props = StaffProductImportProps({"most_lines": MOST_LINES})
    return render(request, "staff/products/import.html", {"props": props})


def _form(request: HttpRequest, product_id: int | None) -> HttpResponse:
    product = None if product_id is None else staff_product(product_id)
    if product_id is not None and product is None:
        raise Http404
    context: dict[str, Any] = {
        "props": _form_props(request, product_id),
        "product": product,
        "is_new": "cree" in request.GET,
        "is_restored": "restaure" in request.GET,
    }
    if product is not None and product.trashed_at is None:
        rights = _rights(request.user)
        context |= {
            "pictures": StaffPicturesProps({"product_id": product.pk, "can_edit": rights["edit"]}),
            "variants": StaffVariantsProps({"product_id": product.pk, "rights": rights}),
        }
    return render(request, "staff/products/edit.html", context)


@method_decorator(never_cache, name="dispatch")
class InPlaceView(APIView):
    """What the product's public page needs to become its form, for whoever may change it: the page itself is the same
    for everybody and names none of it."""

    permission_classes = (allowed(get=StaffAction.EDIT_PRODUCT),)

    @extend_schema(operation_id="admin_products_in_place", responses=InPlaceAnswer)
    def get(self, request: Request, product_id: str) -> Response:
        if staff_product(int(product_id)) is None:
            raise Http404
        answer = {
            "script": island_file("staff-in-place").url,
            "styles": asset("staff.css").url,
            "props": _form_props(request, int(product_id)).data,
        }
        return Response(InPlaceAnswer(answer).data)


def _form_props(request: HttpRequest | Request, product_id: int | None) -> StaffProductFormProps:
    return StaffProductFormProps(
        {
            **_shared(request),
            "product_id": product_id,
            "countries": [{"code": code, "name": str(name)} for code, name in countries],
            "safety_classes": [{"code": code, "label": str(label)} for code, label in SafetyClass.choices],
            "trash_days": TRASH_DAYS,
        }
    )


def _shared(request: HttpRequest | Request) -> dict[str, Any]:
    return {
        "categories": [
            {"id": row.pk, "name": row.name, "slug": row.slug, "offers_finishes": row.offers_finishes}
            for row in all_categories()
        ],
        "promotion_types": [{"code": code, "label": str(label)} for code, label in PromotionType.choices],
        "rights": _rights(request.user),
    }


def _rights(user: AbstractBaseUser | AnonymousUser) -> dict[str, bool]:
    return {
        "edit": may(user, StaffAction.EDIT_PRODUCT),
        "prices": may(user, StaffAction.EDIT_PRICES),
        "stock": may(user, StaffAction.EDIT_STOCK),
        "remove": may(user, StaffAction.DELETE_PRODUCT),
        "history": may(user, StaffAction.SEE_PRICES),
    }
