"""Refunds in the admin: proposed, confirmed, followed, tried again; and disputes."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy

from orders.admin.base import ExplainsRefunds, LinksOrder, StaffPageAdmin
from orders.models import Dispute, Refund, RefundLine, RefundRequest
from orders.selectors.refunds import progress
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffRights, YesNoFilter


class RefundLineInline(StaffRights, admin.TabularInline[RefundLine, RefundRequest]):
    view_action = StaffAction.SEE_REFUNDS
    model = RefundLine
    fields = ("item", "quantity", "amount", "restocked", "sent_quantity")


class RefundInline(ExplainsRefunds, StaffRights, admin.TabularInline[Refund, RefundRequest]):
    view_action = StaffAction.SEE_REFUNDS
    model = Refund
    fields = (
        "created_at", "amount", "method", "state", "settled_at", "provider_id", "transfer_reference", "why",
    )  # fmt: skip
    readonly_fields = ("why",)


@admin.register(RefundRequest)
class RefundRequestAdmin(LinksOrder, StaffPageAdmin[RefundRequest]):
    """What was decided, and how far it is."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = ("created_at", "order_link", "amount", "voided", "progress", "reason", "external", "actor")
    list_filter = ("external", ("settled_at", YesNoFilter), "created_at")
    search_fields = ("id", "order__reference", "order__email", "refunds__provider_id")
    list_select_related = ("order", "actor")
    inlines = (RefundLineInline, RefundInline)
    fields = (
        "order_link", "progress", "amount", "voided", "shipping", "reason", "external", "withdrawal", "actor",
        "created_at", "settled_at",
    )  # fmt: skip
    readonly_fields = ("order_link", "progress")

    def get_queryset(self, request: HttpRequest) -> QuerySet[RefundRequest]:
        return super().get_queryset(request).prefetch_related("refunds")

    @admin.display(description=gettext_lazy("état"))
    def progress(self, decided: RefundRequest) -> str:
        return str(progress(decided).label)

    def staff_url(self, decided: RefundRequest) -> str:
        return reverse("staff-refunds", query={"q": decided.order.reference})


@admin.register(Refund)
class RefundAdmin(ExplainsRefunds, LinksOrder, StaffPageAdmin[Refund]):
    """What is refunded of each charge: asked for, on its way, done or failed."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = (
        "created_at", "order_link", "amount", "method", "reason", "state", "settled_at", "why", "provider_id",
    )  # fmt: skip
    list_filter = ("state", "method", "reason", "created_at")
    search_fields = ("order__reference", "provider_id", "transfer_reference", "order__email")
    list_select_related = ("order",)

    def staff_url(self, refund: Refund) -> str:
        return reverse("staff-refunds", query={"q": refund.order.reference})


@admin.register(Dispute)
class DisputeAdmin(LinksOrder, StaffPageAdmin[Dispute]):
    """What banks take back. It is answered at Stripe; the shop follows."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = ("opened_at", "order_link", "amount", "reason", "state", "answer_by", "closed_at")
    list_filter = ("state", "opened_at")
    search_fields = ("order__reference", "order__email", "provider_id")
    list_select_related = ("order",)

    def staff_url(self, dispute: Dispute) -> str:
        return reverse("staff-disputes", query={"q": dispute.provider_id})
