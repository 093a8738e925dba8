"""Invoices and credit notes in the admin: read, downloaded, corrected; never changed."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from orders.admin.base import order_link, order_page
from orders.downloads import pdf_response
from orders.models import Invoice, InvoiceDraft, Order
from orders.selectors.invoices import documents_of, find_document
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_admin import StaffAdmin


@admin.register(Invoice)
class InvoiceAdmin(StaffAdmin[Invoice]):
    """The series, newest first, with the totals of what is listed."""

    view_action = StaffAction.SEE_INVOICES
    change_list_template = "admin/orders/invoice/change_list.html"
    list_display = (
        "number_in_one_line",
        "kind",
        "issued_at",
        "order_link",
        "customer",
        "country",
        "total",
        "vat",
        "pdf",
    )
    list_filter = ("kind", "year", "issued_at", "country")
    search_fields = ("number", "order__reference", "order__email", "order__last_name", "order__first_name")
    date_hierarchy = "issued_at"
    list_select_related = ("order",)
    list_per_page = 50
    fields = (
        "number", "kind", "version", "issued_at", "order_link", "customer", "credits", "country", "total", "vat",
        "language", "pdf", "hash", "previous_hash",
    )  # fmt: skip
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("document", "order").defer("document__pdf")

    @admin.display(description=_("numéro"), ordering="number")
    def number_in_one_line(self, invoice: Invoice) -> str:
        return format_html('<span class="nowrap">{}</span>', invoice.number)

    @admin.display(description=_("commande"), ordering="order__reference")
    def order_link(self, invoice: Invoice) -> str:
        return order_link(invoice.order)

    @admin.display(description=_("client"))
    def customer(self, invoice: Invoice) -> str:
        return str(invoice.data["customer"]["name"])

    @admin.display(description=_("document"))
    def pdf(self, invoice: Invoice) -> str:
        if not hasattr(invoice, "document"):
            return str(_("en préparation"))
        return format_html('<a href="{}">PDF</a>', reverse("admin:orders_invoice_pdf", args=[invoice.pk]))

    def get_urls(self) -> list[Any]:
        return [
            path(
                "<int:invoice_id>/document.pdf",
                self.admin_site.admin_view(self.download),
                name="orders_invoice_pdf",
            ),
            *super().get_urls(),
        ]

    def download(self, request: HttpRequest, invoice_id: int) -> HttpResponseBase:
        """The stored PDF, for operators who may see invoices."""
        require(request.user, StaffAction.SEE_INVOICES)
        invoice = Invoice.objects.filter(pk=invoice_id).first()
        if invoice is None:
            raise Http404
        try:
            return pdf_response(request, invoice)
        except Problem as problem:
            messages.warning(request, problem.detail)
            return redirect("admin:orders_invoice_change", invoice_id)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The list, and what everything that the filters let through adds up to."""
        response = super().changelist_view(request, extra_context)
        listed = (response.context_data or {}).get("cl") if isinstance(response, TemplateResponse) else None
        if isinstance(response, TemplateResponse) and isinstance(listed, ChangeList):
            response.context_data = {
                **(response.context_data or {}),
                "sums": listed.queryset.order_by().aggregate(
                    count=Count("pk"), total=Sum("total"), vat=Sum("vat")
                ),
            }
        return response


class InvoiceForm(forms.Form):
    """The parts of an invoice that may be edited."""

    customer_name = forms.CharField(label=_("Nom du client"), max_length=200, required=False)
    customer_address = forms.CharField(
        label=_("Adresse du client"),
        max_length=500,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Vide : le nom et l'adresse de la commande."),
    )
    notes = forms.CharField(
        label=_("Notes"), max_length=1000, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )


class CorrectionForm(InvoiceForm):
    """The same once the invoice is issued: with the reason that both new documents print."""

    explanation = forms.CharField(
        label=_("Explication de la rectification"),
        max_length=500,
        help_text=_("Imprimée sur l'avoir et sur la nouvelle facture, et envoyée au client."),
    )


@order_page("invoice", label=_("Facture"), action=StaffAction.SEE_INVOICES)
def invoice_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """The order's documents, and the form of the invoice to come or of a correction."""
    issued = find_document(order.pk)
    draft = InvoiceDraft.objects.filter(order=order).first()
    initial = {
        "customer_name": draft.customer_name if draft else "",
        "customer_address": draft.customer_address if draft else "",
        "notes": draft.notes if draft else "",
    }
    form_class = CorrectionForm if issued else InvoiceForm
    form = form_class(request.POST or None, initial=initial)
    if request.method == "POST":
        require(request.user, StaffAction.CORRECT_INVOICE)
        if form.is_valid() and _save(request, order, form.cleaned_data):
            return redirect("admin:orders_order_invoice", order.pk)
    return TemplateResponse(
        request,
        "admin/orders/order/invoice.html",
        {
            **context,
            "form": form if may(request.user, StaffAction.CORRECT_INVOICE) else None,
            "issued": issued,
            "credited": issued is not None and issued.credit_notes.exists(),
            "documents": documents_of(order),
        },
    )


def _save(request: HttpRequest, order: Order, values: dict[str, str]) -> bool:
    actor: Any = request.user
    try:
        invoice = edit_invoice(
            order_id=order.pk,
            values=DraftValues(values["customer_name"], values["customer_address"], values["notes"]),
            explanation=values.get("explanation", ""),
            actor=actor,
        )
    except Problem as problem:
        messages.error(request, problem.detail)
        return False
    if invoice is None:
        messages.success(request, _("Brouillon enregistré : la facture l'utilisera."))
    else:
        messages.success(request, _("Facture %(number)s émise.") % {"number": invoice.number})
    return True
