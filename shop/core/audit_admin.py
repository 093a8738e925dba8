"""The audit trail in Django's admin: a list that leads to the page where it is searched."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from shop.core.models import AuditEntry
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_admin import StaffAdmin


@admin.register(AuditEntry)
class AuditEntryAdmin(StaffAdmin[AuditEntry]):
    """Read-only. Django's list would count all entries, of which there are more with every day."""

    view_action = StaffAction.SEE_AUDIT
    staff_list = "staff-audit"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        require(request.user, StaffAction.SEE_AUDIT)
        return HttpResponseRedirect(reverse("staff-audit", query=request.GET))
