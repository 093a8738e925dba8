"""Invoices for administrators: the PDF, and the values that may be edited."""

import uuid
from typing import Any, cast

from django.http.response import HttpResponseBase
from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.permissions import allowed
from orders.api.exchange import private
from orders.api.invoices import DOCUMENT_PARAMETERS, document_not_found, wanted_number
from orders.api.serializers import ParagraphField, PlainTextField
from orders.downloads import pdf_response
from orders.models import Order
from orders.selectors.invoices import InvoiceSheet, find_document, invoice_sheet
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction


class InvoiceValuesSerializer(serializers.Serializer[Any]):
    """What may be edited. `explanation` is needed once the invoice is issued: a correction is a credit note and a new
    invoice, and both print it."""

    customerName = PlainTextField(max_length=200, required=False, allow_blank=True, default="")  # noqa: N815
    customerAddress = ParagraphField(max_length=500, required=False, allow_blank=True, default="")  # noqa: N815
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
    items = InvoiceItemSerializer(many=True)
    subtotal = serializers.DecimalField(max_digits=10, decimal_places=2)
    shipping = serializers.DecimalField(max_digits=10, decimal_places=2)
    total = serializers.DecimalField(max_digits=10, decimal_places=2)
    notes = serializers.CharField()
    url = serializers.CharField(allow_null=True)


_ORDER = OpenApiParameter("order_id", OpenApiTypes.UUID, OpenApiParameter.PATH)


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

    @extend_schema(responses=InvoiceSheetSerializer, parameters=[_ORDER])
    def get(self, request: Request, order_id: uuid.UUID) -> Response:
        return private(Response(_sheet(order_id)))

    @extend_schema(request=InvoiceValuesSerializer, responses=InvoiceSheetSerializer, parameters=[_ORDER])
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        form = InvoiceValuesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        values = form.validated_data
        try:
            edit_invoice(
                order_id=order_id,
                values=DraftValues(values["customerName"], values["customerAddress"], values["notes"]),
                explanation=values["explanation"],
                actor=cast(User, request.user),
            )
        except Order.DoesNotExist:
            raise Problem("not_found", _("Commande introuvable."), 404) from None
        return private(Response(_sheet(order_id)))


def _sheet(order_id: uuid.UUID) -> dict[str, Any]:
    sheet = invoice_sheet(order_id)
    if sheet is None:
        raise Problem("not_found", _("Commande introuvable."), 404)
    return cast(dict[str, Any], InvoiceSheetSerializer(sheet).data)


urlpatterns = [
    path(
        "admin/orders/<uuid:order_id>/invoice.pdf",
        AdminInvoicePdfView.as_view(),
        name="api-admin-order-invoice-pdf",
    ),
    path("admin/orders/<uuid:order_id>/invoice", AdminInvoiceView.as_view(), name="api-admin-order-invoice"),
]
