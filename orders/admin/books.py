"""Reconciliation's discrepancies and the ledger in the admin."""

from typing import cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.models import User
from orders.admin.base import LinksOrder
from orders.models import Discrepancy, LedgerEntry
from orders.services.reconciliation.discrepancies import resolve_discrepancy
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, staff_action


class ResolutionForm(forms.Form):
    """Why a difference is in order."""

    how = forms.CharField(label=_("Comment l'écart s'explique-t-il ?"), max_length=300, widget=forms.Textarea)


@admin.register(Discrepancy)
class DiscrepancyAdmin(LinksOrder, StaffAdmin[Discrepancy]):
    """What reconciliation found between ledger and provider; resolved with an explanation."""

    view_action = StaffAction.SEE_BOOKS
    list_display = ("found_at", "kind", "amount", "provider_id", "order_link", "detail", "resolved_at")
    list_filter = (("resolved_at", admin.EmptyFieldListFilter), "kind", "found_at")
    search_fields = ("provider_id", "order__reference", "detail")
    list_select_related = ("order",)
    actions = ("resolve",)

    @staff_action(StaffAction.RESOLVE_DISCREPANCY, description=_("Marquer comme réglés"))
    def resolve(self, request: HttpRequest, chosen: QuerySet[Discrepancy]) -> HttpResponseBase | None:
        """Ask why first: the answer stays with the discrepancy and in the order's journal."""
        waiting = chosen.filter(resolved_at=None).order_by("pk")
        if not waiting:
            messages.warning(request, _("Aucun des écarts choisis n'est ouvert."))
            return None
        form = ResolutionForm(request.POST if "confirmed" in request.POST else None)
        if not form.is_valid():
            context = {
                **self.admin_site.each_context(request),
                "title": _("Régler des écarts"),
                "discrepancies": waiting.select_related("order"),
                "form": form,
            }
            return TemplateResponse(request, "admin/orders/discrepancy/resolve.html", context)
        done = 0
        for discrepancy in waiting:
            try:
                resolve_discrepancy(
                    discrepancy_id=discrepancy.pk,
                    how=form.cleaned_data["how"],
                    actor=cast(User, request.user),
                )
                done += 1
            except Problem as problem:
                messages.error(request, problem.detail)
        messages.success(
            request, ngettext("%(count)d écart réglé.", "%(count)d écarts réglés.", done) % {"count": done}
        )
        return None


@admin.register(LedgerEntry)
class LedgerAdmin(StaffAdmin[LedgerEntry]):
    """Every movement of money, in the order in which it happened."""

    view_action = StaffAction.SEE_BOOKS
    list_display = ("occurred_at", "order", "kind", "amount", "provider_id", "created_at")
    list_filter = ("kind", "occurred_at")
    search_fields = ("order__reference", "provider_id")
    list_select_related = ("order",)
