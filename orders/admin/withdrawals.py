"""Withdrawals for operators: rows to search; the staff area deals with them."""

from django.contrib import admin
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from orders.admin.base import LinksOrder, StaffPageAdmin
from orders.models import WithdrawalCase
from shop.core.staff_actions import StaffAction


@admin.register(WithdrawalCase)
class WithdrawalCaseAdmin(LinksOrder, StaffPageAdmin[WithdrawalCase]):
    view_action = StaffAction.SEE_WITHDRAWALS
    list_display = ("reference", "name", "order_link", "state", "in_time", "refund_by")
    list_filter = ("state", "in_time", "withdrawal__channel")
    search_fields = ("withdrawal__name", "withdrawal__email", "withdrawal__order_text", "order__reference")
    list_select_related = ("withdrawal", "order")
    ordering = ("refund_by", "pk")

    def staff_url(self, case: WithdrawalCase) -> str:
        return reverse("staff-withdrawal", args=[case.pk])

    @admin.display(description=_("référence"))
    def reference(self, case: WithdrawalCase) -> str:
        return case.withdrawal.reference

    @admin.display(description=_("nom"), ordering="withdrawal__name")
    def name(self, case: WithdrawalCase) -> str:
        return case.withdrawal.name
