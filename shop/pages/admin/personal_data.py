"""Personal data in Django's admin: what the nightly job deleted, who asked to be erased, the processing register."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from shop.core.models import ShopSettings
from shop.core.personal_data import period_text, retention_rules
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_admin import StaffAdmin
from shop.pages.models import Erasure, RetentionRun
from shop.pages.selectors.personal_data import printed_activities


@admin.register(RetentionRun)
class RetentionRunAdmin(StaffAdmin[RetentionRun]):
    """The report of each night, and the register."""

    view_action = StaffAction.SEE_SETTINGS
    list_display = ("day", "label", "period", "count", "fault")
    list_filter = ("day",)
    list_per_page = 50

    def get_urls(self) -> list[URLPattern]:
        register = self.admin_site.admin_view(self.register_page)
        return [path("registre", register, name="pages_retentionrun_register"), *super().get_urls()]

    @admin.display(description=gettext_lazy("ce qui est effacé"))
    def label(self, run: RetentionRun) -> str:
        return next((str(rule.label) for rule in retention_rules() if rule.name == run.rule), run.rule)

    @admin.display(description=gettext_lazy("après"))
    def period(self, run: RetentionRun) -> str:
        return next((period_text(rule.period) for rule in retention_rules() if rule.name == run.rule), "")

    def register_page(self, request: HttpRequest) -> HttpResponse:
        """The register of processing activities (GDPR art. 30), to read and to print."""
        require(request.user, StaffAction.SEE_SETTINGS)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": _("Registre des traitements"),
            "shop": ShopSettings.load(),
            "activities": printed_activities(),
        }
        return TemplateResponse(request, "admin/pages/retentionrun/register.html", context)


@admin.register(Erasure)
class ErasureAdmin(StaffAdmin[Erasure]):
    """Who asked to be erased, until when; the addresses only while they are needed to answer."""

    view_action = StaffAction.SEE_USERS
    list_display = ("user_key", "state", "requested_at", "due_by", "by_inactivity", "closed_at", "done_at")
    list_filter = ("state", "by_inactivity")
    exclude = ("lease_until", "next_try_at")
