"""Promotions in Django's admin: to look up. Staff write them on their own screen."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models import Promotion, PromotionState
from catalog.selectors import wording
from catalog.selectors.promotions import in_state
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin


class StateFilter(admin.SimpleListFilter):
    """Where the promotions stand now."""

    title = _("état")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(PromotionState.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Promotion]) -> QuerySet[Promotion]:
        state = self.value()
        return in_state(queryset, state, timezone.now()) if state in PromotionState.values else queryset


@admin.register(Promotion)
class PromotionAdmin(StaffAdmin[Promotion]):
    view_action = StaffAction.SEE_PRICES
    staff_list, staff_row = "staff-promotions", "staff-promotions-edit"
    list_display = ("name", "state", "label", "starts_at", "ends_at", "product")
    list_filter = (StateFilter, "type")
    list_select_related = ("product",)
    search_fields = ("name",)
    ordering = ("-starts_at", "-pk")

    @admin.display(description=_("état"))
    def state(self, promotion: Promotion) -> str:
        return str(promotion.state(timezone.now()).label)

    @admin.display(description=_("promotion"))
    def label(self, promotion: Promotion) -> str:
        return wording.promotion_label(promotion)
