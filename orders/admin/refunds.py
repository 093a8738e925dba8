"""Refunds in the admin: proposed, confirmed, followed, tried again; and disputes."""

from typing import cast

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import User
from orders.admin.base import ExplainsRefunds, LinksOrder
from orders.admin.transfers import SENT_LABEL
from orders.models import Dispute, Refund, RefundLine, RefundRequest
from orders.selectors.refund_rules import (
    RefundRefused,
)
from orders.selectors.refunds import progress
from orders.services.refunds.decisions import retry_refund
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights, staff_action


class RefundLineInline(StaffRights, admin.TabularInline[RefundLine, RefundRequest]):
    view_action = StaffAction.SEE_REFUNDS
    model = RefundLine
    fields = ("item", "quantity", "amount", "restocked")
    extra = 0


class RefundInline(ExplainsRefunds, StaffRights, admin.TabularInline[Refund, RefundRequest]):
    view_action = StaffAction.SEE_REFUNDS
    model = Refund
    fields = (
        "created_at", "amount", "method", "state", "settled_at", "provider_id", "transfer_reference", "why",
    )  # fmt: skip
    readonly_fields = ("why",)
    extra = 0


@admin.register(RefundRequest)
class RefundRequestAdmin(LinksOrder, StaffAdmin[RefundRequest]):
    """What was decided, and how far it is."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = ("created_at", "order_link", "amount", "voided", "progress", "reason", "external", "actor")
    list_filter = ("external", ("settled_at", admin.EmptyFieldListFilter), "created_at")
    search_fields = ("id", "order__reference", "order__email", "refunds__provider_id")
    list_select_related = ("order", "actor")
    inlines = (RefundLineInline, RefundInline)
    actions = ("retry",)
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

    @staff_action(StaffAction.REFUND_ORDER, description=gettext_lazy("Réessayer ce qui a échoué"))
    def retry(self, request: HttpRequest, chosen: QuerySet[RefundRequest]) -> None:
        _retry(request, Refund.objects.filter(request__in=chosen, state="failed", replaced_by=None))


@admin.register(Refund)
class RefundAdmin(ExplainsRefunds, LinksOrder, StaffAdmin[Refund]):
    """What is refunded of each charge: asked for, on its way, done or failed."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = (
        "created_at", "order_link", "amount", "method", "reason", "state", "settled_at", "why", "provider_id",
    )  # fmt: skip
    list_filter = ("state", "method", "reason", "created_at")
    search_fields = ("order__reference", "provider_id", "transfer_reference", "order__email")
    list_select_related = ("order",)
    actions = ("retry", "settled_by_transfer")

    @staff_action(StaffAction.REFUND_ORDER, description=gettext_lazy("Réessayer les remboursements échoués"))
    def retry(self, request: HttpRequest, chosen: QuerySet[Refund]) -> None:
        _retry(request, chosen.filter(state="failed", replaced_by=None))

    @staff_action(StaffAction.RECORD_TRANSFER, description=SENT_LABEL)
    def settled_by_transfer(self, request: HttpRequest, chosen: QuerySet[Refund]) -> HttpResponseBase | None:
        """Redirect to the order's page that asks for day and reference."""
        failed = list(chosen.filter(state="failed", replaced_by=None)[:2])
        if len(failed) != 1 or chosen.count() != 1:
            messages.warning(request, _("Choisissez un seul remboursement, échoué et pas encore réessayé."))
            return None
        address = reverse("admin:orders_order_transfer", args=[failed[0].order_id])
        return redirect(f"{address}?refund={failed[0].pk}")


def _retry(request: HttpRequest, failed: QuerySet[Refund]) -> None:
    done = 0
    for refund in failed.order_by("created_at"):
        try:
            retry_refund(refund_id=refund.pk, actor=cast(User, request.user))
            done += 1
        except RefundRefused as problem:
            messages.error(request, f"{refund} : {problem.detail}")
    messages.success(
        request,
        ngettext(
            "%(count)d remboursement est envoyé à nouveau.",
            "%(count)d remboursements sont envoyés à nouveau.",
            done,
        )
        % {"count": done},
    )


@admin.register(Dispute)
class DisputeAdmin(LinksOrder, StaffAdmin[Dispute]):
    """What banks take back. It is answered at Stripe; the shop follows."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = ("opened_at", "order_link", "amount", "reason", "state", "answer_by", "closed_at")
    list_filter = ("state", "opened_at")
    search_fields = ("order__reference", "order__email", "provider_id")
    list_select_related = ("order",)
