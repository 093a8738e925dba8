"""The invoice of an order, for its customer."""

import uuid

from django.http.response import HttpResponseBase
from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from orders.downloads import pdf_response
from orders.guest_orders import browser_owns
from orders.models import Order
from orders.selectors.invoices import find_document
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may

DOCUMENT_PARAMETERS = [
    OpenApiParameter("order_id", OpenApiTypes.UUID, OpenApiParameter.PATH),
    OpenApiParameter(
        "number", str, description="Another document of the order: a credit note, an older version."
    ),
    OpenApiParameter("download", str, description="Present: saved to a file instead of shown."),
]
MAX_NUMBER = 20


class OrderInvoiceView(APIView):
    """The PDF, for the member, the browser that ordered, who holds the order's signed link, and who may see
    invoices.

    For anybody else the order does not exist.
    """

    @extend_schema(
        parameters=[
            *DOCUMENT_PARAMETERS,
            OpenApiParameter("acces", str, description="The order's signed link."),
        ],
        responses={(200, "application/pdf"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, order_id: uuid.UUID) -> HttpResponseBase:
        invoice = find_document(order_id, wanted_number(request))
        if invoice is None or not self._may_read(request, invoice.order):
            raise document_not_found()
        return pdf_response(request._request, invoice)

    def _may_read(self, request: Request, order: Order) -> bool:
        if browser_owns(request._request, order, request.query_params.get("acces", "")):
            return True
        return may(request.user, StaffAction.SEE_INVOICES)


def wanted_number(request: Request) -> str:
    """The document that the address names; what can't be a number is one that nobody has."""
    number = request.query_params.get("number", "")
    return number if len(number) <= MAX_NUMBER and number.isprintable() else "-"


def document_not_found() -> Problem:
    return Problem("not_found", _("Document introuvable."), 404)


urlpatterns = [
    path("orders/<uuid:order_id>/invoice.pdf", OrderInvoiceView.as_view(), name="api-order-invoice"),
]
