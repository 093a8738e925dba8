"""Invoices and credit notes for operators: the series with its hashes."""

from django.contrib import admin
from django.urls import reverse

from orders.admin.base import LinksOrder, StaffPageAdmin
from orders.models import Invoice
from shop.core.staff_actions import StaffAction


@admin.register(Invoice)
class InvoiceAdmin(LinksOrder, StaffPageAdmin[Invoice]):
    view_action = StaffAction.SEE_INVOICES
    list_display = ("number", "kind", "issued_at", "order_link", "country", "total", "vat")
    list_filter = ("kind", "year", "issued_at", "country")
    search_fields = ("number", "order__reference", "order__email", "order__last_name", "order__first_name")
    date_hierarchy = "issued_at"
    list_select_related = ("order",)
    list_per_page = 50
    fields = (
        "number", "kind", "version", "issued_at", "order_link", "credits", "country", "total", "vat", "language",
        "hash", "previous_hash",
    )  # fmt: skip
    readonly_fields = fields

    def staff_url(self, invoice: Invoice) -> str:
        return reverse("staff-invoices", query={"q": invoice.number})
