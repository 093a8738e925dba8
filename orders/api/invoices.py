"""Invoices: the PDF for its customer and for staff, and the values that staff may edit."""

import uuid
from typing import Any, cast

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.api.base import ORDER_ID, order_not_found, validated
from orders.api.fields import CompanyNumberField, ParagraphField, PlainTextField
from orders.downloads import contract_response, pdf_response
from orders.guest_orders import browser_owns
from orders.models import Contract, Order
from orders.selectors.invoices import InvoiceSheet, find_document, invoice_sheet
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private

DOCUMENT_PARAMETERS = [
    ORDER_ID,
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


class OrderContractView(APIView):
    """The contract's PDF, for the same callers as the invoice's, and for who may see invoices."""

    @extend_schema(
        parameters=[
            ORDER_ID,
            OpenApiParameter("download", str, description="Present: saved to a file instead of shown."),
            OpenApiParameter("acces", str, description="The order's signed link."),
        ],
        responses={(200, "application/pdf"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, order_id: uuid.UUID) -> HttpResponseBase:
        contract = Contract.objects.filter(order_id=order_id).select_related("order").first()
        if contract is None or not (
            browser_owns(request._request, contract.order, request.query_params.get("acces", ""))
            or may(request.user, StaffAction.SEE_INVOICES)
        ):
            raise document_not_found()
        return contract_response(request._request, contract)


def wanted_number(request: Request) -> str:
    """The document that the address names; what can't be a number is one that nobody has."""
    number = request.query_params.get("number", "")
    return number if len(number) <= MAX_NUMBER and number.isprintable() else "-"


def document_not_found() -> Problem:
    """Return the answer for a document that does not exist, or not for this caller."""
    return Problem("not_found", _("Document introuvable."), 404)


class InvoiceValuesSerializer(KnownFieldsSerializer):
    """What may be edited. `explanation` is needed once the invoice is issued: a correction is a credit note and a new
    invoice, and both print it."""

    customerName = PlainTextField(max_length=200, required=False, allow_blank=True, default="")  # noqa: N815
    customerAddress = ParagraphField(max_length=500, required=False, allow_blank=True, default="")  # noqa: N815
    customerNumber = CompanyNumberField()  # noqa: N815
    notes = ParagraphField(max_length=1000, required=False, allow_blank=True, default="")
    explanation = PlainTextField(max_length=500, required=False, allow_blank=True, default="")


class InvoiceItemSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    quantity = serializers.IntegerField()
    price = serializers.DecimalField(max_digits=10, decimal_places=2)


class InvoiceSheetSerializer(serializers.Serializer[InvoiceSheet]):
    """An order's invoice as it was issued, or as it would be; `number` is null before."""

    number = serializers.CharField(allow_null=True)
    version = serializers.IntegerField()
    invoiceNumber = serializers.CharField(source="invoice_reference")  # noqa: N815
    invoiceDate = serializers.DateField(source="issued_on", allow_null=True)  # noqa: N815
    dueDate = serializers.DateField(source="due_on", allow_null=True)  # noqa: N815
    customerName = serializers.CharField(source="customer_name")  # noqa: N815
    customerEmail = serializers.CharField(source="customer_email")  # noqa: N815
    customerAddress = serializers.CharField(source="customer_address")  # noqa: N815
    customerNumber = serializers.CharField(source="customer_number")  # noqa: N815
    items = InvoiceItemSerializer(many=True)
    subtotal = serializers.DecimalField(max_digits=10, decimal_places=2)
    shipping = serializers.DecimalField(max_digits=10, decimal_places=2)
    total = serializers.DecimalField(max_digits=10, decimal_places=2)
    notes = serializers.CharField()
    url = serializers.CharField(allow_null=True)


class AdminInvoicePdfView(APIView):
    """Any document of any order."""

    permission_classes = (allowed(get=StaffAction.SEE_INVOICES),)

    @extend_schema(parameters=DOCUMENT_PARAMETERS, responses={(200, "application/pdf"): OpenApiTypes.BINARY})
    def get(self, request: Request, order_id: uuid.UUID) -> HttpResponseBase:
        invoice = find_document(order_id, wanted_number(request))
        if invoice is None:
            raise document_not_found()
        return pdf_response(request._request, invoice)


class AdminInvoiceView(APIView):
    """The invoice's values: read, edited before it is issued, corrected afterwards."""

    permission_classes = (allowed(get=StaffAction.SEE_INVOICES, post=StaffAction.CORRECT_INVOICE),)

    @extend_schema(responses=InvoiceSheetSerializer, parameters=[ORDER_ID])
    def get(self, request: Request, order_id: uuid.UUID) -> Response:
        return private(_sheet(order_id))

    @extend_schema(request=InvoiceValuesSerializer, responses=InvoiceSheetSerializer, parameters=[ORDER_ID])
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        values = validated(InvoiceValuesSerializer(data=request.data))
        try:
            edit_invoice(
                order_id=order_id,
                values=DraftValues(
                    customer_name=values["customerName"],
                    customer_address=values["customerAddress"],
                    customer_number=values["customerNumber"],
                    notes=values["notes"],
                ),
                explanation=values["explanation"],
                actor=cast(User, request.user),
            )
        except Order.DoesNotExist:
            raise order_not_found() from None
        return private(_sheet(order_id))


def _sheet(order_id: uuid.UUID) -> dict[str, Any]:
    sheet = invoice_sheet(order_id)
    if sheet is None:
        raise order_not_found()
    return cast(dict[str, Any], InvoiceSheetSerializer(sheet).data)
