"""Reconciliation's discrepancies and the ledger for operators."""

from django.contrib import admin
from django.urls import reverse

from orders.admin.base import LinksOrder, StaffPageAdmin
from orders.models import Discrepancy, LedgerEntry
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, YesNoFilter


@admin.register(Discrepancy)
class DiscrepancyAdmin(LinksOrder, StaffPageAdmin[Discrepancy]):
    view_action = StaffAction.SEE_BOOKS
    list_display = ("found_at", "kind", "amount", "provider_id", "order_link", "detail", "resolved_at")
    list_filter = (("resolved_at", YesNoFilter), "kind", "found_at")
    search_fields = ("provider_id", "order__reference", "detail")
    list_select_related = ("order",)

    def staff_url(self, discrepancy: Discrepancy) -> str:
        return reverse("staff-discrepancies", query={"q": discrepancy.provider_id})


@admin.register(LedgerEntry)
class LedgerAdmin(StaffAdmin[LedgerEntry]):
    """Every movement of money, in the order in which it happened."""

    view_action = StaffAction.SEE_BOOKS
    list_display = ("occurred_at", "order", "kind", "amount", "provider_id", "created_at")
    list_filter = ("kind", "occurred_at")
    search_fields = ("order__reference", "provider_id")
    list_select_related = ("order",)
